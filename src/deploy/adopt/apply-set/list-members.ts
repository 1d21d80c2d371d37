import { identityKey, type ObjectIdentity } from '../../../assembly/identity.js';
import { partOfLabel } from '../../../engine/pruners/apply-set.js';
import { forEachConcurrent } from '../../../engine/run/for-each-concurrent.js';
import { defaultConcurrency } from '../../../engine/run/options.js';
import { metadataOf, uidOf } from '../../../fields/object.js';
import type { ClusterClient, ObjectAddress } from '../../../kubernetes/index.js';
import type { EntryIdentity } from '../../../ownership/index.js';
import type { JsonObject } from '../../../util/json.js';
import type { ApplySet } from './find-apply-set.js';
import { ownersOfName } from './metadata-name.js';

/** An object with the label of an ApplySet. */
export interface ApplySetMember extends ObjectIdentity {
  readonly address: ObjectAddress;
  readonly uid: string;
  /** The owners of the label. */
  readonly owners: readonly EntryIdentity[];
}

/** Lists the members of a set where its parent records them, by metadata alone; kubectl prunes no others. */
export async function listMembers(
  cluster: ClusterClient,
  { id, scope }: ApplySet,
  concurrency = defaultConcurrency,
): Promise<readonly ApplySetMember[]> {
  const places = scope.resources.flatMap((resource) =>
    resource.namespaced ? scope.namespaces.map((namespace) => ({ resource, namespace })) : [{ resource }],
  );
  const found = new Map<string, ApplySetMember>();
  await forEachConcurrent(places, concurrency, async ({ resource, ...inside }) => {
    for (const item of await cluster.list(resource, { ...inside, labelSelector: `${partOfLabel}=${id}`, metadataOnly: true })) {
      const { name = '', namespace } = metadataOf(item);
      const address = { resource, name, ...(resource.namespaced ? { namespace: namespace ?? '' } : {}) };
      found.set(uidOf(item), memberOf(item, address)); // Keyed by uid, because some objects are served by two groups.
    }
  });
  return [...found.values()].sort((left, right) => (identityKey(left) < identityKey(right) ? -1 : 1));
}

/** Returns a live object as a member. */
export function memberOf(live: JsonObject, address: ObjectAddress): ApplySetMember {
  const { apiVersion, kind } = address.resource;
  const { resource: _, ...place } = address;
  return { apiVersion, kind, ...place, address, uid: uidOf(live), owners: ownersOfName(live, 'labels', partOfLabel) };
}
