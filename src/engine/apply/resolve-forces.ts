import { resolvePath, valueOrItemsAt } from '../../fields/index.js';
import { type ClusterClient, isForbidden } from '../../kubernetes/index.js';
import { type ForcedPass, outcomeOfLoss, outcomeOfPass, ownersAt, type PassField, type PassLoss } from '../../ownership/index.js';
import type { Json, JsonObject } from '../../util/json.js';
import { addressInAnyVersion } from '../addresses/removed-versions.js';
import type { OldValue } from '../history/old-values.js';
import type { InventoryEntry } from '../inventory/inventory-entry.js';
import type { StackIdentity } from '../inventory/inventory-store.js';
import type { PendingForce } from '../inventory/pending-force.js';
import { isOfOneObject } from '../report/error-scope.js';
import type { ForcedField } from '../report/forced-field.js';
import type { ReleasedField } from '../report/released-field.js';
import { forEachConcurrent } from '../run/for-each-concurrent.js';
import type { Run } from '../run/run.js';
import { maskField } from '../secrets/secret-masker.js';

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
    const known = passes.map((pass) => withOldValues(pass, valuesOf.get(noted) ?? []));
    const forcedConflicts = known.flatMap((pass) => resolvedFields(pass, live, managers));
    const losses = known.flatMap((pass) => resolvedLosses(pass, live, managers));
    run.expectEarlier(stack.manager, key, { uid: passes.at(-1)?.uid, forcedConflicts, ...changesIn(losses, live, managers) });
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

function withOldValues(pass: PendingForce, values: readonly OldValue[]): ForcedPass {
  const withOld = <Field extends Omit<PassField, 'oldValue'>>(field: Field): Field & Pick<PassField, 'oldValue'> => {
    const old = values.find((one) => one.uid === pass.uid && isSameField(one, field));
    return old === undefined ? field : { ...field, oldValue: old.value };
  };
  const { losses } = pass;
  return { ...pass, fields: pass.fields.map(withOld), ...(losses === undefined ? {} : { losses: losses.map(withOld) }) };
}

/** Returns the fields that a pass has taken, or has perhaps taken. */
function resolvedFields(pass: ForcedPass, live: JsonObject | undefined, managers: readonly string[]): readonly ForcedField[] {
  const outcome = outcomeOfPass(pass, live, managers);
  if (outcome === 'refused') return [];
  return pass.fields.map(({ owned: _, oldValue, ...field }) => {
    const newValue = outcome === 'applied' ? valueIn(live, field.field) : undefined;
    // Without the old one, the new value would look like that of a field that did not exist.
    const both = oldValue === undefined ? {} : { oldValue, ...(newValue === undefined ? {} : { newValue }) };
    const forced: ForcedField = { ...field, ...both, ...(outcome === 'unknown' ? { perhaps: true } : {}), earlier: true };
    return live === undefined ? forced : maskField(forced, live);
  });
}

/** A value that a pass has changed or removed, or perhaps. */
interface ResolvedLoss {
  readonly loss: PassLoss;
  readonly perhaps: boolean;
}

function resolvedLosses(pass: ForcedPass, live: JsonObject | undefined, managers: readonly string[]): readonly ResolvedLoss[] {
  return (pass.losses ?? []).flatMap((loss) => {
    const outcome = outcomeOfLoss(loss, pass, live, managers);
    return outcome === 'refused' ? [] : [{ loss, perhaps: outcome === 'unknown' }];
  });
}

function changesIn(losses: readonly ResolvedLoss[], live: JsonObject | undefined, managers: readonly string[]) {
  const of = (change: PassLoss['change']) => losses.filter(({ loss }) => loss.change === change);
  const masked = <Field extends { readonly field: string }>(field: Field): Field => (live === undefined ? field : maskField(field, live));
  return {
    released: of('released').map(({ loss, perhaps }) => masked(releasedOf(loss, perhaps, live, managers))),
    overwritten: of('overwritten').map(({ loss: { field, oldValue }, perhaps }) => {
      const newValue = valueIn(live, field);
      const values = { ...(oldValue === undefined ? {} : { oldValue }), ...(newValue === undefined ? {} : { newValue }) };
      return masked({ field, ...values, ...howSure(perhaps) });
    }),
    collateral: of('collateral').map(({ loss: { change: _, ...field }, perhaps }) => masked({ ...field, ...howSure(perhaps) })),
  };
}

function howSure(perhaps: boolean): { readonly perhaps?: true; readonly earlier: true } {
  return { ...(perhaps ? { perhaps: true } : {}), earlier: true };
}

/** Returns what became of a released field, by the object as it is now. */
function releasedOf(
  { field, oldValue }: PassLoss,
  perhaps: boolean,
  live: JsonObject | undefined,
  managers: readonly string[],
): ReleasedField {
  const known = { field, ...(oldValue === undefined ? {} : { oldValue }), earlier: true as const };
  const newValue = valueIn(live, field);
  if (live === undefined || perhaps) return { ...known, change: 'perhaps' };
  if (newValue === undefined) return { ...known, change: 'removed' };
  const owners = ownersAt(live, field).flatMap(({ manager, operation, subresource }) =>
    managers.includes(manager) ? [] : [{ manager, operation, ...(subresource === '' ? {} : { subresource }) }],
  );
  return owners.length > 0 ? { ...known, change: 'kept', newValue, owners } : { ...known, change: 'defaulted', newValue };
}

function valueIn(live: JsonObject | undefined, field: string): Json | undefined {
  const path = live && resolvePath(field, live);
  return path && valueOrItemsAt(live as JsonObject, path);
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
