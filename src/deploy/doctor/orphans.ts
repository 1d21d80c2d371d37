import { identityKey, objectText } from '../../assembly/identity.js';
import { ApiError, type Cluster, isAway, type Resource } from '../../cluster/index.js';
import { managedFieldsOf } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import type { RunWarning } from '../events.js';
import { InventoryStore, requireWhole } from '../inventory/store.js';
import { defaultConcurrency } from '../options.js';
import { inPool } from '../pool.js';

/** An object with fields of a stack that no inventory knows of. */
export interface Orphan {
  readonly event: 'orphan';
  /** `Kind namespace/name`. */
  readonly object: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
  readonly manager: string;
  /**
   * The empty intent which, applied by that manager, gives up its fields; the uid keeps it from creating an object that is gone. Absent
   * where they were merged under the strategy `dynamic`: the server does not know them, and a deploy of the stack takes them up again.
   */
  readonly release?: JsonObject;
}

export interface OrphanSearch {
  readonly orphans: readonly Orphan[];
  /** Kinds, and groups with all their kinds, that could not be listed, with the server's reason. */
  readonly unread: readonly { readonly kind: string; readonly reason: string }[];
  /** ConfigMaps that pass themselves off as inventories. */
  readonly foreign: readonly RunWarning[];
}

/**
 * Looks through the metadata of every object that can be listed for fields applied by stacks, and names those that no inventory holds:
 * what is left when an inventory is lost.
 *
 * @param prefix beginning of the field managers to look for, such as `fieldwise/shop/default/`.
 */
export async function findOrphans(cluster: Cluster, prefix: string, inventoryNamespace?: string): Promise<OrphanSearch> {
  const foreign: RunWarning[] = [];
  const inventories = await new InventoryStore(cluster, inventoryNamespace, (warning) => foreign.push(warning)).read();
  const known = new Map(inventories.map(requireWhole).map(({ stack, entries }) => [stack.manager, entries]));
  const found = new Map<string, Orphan>();
  const { resources, unavailable } = await cluster.listable();
  const unread = unavailable.map(({ apiVersion, reason }) => ({ kind: apiVersion, reason }));
  const brief = cluster.attendedBy({ patience: 10_000 }); // one kind that does not answer does not hold up all others
  await inPool(resources, defaultConcurrency, async (resource) => {
    try {
      for (const item of await brief.list(resource, { metadataOnly: true })) {
        for (const orphan of orphansIn(item, resource, prefix)) {
          const entry = known.get(orphan.manager)?.get(identityKey(orphan));
          if (entry !== undefined && (entry.uid ?? orphan.uid) === orphan.uid) continue;
          found.set(`${orphan.uid} ${orphan.manager}`, orphan); // some objects are served by two groups
        }
      }
    } catch (error) {
      if (!(error instanceof ApiError) && !isAway(error)) throw error;
      unread.push({ kind: resource.kind, reason: error.message });
    }
  });
  const order = ({ object, manager }: Orphan) => `${object} ${manager}`;
  return { orphans: [...found.values()].sort((left, right) => (order(left) < order(right) ? -1 : 1)), unread, foreign };
}

function orphansIn(item: JsonObject, { apiVersion, kind }: Resource, prefix: string): Orphan[] {
  const { name, namespace, uid } = item.metadata as JsonObject & { name: string; namespace?: string; uid: string };
  const place = { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }), name };
  return managedFieldsOf(item)
    .filter((entry) => entry.operation === 'Apply' && entry.subresource === '' && entry.manager.startsWith(prefix))
    .map(({ manager, applied }) => {
      const orphan = { event: 'orphan' as const, object: objectText(place), ...place, uid, manager };
      if (applied !== undefined) return orphan;
      const release = { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid } };
      return { ...orphan, release };
    });
}
