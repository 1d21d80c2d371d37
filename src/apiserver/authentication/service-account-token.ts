import { sign, verify } from 'node:crypto';
import { quote } from '../../fields/index.js';
import { isTerminating, metadataOf, uidOf } from '../../fields/object.js';
import type { JsonObject } from '../../util/json.js';
import type { User } from '../api/user.js';
import type { Backend } from '../registry/backend.js';
import type { SigningKey } from '../registry/signing-key.js';
import type { Clock } from '../storage/clock.js';
import { type BoundObjects, boundObjectExtra, isBoundObjectThere } from './bound-object.js';
import { reviewSecretToken, secretTokenIssuer } from './secret-token.js';

export const issuer = 'https://kubernetes.default.svc';

const extraName = 'authentication.kubernetes.io/credential-id';

export interface TokenContent {
  readonly account: JsonObject;
  readonly audiences: readonly string[];
  /** In seconds. */
  readonly lifetime: number;
  readonly id: string;
  readonly bound: BoundObjects;
}

/** Issues a ServiceAccount token as a JSON Web Token. Source: RFC 7519; Kubernetes documentation "Managing Service Accounts". */
export function issueToken(key: SigningKey, clock: Clock, { account, audiences, lifetime, id, bound }: TokenContent): string {
  const { name, namespace, uid } = metadataOf(account);
  const now = Math.floor(clock() / 1000);
  const claims = {
    aud: audiences,
    exp: now + lifetime,
    iat: now,
    iss: issuer,
    jti: id,
    'kubernetes.io': { namespace, ...bound, serviceaccount: { name, uid } },
    nbf: now,
    sub: `system:serviceaccount:${namespace}:${name}`,
  };
  const signed = [{ alg: 'ES256', typ: 'JWT' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const signature = sign('sha256', Buffer.from(signed), { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

/** Returns the ServiceAccount a token belongs to; undefined if the token is not valid for this server. */
export function authenticateToken(backend: Backend, token: string): User | undefined {
  return reviewToken(backend, token, [issuer]).user;
}

/** The user of a token with those of the wanted audiences that it is for, or why it is not valid. */
export type TokenResult =
  | { readonly user: User; readonly audiences: readonly string[]; readonly error?: undefined }
  | { readonly user?: undefined; readonly error: string };

const unknown = 'invalid bearer token';

/** Finds the ServiceAccount a token belongs to, if it is signed by our key and for one of some audiences, and it and what it is bound to exist. */
export function reviewToken(backend: Backend, token: string, wanted: readonly string[]): TokenResult {
  const { signingKey, clock, store } = backend;
  const claims = verifiedClaims(signingKey(), token);
  if (claims === undefined) return { error: unknown };
  const isOfSecret = claims.iss === secretTokenIssuer;
  if (!isOfSecret && (typeof claims.exp !== 'number' || claims.exp * 1000 <= clock())) return { error: unknown };
  const own = isOfSecret ? [issuer] : (claims.aud as readonly string[]);
  const audiences = wanted.filter((each) => own.includes(each));
  if (audiences.length === 0) {
    const reason = `token audiences ${quoted(own)} is invalid for the target audiences ${quoted(wanted)}`;
    return { error: `[${unknown}, ${reason}]` };
  }
  if (isOfSecret) {
    const found = reviewSecretToken(backend, token, claims);
    if (found.error !== undefined) return { error: `[${unknown}, ${found.error}]` };
    return { user: { ...serviceAccountUser(found.namespace, found.name), uid: found.uid }, audiences };
  }
  const { namespace, serviceaccount, ...bound } = claims['kubernetes.io'] as unknown as KubernetesClaims;
  const { name, uid } = serviceaccount;
  const account = store.get({ resource: '/serviceaccounts', namespace, name });
  const isValid = account !== undefined && uidOf(account) === uid && !isTerminating(account);
  if (!isValid || !isBoundObjectThere(store, clock, namespace, bound))
    return { error: `[${unknown}, service account token has been invalidated]` };
  const extra = { [extraName]: [`JTI=${String(claims.jti)}`], ...boundObjectExtra(bound) };
  return { user: { ...serviceAccountUser(namespace, name), uid, extra }, audiences };
}

interface KubernetesClaims extends BoundObjects {
  readonly namespace: string;
  readonly serviceaccount: { readonly name: string; readonly uid: string };
}

/** Returns the claims of a token that we issued. */
function verifiedClaims(key: SigningKey, token: string): JsonObject | undefined {
  const [header, body, signature] = token.split('.');
  if (header === undefined || body === undefined || signature === undefined) return undefined;
  const verifier = { key: key.publicKey, dsaEncoding: 'ieee-p1363' } as const;
  if (!verify('sha256', Buffer.from(`${header}.${body}`), verifier, Buffer.from(signature, 'base64url'))) return undefined;
  return JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as JsonObject;
}

function quoted(list: readonly string[]): string {
  return `[${list.map(quote).join(' ')}]`;
}

/** Returns a ServiceAccount as a user. */
export function serviceAccountUser(namespace: string, name: string): User {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  };
}
