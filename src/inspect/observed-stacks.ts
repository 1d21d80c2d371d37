import { type ObjectIdentity, objectText } from '../assembly/identity.js';
import { HistoryStore } from '../engine/history/history-store.js';
import type { Revision } from '../engine/history/revision.js';
import type { InventoryEntry } from '../engine/inventory/inventory-entry.js';
import { DeclaredFields } from '../engine/readiness/causes/declared-fields.js';
import { explain } from '../engine/report/explain.js';
import type { RunDiagnostic } from '../engine/report/run-diagnostic.js';
import { forEachConcurrent } from '../engine/run/for-each-concurrent.js';
import { defaultConcurrency } from '../engine/run/options.js';
import { SecretMasker } from '../engine/secrets/secret-masker.js';
import { uidOf } from '../fields/object.js';
import type { ClusterClient } from '../kubernetes/index.js';
import type { FieldwiseError } from '../util/error.js';
import { type ListedStack, readStacks, type StackWithInventory } from './list.js';
import { type ObservedObject, readObjects } from './owners/read-objects.js';
import { ReadinessLooks } from './status/readiness-looks.js';

/** A stack by its records and its live objects, without its program. */
export interface ObservedStack extends ListedStack {
  /** Its last recorded deploy; absent if none is recorded, or the history could not be read. */
  readonly last?: LastDeploy;
  /** The reason why its history could not be read. */
  readonly historyNotRead?: string;
  readonly health: StackHealth;
}

/** The last deploy of a stack, as its history records it. */
export type LastDeploy = Pick<Revision, 'revision' | 'at' | 'result' | 'by' | 'commit' | 'uncommittedChanges'>;

/** The health of the objects that a stack has applied. */
export interface StackHealth {
  /** `ready`: every object exists and is ready. `not-known`: nothing is known to be wrong, and not everything could be looked at. */
  readonly state: 'ready' | 'not-ready' | 'not-known';
  /** The number of objects that exist and are ready. */
  readonly ready: number;
  /** The number of objects that are absent, or not ready. */
  readonly notReady: number;
  /** The number of objects of which nothing shows whether they are ready. */
  readonly notKnown: number;
  /** The objects that are not ready, then those of which it is not known. */
  readonly problems: readonly ObjectProblem[];
}

/** An object that is not ready, or of which that is not known. */
export interface ObjectProblem extends ObjectIdentity {
  /** `Kind namespace/name`. */
  readonly object: string;
  readonly state: 'absent' | 'replaced' | 'in-progress' | 'failed' | 'terminating' | 'not-known';
  /** For a person, without a full stop; of a workload, the cause that its pods show. */
  readonly message: string;
}

/** The number of objects of a stack for whose pods causes are looked for: each look takes several requests. */
const maxCauses = 5;

/**
 * Observes the stacks in the cluster: their inventories, the last revision of each, and their live objects at the addresses in the inventories, those of
 * one kind by one LIST where they are many. Needs no program and writes nothing. Nothing is known of objects that may not be read.
 *
 * @param onDamaged receives the error `inventory-damaged` of each stack whose inventory is damaged.
 * @param onForeign receives a warning for each ConfigMap that has the label of an inventory and is ignored.
 */
export async function observeStacks(
  cluster: ClusterClient,
  inventoryNamespace?: string,
  onDamaged: (error: FieldwiseError) => void = () => undefined,
  onForeign?: (warning: RunDiagnostic) => void,
): Promise<readonly ObservedStack[]> {
  const stacks = await readStacks(cluster, inventoryNamespace, onDamaged, onForeign);
  const wanted = new Map<string, ObjectIdentity>(stacks.flatMap(({ inventory }) => [...inventory.entries]));
  const [found, histories] = await Promise.all([
    readObjects(cluster, wanted, defaultConcurrency),
    readHistories(cluster, inventoryNamespace, stacks),
  ]);
  const noProgram = { manifest: { stacks: [] }, objects: [] };
  const looks = new ReadinessLooks(cluster, { declared: new DeclaredFields(noProgram), secrets: new SecretMasker([]) });
  const observed: ObservedStack[] = [];
  await forEachConcurrent([...stacks.entries()], defaultConcurrency, async ([position, stack]) => {
    const health = await healthOf(stack, found, looks);
    observed[position] = { ...stack.listed, ...histories[position], health };
  });
  return observed;
}

