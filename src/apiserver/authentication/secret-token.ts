import { timingSafeEqual } from 'node:crypto';
import { isTerminating, metadataOf, uidOf } from '../../fields/object.js';
import { updateRequest } from '../../ownership/index.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { requestScopeOf } from '../conversion/request-scope.js';
import { type Backend, type ObjectTarget, targetOf } from '../registry/backend.js';
import { timestamp } from '../storage/clock.js';

/** Issuer of the tokens that a controller manager writes into Secrets. They have no audience and do not expire. */
export const secretTokenIssuer = 'kubernetes/serviceaccount';

const claim = (name: string) => `kubernetes.io/serviceaccount/${name}`;
const lastUsed = 'kubernetes.io/legacy-token-last-used';
const invalidSince = 'kubernetes.io/legacy-token-invalid-since';
const day = 24 * 3600 * 1000;

/** The ServiceAccount that a token in a Secret names, or why the token is not valid. */
export type SecretTokenResult =
  | { readonly namespace: string; readonly name: string; readonly uid: string; readonly error?: undefined }
  | { readonly error: string };

/**
 * Finds the ServiceAccount of a token whose signature is right: the Secret that it names must contain it, and the ServiceAccount must be the one
 * it was made for. Records the day of the use in a label of the Secret.
 * Source: Kubernetes documentation "Managing Service Accounts"; observed.
 */
export function reviewSecretToken(backend: Backend, token: string, claims: JsonObject): SecretTokenResult {
  const [namespace, name, uid, secretName] = ['namespace', 'service-account.name', 'service-account.uid', 'secret.name'].map((each) =>
    String(claims[claim(each)] ?? ''),
  ) as [string, string, string, string];
  if (claims.sub !== `system:serviceaccount:${namespace}:${name}`) return { error: 'sub claim is invalid' };
  const secretKey = { resource: '/secrets', namespace, name: secretName };
  const secret = backend.store.get(secretKey);
  if (secret === undefined || isTerminating(secret)) return { error: 'Token has been invalidated' };
  if (!holds(secret, token)) return { error: "Token does not match server's copy" };
  const account = backend.store.get({ resource: '/serviceaccounts', namespace, name });
  if (account === undefined) return { error: `serviceaccounts "${name}" not found` };
  if (isTerminating(account)) return { error: `ServiceAccount ${namespace}/${name} has been deleted` };
  if (uidOf(account) !== uid) return { error: `ServiceAccount UID (${String(uidOf(account))}) does not match claim (${uid})` };
  recordUse(backend, targetOf(backend, secretKey) as ObjectTarget, secret);
  if (metadataOf(secret).labels?.[invalidSince]) {
    const advice = `Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${invalidSince}' label from the secret`;
    const what = `the token in secret ${namespace}/${secretName} for service account ${namespace}/${name}`;
    return { error: `${what} has been marked invalid. ${advice} to temporarily allow use of this token` };
  }
  return { namespace, name, uid };
}

function holds({ data }: JsonObject, token: string): boolean {
  const held = Buffer.from(isJsonObject(data) ? String(data.token ?? '') : '', 'base64');
  const sent = Buffer.from(token);
  return held.length === sent.length && timingSafeEqual(held, sent);
}

/** Labels the Secret with the present day, in UTC; the next day is that of another server, whose clock is ahead. */
function recordUse(backend: Backend, target: ObjectTarget, secret: JsonObject): void {
  const dayAt = (later: number) => timestamp(() => backend.clock() + later).slice(0, 'YYYY-MM-DD'.length);
  const metadata = metadataOf(secret);
  const known = metadata.labels?.[lastUsed];
  if (known === dayAt(0) || known === dayAt(day)) return;
  const object = { ...secret, metadata: { ...metadata, labels: { ...metadata.labels, [lastUsed]: dayAt(0) } } };
  const scope = requestScopeOf(backend, target, 'apiserver');
  const { namespace = '', name } = target;
  backend.store.put({ resource: '/secrets', namespace, name }, updateRequest({ ...scope, live: secret, object }));
}
