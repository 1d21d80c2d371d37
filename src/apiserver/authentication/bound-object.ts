import { metadataOf, uidOf } from '../../fields/object.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { badRequest, conflictOn, notFound } from '../api/status-error.js';
import type { Clock } from '../storage/clock.js';
import type { Store } from '../storage/store.js';

/** The name and UID of an object as a token names it. A Node that does not exist has no UID. */
interface NamedObject {
  readonly name: string;
  readonly uid?: string;
}

/** The claims of a token about objects without which it is not valid. Source: Kubernetes documentation "Managing Service Accounts". */
export interface BoundObjects {
  readonly node?: NamedObject;
  readonly pod?: NamedObject;
  readonly secret?: NamedObject;
}

const resources: Readonly<Record<string, string>> = { Pod: 'pods', Secret: 'secrets', Node: 'nodes' };

/** Kind of each claim. A token of a Pod is bound to the Pod alone, though it names its Node, too. */
const claimKinds = [
  ['pod', 'Pod'],
  ['secret', 'Secret'],
  ['node', 'Node'],
] as const;

/** How long a token is valid after its object should be gone, in milliseconds. */
const leeway = 60_000;

/**
 * Returns the claims for the object that a TokenRequest names.
 *
 * @throws StatusError 400, 404, 409
 */
export function boundObjects(store: Store, account: JsonObject, ref: JsonObject): BoundObjects {
  const { kind = '', apiVersion = '', name = '', uid = '' } = ref as Record<string, string | undefined>;
  const parts = apiVersion.split('/');
  const group = parts.length === 2 ? String(parts[0]) : '';
  const plural = resources[kind];
  if (plural === undefined || group !== '') throw badRequest(`cannot bind token to object of type ${group}/${parts.at(-1)}, Kind=${kind}`);
  if (name === '') throw badRequest('Name parameter required.');
  const { name: accountName, namespace } = metadataOf(account);
  const object = objectOf(store, kind, String(namespace), name);
  if (object === undefined) throw notFound({ group: '', plural }, name);
  const spec = kind === 'Pod' && isJsonObject(object.spec) ? object.spec : {};
  if (kind === 'Pod' && spec.serviceAccountName !== accountName) {
    const owner = JSON.stringify(accountName);
    throw badRequest(`cannot bind token for serviceaccount ${owner} to pod running with different serviceaccount name.`);
  }
  const found = uidOf(object);
  if (uid !== '' && uid !== found) {
    const reason = `the UID in the bound object reference (${uid}) does not match the UID in record. `;
    throw conflictOn({ group: '', plural: kind }, name, `${reason}The object might have been deleted and then recreated`);
  }
  const named = { name, uid: String(found) };
  if (kind === 'Secret') return { secret: named };
  if (kind === 'Node') return { node: named };
  return { ...(spec.nodeName ? { node: nodeNamed(store, String(spec.nodeName)) } : {}), pod: named };
}

/** Returns true if the object that a token is bound to, if any, still exists. */
export function isBoundObjectThere(store: Store, clock: Clock, namespace: string, claims: BoundObjects): boolean {
  const [claim, kind] = claimKinds.find(([each]) => claims[each] !== undefined) ?? [];
  if (claim === undefined || kind === undefined) return true;
  const { name, uid } = claims[claim] as NamedObject;
  const object = objectOf(store, kind, namespace, name);
  if (object === undefined || uidOf(object) !== uid) return false;
  const { deletionTimestamp } = metadataOf(object);
  return deletionTimestamp === undefined || Date.parse(String(deletionTimestamp)) + leeway > clock();
}

/** Returns what the extra values of a user say about the objects of a token. */
export function boundObjectExtra({ node, pod }: BoundObjects): Readonly<Record<string, readonly string[]>> {
  const extra: Record<string, readonly string[]> = {};
  for (const [kind, named] of Object.entries({ node, pod })) {
    if (named !== undefined) extra[`authentication.kubernetes.io/${kind}-name`] = [named.name];
    if (named?.uid !== undefined) extra[`authentication.kubernetes.io/${kind}-uid`] = [named.uid];
  }
  return extra;
}

function nodeNamed(store: Store, name: string): NamedObject {
  const node = objectOf(store, 'Node', '', name);
  return { name, ...(node === undefined ? {} : { uid: String(uidOf(node)) }) };
}

function objectOf(store: Store, kind: string, namespace: string, name: string): JsonObject | undefined {
  return store.get({ resource: `/${resources[kind]}`, namespace: kind === 'Node' ? '' : namespace, name });
}