type Recorded = Pick<ObservedStack, 'last' | 'historyNotRead'>;

/** Reads the last revision of each stack: one GET each. */
async function readHistories(
  cluster: ClusterClient,
  inventoryNamespace: string | undefined,
  stacks: readonly StackWithInventory[],
): Promise<readonly Recorded[]> {
  const histories: Recorded[] = [];
  await forEachConcurrent([...stacks.entries()], defaultConcurrency, async ([position, { inventory }]) => {
    histories[position] = await recordedOf(cluster, inventoryNamespace, inventory);
  });
  return histories;
}

async function recordedOf(
  cluster: ClusterClient,
  inventoryNamespace: string | undefined,
  { stack, history }: StackWithInventory['inventory'],
): Promise<Recorded> {
  try {
    const { revisions, unknown } = await new HistoryStore(cluster, inventoryNamespace, async () => history).read(stack);
    const last = revisions.at(-1);
    if (last === undefined) {
      const names = unknown.map(({ name }) => name).join(', ');
      return names === '' ? {} : { historyNotRead: `the inventory does not know the content of Secret ${names}` };
    }
    const { revision, at, result, by, commit, uncommittedChanges } = last;
    const source = { ...(commit === undefined ? {} : { commit }), ...(uncommittedChanges ? { uncommittedChanges } : {}) };
    return { last: { revision, at, result, ...(by === undefined ? {} : { by }), ...source } };
  } catch (error) {
    return { historyNotRead: explain(error).message };
  }
}

async function healthOf(
  { listed, inventory }: StackWithInventory,
  found: ReadonlyMap<string, ObservedObject>,
  looks: ReadinessLooks,
): Promise<StackHealth> {
  const problems: ObjectProblem[] = [];
  let ready = 0;
  let looked = 0;
  for (const [key, entry] of inventory.entries) {
    const observed = found.get(key) ?? {};
    const isLookedAt = looked < maxCauses;
    const problem = await problemOf(entry, observed, looks, isLookedAt);
    if (problem === undefined) ready += 1;
    else {
      if (observed.live !== undefined) looked += 1;
      problems.push(problem);
    }
  }
  const notKnown = problems.filter(({ state }) => state === 'not-known');
  const notReady = problems.filter(({ state }) => state !== 'not-known');
  const isWhole = listed.damaged === undefined && listed.laterVersion === undefined && notKnown.length === 0;
  const state = notReady.length > 0 ? 'not-ready' : isWhole ? 'ready' : 'not-known';
  return { state, ready, notReady: notReady.length, notKnown: notKnown.length, problems: [...notReady, ...notKnown] };
}

/** Returns undefined for an object that exists and is ready. */
async function problemOf(
  entry: InventoryEntry,
  { address, live, error }: ObservedObject,
  looks: ReadinessLooks,
  isLookedAt: boolean,
): Promise<ObjectProblem | undefined> {
  const { apiVersion, kind, namespace, name } = entry;
  const identity = { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }), name };
  const problem = (state: ObjectProblem['state'], message: string) => ({ ...identity, object: objectText(identity), state, message });
  if (error) return problem('not-known', error.message);
  const isPending = entry.uid === undefined;
  if (live === undefined) {
    if (address === undefined) return problem('absent', 'the server does not serve its kind');
    if (isPending) return problem('absent', 'it does not exist: its last apply was refused, or cut off');
    // Nothing but its declaration shows whether Kubernetes removed it after its end.
    return isJob(entry)
      ? problem('not-known', 'it does not exist; a Job may be removed after its end')
      : problem('absent', 'it does not exist');
  }
  if (isPending) return problem('not-known', 'no answer to its last apply is recorded; the next deploy completes it');
  if (uidOf(live) !== entry.uid) return problem('replaced', 'it was deleted and created again since the last deploy');
  const readiness = isLookedAt ? await looks.at(live, identity) : await looks.withoutCause(live);
  if (readiness.state === 'current') return undefined;
  return problem(readiness.state === 'unknown' ? 'not-known' : readiness.state, readiness.message);
}

function isJob({ apiVersion, kind, lifecycle }: InventoryEntry): boolean {
  return kind === 'Job' && apiVersion.startsWith('batch/') && lifecycle === 'own';
}
