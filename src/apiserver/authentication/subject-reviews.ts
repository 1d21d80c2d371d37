import type { Json, JsonObject } from '../../util/json.js';
import { badRequest } from '../api/status-error.js';
import type { User } from '../api/user.js';
import type { Review } from '../registry/review.js';
import { timestamp } from '../storage/clock.js';
import { issuer, reviewToken } from './service-account-token.js';

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
    evaluate(backend, _user, { token, audiences }) {
      if (!token) throw badRequest('token is required for TokenReview in authentication');
      const wanted = Array.isArray(audiences) && audiences.length > 0 ? (audiences as readonly string[]) : [issuer];
      const found = reviewToken(backend, String(token), wanted);
      if (found.user === undefined) return { status: { user: {}, error: found.error } };
      return { status: { authenticated: true, user: userInfo(found.user), audiences: found.audiences as Json } };
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
