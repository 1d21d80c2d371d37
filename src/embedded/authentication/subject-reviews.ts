import type { Json, JsonObject } from '../../util/json.js';
import type { Review } from '../registry/review.js';
import { timestamp } from '../storage/clock.js';
import { authenticateToken, issuer } from './service-account-token.js';
import type { User } from './user.js';

const named = { group: 'authentication.k8s.io', version: 'v1', namespaced: false } as const;

/**
 * The reviews that identify a user: the requester, or the owner of a token.
 * Source: Kubernetes API reference, SelfSubjectReview, TokenReview.
 */
export const subjectReviews: readonly Review[] = [
  {
    ...named,
    kind: 'SelfSubjectReview',
    evaluate: ({ clock }, user) => ({ metadata: { creationTimestamp: timestamp(clock) }, status: { userInfo: userInfo(user) } }),
  },
  {
    ...named,
    kind: 'TokenReview',
    evaluate({ clock, signingKey, store }, _user, spec) {
      const found = authenticateToken(signingKey(), clock, store, String(spec.token ?? ''));
      if (found === undefined) return { status: { user: {}, error: 'invalid bearer token' } };
      return { status: { authenticated: true, user: userInfo(found), audiences: [issuer] } };
    },
  },
];

/** Returns a user as a UserInfo. */
export function userInfo({ name, uid, groups, extra }: User): JsonObject {
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    groups: groups as Json,
    ...(extra === undefined ? {} : { extra: extra as unknown as Json }),
  };
}
