import { ApiError, type Cluster, type ObjectAddress } from '../../cluster/index.js';
import { applyEntryOf } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import { addressOf } from '../address.js';
import { explain } from '../explain.js';
import { foreignContent } from '../foreign.js';
import type { InventoryEntry } from '../inventory/entry.js';
import type { StackIdentity } from '../inventory/store.js';
import { placeOf } from '../place.js';
import { coOwners, keepReason } from '../remove.js';
import type { RetireOptions } from '../retire.js';
import { plannedFields } from './fields.js';
import type { PlannedObject } from './types.js';

type Verdict = Pick<PlannedObject, 'action' | 'fields'> & Partial<Pick<PlannedObject, 'reason' | 'error'>>;

/** What would become of an object that a stack no longer declares. */
export async function planRetirement(
  cluster: Cluster,
  stack: StackIdentity,
  entry: InventoryEntry,
  options: RetireOptions,
): Promise<PlannedObject> {
  const found = { event: 'plan' as const, ...placeOf(stack.stack, stack.manager, entry), source: 'server' as const, declaredBy: [] };
  try {
    return { ...found, ...(await judge(cluster, stack.manager, entry, options)) };
  } catch (error) {
    return { ...found, action: 'blocked', fields: [], error: explain(error) };
  }
}

async function judge(cluster: Cluster, manager: string, entry: InventoryEntry, options: RetireOptions): Promise<Verdict> {
  const address = await addressOf(cluster, entry);
  const live = await cluster.find(address);
  const uid = (live?.metadata as JsonObject | undefined)?.uid;
  if (!live || (entry.uid !== undefined && uid !== entry.uid)) return { action: 'gone', fields: [] };
  if (entry.uid === undefined && !applyEntryOf(live, manager)) return { action: 'gone', reason: 'it was never applied', fields: [] };
  if (entry.lifecycle === 'own' && entry.deletable && !options.declaredElsewhere) {
    const others = options.deleteShared ? [] : coOwners(live, manager);
    const foreign = options.deleteForeign || others.length > 0 ? [] : await foreignContent(cluster, live, options.ours);
    const reason = keepReason(others, foreign);
    if (reason === undefined) return { action: 'delete', fields: [] };
    return { ...(await release(cluster, address, live, manager)), reason };
  }
  return release(cluster, address, live, manager);
}

async function release(cluster: Cluster, address: ObjectAddress, live: JsonObject, manager: string): Promise<Verdict> {
  const { name, namespace, uid } = live.metadata as JsonObject;
  const empty = { apiVersion: live.apiVersion, kind: live.kind, metadata: { name, namespace, uid } };
  try {
    const { object } = await cluster.apply(address, empty, { manager, force: false, dryRun: true });
    return { action: 'release', fields: plannedFields(live, object, manager, { taken: [], yielded: [] }) };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 422) throw error;
    return { action: 'blocked', reason: 'the object would be invalid without the fields of this stack', fields: [], error: explain(error) };
  }
}
