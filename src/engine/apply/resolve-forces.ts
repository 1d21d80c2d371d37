import { resolvePath, valueOrItemsAt } from '../../fields/index.js';
import { type ClusterClient, isForbidden } from '../../kubernetes/index.js';
import { type ForcedPass, outcomeOfPass } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import type { OldValue } from '../history/old-values.js';
import type { InventoryEntry } from '../inventory/inventory-entry.js';
import type { StackIdentity } from '../inventory/inventory-store.js';
import type { PendingForce } from '../inventory/pending-force.js';
import { isOfOneObject } from '../report/error-scope.js';
import type { ForcedField } from '../report/forced-field.js';
import { forEachConcurrent } from '../run/for-each-concurrent.js';
import type { Run } from '../run/run.js';
import { maskField } from '../secrets/secret-masker.js';
import { addressInAnyVersion } from '../target/removed-versions.js';

/** A stack in whose inventory earlier runs have noted passes that were about to take fields by force. */
export interface NotedStack {
  readonly stack: StackIdentity;
  /** Its identities before renames. */
  readonly formerIdentities: readonly StackIdentity[];
  readonly entries: ReadonlyMap<string, InventoryEntry>;
  /** By identity key. */
  readonly pendingForces: ReadonlyMap<string, readonly PendingForce[]>;
}

/** The places of a run that resolves notes. */
export interface ResolveContext {
  /** For the objects. */
  readonly cluster: ClusterClient;
  /** For the histories. */
  readonly records: ClusterClient;
  readonly inventoryNamespace: string | undefined;
  readonly concurrency: number;
}

/**
 * Finds out what became of the passes that earlier runs have noted and not reported, by reading each object once, before this run writes to it.
 * The report of the object says it. An object that cannot be read now stays noted; one that may not be read is reported as perhaps forced.
 */
export async function resolveForces(context: ResolveContext, stacks: readonly NotedStack[], run: Run): Promise<void> {
  const work = stacks.flatMap((noted) => [...noted.pendingForces].map(([key, passes]) => ({ noted, key, passes })));
  if (work.length === 0) return;
  const valuesOf = new Map(await Promise.all(stacks.map(async (noted) => [noted, await readOldValues(context, noted)] as const)));
  await forEachConcurrent(work, context.concurrency, async ({ noted, key, passes }) => {
    const { stack, formerIdentities, entries } = noted;
    const live = await readNoted(context.cluster, entries.get(key) as InventoryEntry);
    if (live === 'unreadable') return;
    const managers = [stack.manager, ...formerIdentities.map(({ manager }) => manager)];
    const fields = passes.flatMap((pass) => resolvedFields(pass, live, managers, valuesOf.get(noted) ?? []));
    run.expectEarlier(stack.manager, key, { uid: passes.at(-1)?.uid, fields });
  });
}

async function readNoted(cluster: ClusterClient, entry: InventoryEntry): Promise<JsonObject | undefined | 'unreadable'> {
  try {
    const address = await addressInAnyVersion(cluster, entry);
    return address && (await cluster.tryGet(address));
  } catch (error) {
    if (isForbidden(error)) return undefined;
    if (isOfOneObject(error)) return 'unreadable';
    throw error;
  }
}

/** Returns the fields that a pass has taken, or has perhaps taken. */
function resolvedFields(
  pass: PendingForce,
  live: JsonObject | undefined,
  managers: readonly string[],
  values: readonly OldValue[],
): readonly ForcedField[] {
  const known: ForcedPass = {
    ...pass,
    fields: pass.fields.map((field) => {
      const old = values.find((one) => one.uid === pass.uid && isSameField(one, field));
      return old === undefined ? field : { ...field, oldValue: old.value };
    }),
  };
  const outcome = outcomeOfPass(known, live, managers);
  if (outcome === 'refused') return [];
  return known.fields.map(({ owned: _, oldValue, ...field }) => {
    const path = live && resolvePath(field.field, live);
    const newValue = path && outcome === 'applied' ? valueOrItemsAt(live as JsonObject, path) : undefined;
    // Without the old one, the new value would look like that of a field that did not exist.
    const both = oldValue === undefined ? {} : { oldValue, ...(newValue === undefined ? {} : { newValue }) };
    const forced: ForcedField = { ...field, ...both, ...(outcome === 'unknown' ? { perhaps: true } : {}), earlier: true };
    return live === undefined ? forced : maskField(forced, live);
  });
}

function isSameField(one: Pick<OldValue, 'field' | 'from' | 'operation' | 'subresource'>, other: typeof one): boolean {
  return (['field', 'from', 'operation', 'subresource'] as const).every((name) => one[name] === other[name]);
}

async function readOldValues(context: ResolveContext, noted: NotedStack): Promise<readonly OldValue[]> {
  const slots = slotsIn(noted.pendingForces);
  if (slots.size === 0) return [];
  const stores = await oldValuesOf(context, noted);
  const read = await Promise.all(stores.flatMap((store) => [...slots].map((slot) => store.read(slot))));
  return read.flat();
}

/** Removes the old values that nothing refers to any more. */
export async function removeOldValues(
  context: Pick<ResolveContext, 'records' | 'inventoryNamespace'>,
  stack: Pick<NotedStack, 'stack' | 'formerIdentities'>,
  slots: ReadonlySet<number>,
): Promise<void> {
  if (slots.size === 0) return;
  for (const store of await oldValuesOf(context, stack)) for (const slot of slots) await store.remove(slot);
}

/** Returns the numbers of the Secrets that noted passes refer to. */
export function slotsIn(pendingForces: ReadonlyMap<string, readonly PendingForce[]>): ReadonlySet<number> {
  return new Set([...pendingForces.values()].flat().flatMap(({ values }) => (values === undefined ? [] : [values])));
}

/** Loaded lazily: few runs have anything to resolve. */
async function oldValuesOf(
  { records, inventoryNamespace }: Pick<ResolveContext, 'records' | 'inventoryNamespace'>,
  { stack, formerIdentities }: Pick<NotedStack, 'stack' | 'formerIdentities'>,
) {
  const { OldValues } = await import('../history/old-values.js');
  return [stack, ...formerIdentities].map((identity) => new OldValues(records, inventoryNamespace, identity));
}
