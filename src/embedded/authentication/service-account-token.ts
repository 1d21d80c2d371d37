import { generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import { isTerminating, metadataOf, uidOf } from '../../kubernetes/object.js';
import type { JsonObject } from '../../util/json.js';
import type { Clock } from '../storage/clock.js';
import type { Store } from '../storage/store.js';
import type { User } from './user.js';

export const issuer = 'https://kubernetes.default.svc';

/** The key that signs ServiceAccount tokens. It is created at start, so tokens are valid until the server stops. */
export interface SigningKey {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export function newSigningKey(): SigningKey {
  return generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
}

const extraName = 'authentication.kubernetes.io/credential-id';

export interface TokenContent {
  readonly account: JsonObject;
  readonly audiences: readonly string[];
  /** In seconds. */
  readonly lifetime: number;
  readonly id: string;
}

/** Issues a ServiceAccount token as a JSON Web Token. Source: RFC 7519; Kubernetes documentation "Managing Service Accounts". */
export function issueToken(key: SigningKey, clock: Clock, { account, audiences, lifetime, id }: TokenContent): string {
  const { name, namespace, uid } = metadataOf(account);
  const now = Math.floor(clock() / 1000);
  const claims = {
    aud: audiences,
    exp: now + lifetime,
    iat: now,
    iss: issuer,
    jti: id,
    'kubernetes.io': { namespace, serviceaccount: { name, uid } },
    nbf: now,
    sub: `system:serviceaccount:${namespace}:${name}`,
  };
  const signed = [{ alg: 'ES256', typ: 'JWT' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const signature = sign('sha256', Buffer.from(signed), { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

/** Returns the service account a token belongs to; undefined if we did not issue it, it has expired, or the account was deleted. */
export function authenticateToken(key: SigningKey, clock: Clock, store: Store, token: string): User | undefined {
  const [header, body, signature] = token.split('.');
  if (header === undefined || body === undefined || signature === undefined) return undefined;
  const verifier = { key: key.publicKey, dsaEncoding: 'ieee-p1363' } as const;
  if (!verify('sha256', Buffer.from(`${header}.${body}`), verifier, Buffer.from(signature, 'base64url'))) return undefined;
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as JsonObject;
  if (typeof claims.exp !== 'number' || claims.exp * 1000 <= clock()) return undefined;
  if (!Array.isArray(claims.aud) || !(claims.aud as string[]).includes(issuer)) return undefined;
  const bound = claims['kubernetes.io'] as { namespace: string; serviceaccount: { name: string; uid: string } };
  const { name, uid } = bound.serviceaccount;
  const account = store.get({ resource: '/serviceaccounts', namespace: bound.namespace, name });
  if (account === undefined || uidOf(account) !== uid || isTerminating(account)) return undefined;
  return { ...serviceAccountUser(bound.namespace, name), uid, extra: { [extraName]: [`JTI=${String(claims.jti)}`] } };
}

/** Returns a ServiceAccount as a user. */
export function serviceAccountUser(namespace: string, name: string): User {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  };
}
