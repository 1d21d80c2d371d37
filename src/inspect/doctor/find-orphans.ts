import { identityKey, objectText } from '../../assembly/identity.js';
import { InventoryStore, requireWhole } from '../../engine/inventory/inventory-store.js';
import { patchCommand } from '../../engine/repairs/removal-command.js';
import { causeText } from '../../engine/report/immutable.js';
import type { RunDiagnostic } from '../../engine/report/run-diagnostic.js';
import { forEachConcurrent } from '../../engine/run/for-each-concurrent.js';
import { defaultConcurrency } from '../../engine/run/options.js';
import { ApiError, type ClusterClient, isUnavailable, type Resource } from '../../kubernetes/index.js';
import { managedFieldsOf } from '../../ownership/index.js';
import type { IntegersAsText } from '../../util/integers-as-text.js';
import type { JsonObject } from '../../util/json.js';

/** An object with fields of a stack that no inventory lists. */
export interface Orphan extends IntegersAsText {
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
   * The empty intent which, applied by that manager, releases its fields; the uid keeps it from creating an object that was deleted in
   * between. Absent if `refused` is present, and under the strategy `dynamic`: then the server does not know the fields as the manager's,
   * and a deploy of the stack records the object again.
   */
  readonly release?: JsonObject;
  /** The server rejects the object without these fields, for `reason`; the command `disown` keeps the values and removes their owner. */
  readonly refused?: { readonly reason: string; readonly disown: string };
}

export interface OrphanSearch {
  readonly orphans: readonly Orphan[];
  /** Kinds, and groups with all their kinds, that could not be listed, with the server's reason. */
  readonly unread: readonly { readonly kind: string; readonly reason: string }[];
  /** Warnings about ConfigMaps that are labeled as inventories and are not. */
  readonly foreignInventories: readonly RunDiagnostic[];
}

/**
 * Searches the metadata of every object that can be listed for fields applied by stacks, and returns the objects that no inventory lists,
 * such as those of a lost inventory.
 *
 * @param prefix the prefix of the field managers to look for, such as `fieldwise/shop/default/`.
 */
export async function findOrphans(cluster: ClusterClient, prefix: string, inventoryNamespace?: string): Promise<OrphanSearch> {
  const foreign: RunDiagnostic[] = [];
  const inventories = await new InventoryStore(cluster, inventoryNamespace, (warning) => foreign.push(warning)).read();
  const known = new Map(inventories.map(requireWhole).map(({ stack, entries }) => [stack.manager, entries]));
  const found = new Map<string, Orphan>();
  const { resources, unavailable } = await cluster.listResources();
  const unread = unavailable.map(({ apiVersion, reason }) => ({ kind: apiVersion, reason }));
  const brief = cluster.withContext({ retryTimeoutMs: 10_000 }); // One kind that does not answer must not delay all others.
  await forEachConcurrent(resources, defaultConcurrency, async (resource) => {
    try {
      for (const item of await brief.list(resource, { metadataOnly: true })) {
        for (const orphan of orphansIn(item, resource, prefix)) {
          const entry = known.get(orphan.manager)?.get(identityKey(orphan));
          if (entry !== undefined && (entry.uid ?? orphan.uid) === orphan.uid) continue;
          const { metadata } = item as { readonly metadata: JsonObject };
          // Keyed by uid, because some objects are served by two groups.
          found.set(`${orphan.uid} ${orphan.manager}`, await withReleaseTried(brief, resource, orphan, metadata));
        }
      }
    } catch (error) {
      if (!(error instanceof ApiError) && !isUnavailable(error)) throw error;
      unread.push({ kind: resource.kind, reason: error.message });
    }
  });
  const order = ({ object, manager }: Orphan) => `${object} ${manager}`;
  return { orphans: [...found.values()].sort((left, right) => (order(left) < order(right) ? -1 : 1)), unread, foreignInventories: foreign };
}

/** Tries the empty intent as a dry run. If the server rejects the object without the fields, `refused` replaces `release`. */
async function withReleaseTried(cluster: ClusterClient, resource: Resource, orphan: Orphan, metadata: JsonObject): Promise<Orphan> {
  const { release, manager, namespace, name } = orphan;
  if (release === undefined) return orphan;
  const address = { resource, name, ...(namespace === undefined ? {} : { namespace }) };
  try {
    await cluster.apply(address, release, { manager, force: false, dryRun: true });
    return orphan;
  } catch (error) {
    if (!(error instanceof ApiError) && !isUnavailable(error)) throw error;
    if (!(error instanceof ApiError) || error.code !== 422) return orphan;
    const { release: _, ...identity } = orphan;
    const reason = error.causes.map(causeText).join('; ') || error.message;
    return { ...identity, refused: { reason, disown: patchCommand(address, disownOperations(manager, metadata)) } };
  }
}

/**
 * Returns the JSON patch that removes a manager's entry if the object has not changed. The server ignores an empty list, so the last entry
 * is replaced by an empty one.
 */
function disownOperations(manager: string, { managedFields, resourceVersion }: JsonObject): readonly JsonObject[] {
  const entries = managedFields as readonly JsonObject[];
  const index = entries.findIndex((entry) => entry.manager === manager && entry.operation === 'Apply' && entry.subresource === undefined);
  const path = '/metadata/managedFields';
  return [
    { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion as string },
    entries.length > 1 ? { op: 'remove', path: `${path}/${index}` } : { op: 'replace', path, value: [{}] },
  ];
}

function orphansIn(item: JsonObject, { apiVersion, kind }: Resource, prefix: string): Orphan[] {
  const { name, namespace, uid } = item.metadata as JsonObject & { name: string; namespace?: string; uid: string };
  const identity = { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }), name };
  return managedFieldsOf(item)
    .filter((entry) => entry.operation === 'Apply' && entry.subresource === '' && entry.manager.startsWith(prefix))
    .map(({ manager, applied }) => {
      const orphan = { event: 'orphan' as const, object: objectText(identity), ...identity, uid, manager };
      if (applied !== undefined) return orphan;
      const release = { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid } };
      return { ...orphan, release };
    });
}
