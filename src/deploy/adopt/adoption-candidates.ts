import { objectText } from '../../assembly/identity.js';
import { addressOf } from '../../engine/addresses/address.js';
import type { Step } from '../../engine/graph/waves.js';
import { requireWhole } from '../../engine/inventory/inventory-store.js';
import { untoldWarning } from '../../engine/inventory/untold-changes.js';
import { freshFromApplied } from '../../engine/object/fresh-object.js';
import { type OtherPruner, otherPrunersOf } from '../../engine/pruners/other-pruners.js';
import type { RunDiagnostic } from '../../engine/report/run-diagnostic.js';
import { forEachConcurrent } from '../../engine/run/for-each-concurrent.js';
import { defaultConcurrency, type RunOptions } from '../../engine/run/options.js';
import type { Session } from '../../engine/run/session.js';
import { lastAppliedWarning } from '../../engine/transfer/last-applied-diagnostic.js';
import {
  isTransfer,
  type OwnershipTransfers,
  ownershipTransfers,
  type TransferRecipient,
} from '../../engine/transfer/ownership-transfers.js';
import type { FieldSet } from '../../fields/index.js';
import { metadataOf, uidOf } from '../../fields/object.js';
import type { ClusterClient, ObjectAddress } from '../../kubernetes/index.js';
import { type EntryIdentity, entriesWithout, isBeforeFirstApply, recordedFieldsOf } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import { deletionCoOwners } from './record-deletable.js';

/** An object that a stack has deployed, with the fields that others can give up to the stack. */
export interface AdoptionCandidate {
  readonly step: Step;
  readonly address: ObjectAddress;
  readonly uid: string;
  readonly recipient: TransferRecipient;
  readonly isAdoptable: (entry: EntryIdentity) => boolean;
  readonly transfers: OwnershipTransfers;
  /** True if the stack can get the right to delete the object: nobody else applies fields to it or prunes it. */
  readonly canTransferLifecycle: boolean;
}

/** The objects of the selected stacks, as an adoption finds them. */
export interface AdoptionCandidates {
  /** The objects with something to adopt. */
  readonly found: readonly AdoptionCandidate[];
  /** Objects that the stack has not deployed yet. */
  readonly notDeployed: readonly Step[];
  /** Objects that are only released when they are no longer declared, because others apply fields to them. */
  readonly retained: readonly { readonly object: string; readonly by: readonly string[] }[];
  /** Of each object whose last-applied annotation stays as it is, and has fields of the stack; and what an earlier run has not reported. */
  readonly warnings: readonly RunDiagnostic[];
  /** The metadata of the deployed objects as they were read. */
  readonly live: ReadonlyMap<Step, JsonObject>;
}

/** An object of a stack that another tool deletes, too, once its files no longer contain the object. */
export interface PrunedElsewhere extends OtherPruner {
  readonly object: string;
}

/** An object as an adoption sees it. */
export interface AdoptableObject {
  /** The object as it is when its fields are transferred. */
  readonly live: JsonObject;
  /** Returns true for entries to adopt from. */
  readonly isAdoptable: (entry: EntryIdentity) => boolean;
  /** Fields that the object loses before. */
  readonly removed?: FieldSet;
}

/**
 * Reads the objects of steps, and finds the fields that others can give up to their stacks.
 *
 * @param adoptableOf returns a live object as the adoption sees it.
 * @param select returns the fields of a set that are to be transferred; all by default.
 */
export async function findCandidates(
  session: Session,
  steps: readonly Step[],
  options: Pick<RunOptions, 'inventoryNamespace' | 'concurrency'>,
  adoptableOf: (live: JsonObject) => AdoptableObject,
  select?: TransferRecipient['select'],
): Promise<AdoptionCandidates> {
  const all = await session.inventories.read();
  const inventories = new Map(all.map((inventory) => [inventory.stack.manager, inventory]));
  const found = new Map<Step, AdoptionCandidate>();
  const objects = new Map<Step, JsonObject>();
  const keepers = new Map<Step, readonly string[]>();
  const inLastApplied = new Map<Step, RunDiagnostic>();
  const untold = untoldWarning(steps.map(({ stack, key }) => inventories.get(stack.manager)?.entries.get(key)));
  await forEachConcurrent(steps, options.concurrency ?? defaultConcurrency, async (step) => {
    const inventory = inventories.get(step.stack.manager);
    const known = inventory && requireWhole(inventory).entries.get(step.key);
    if (known?.uid === undefined) return;
    const address = await addressOf(session.cluster, step.intent);
    const live = await session.cluster.tryGet(address);
    if (live === undefined || uidOf(live) !== known.uid) return;
    objects.set(step, { metadata: live.metadata as JsonObject });
    const { manager } = step.stack;
    const { live: seen, isAdoptable, removed } = adoptableOf(live);
    const fresh = await freshObjectIfNeeded(session.cluster, address, live, manager);
    const recipient = { manager, intent: step.object, fresh, removed, ...(select ? { select } : {}) };
    const transfers = ownershipTransfers(seen, recipient, isAdoptable);
    const warning = transfers.annotation === undefined ? lastAppliedWarning(step, seen) : undefined;
    if (warning !== undefined) inLastApplied.set(step, warning);
    const keptBy = deletionCoOwners(step, known, withoutTransferred(seen, transfers));
    if (keptBy !== undefined && keptBy.length > 0) keepers.set(step, keptBy);
    const canTransferLifecycle = keptBy?.length === 0 && otherPrunersOf(seen).length === 0; // Two tools must never delete one object.
    if (isTransfer(transfers) || canTransferLifecycle)
      found.set(step, { step, address, uid: known.uid, recipient, isAdoptable, transfers, canTransferLifecycle });
  });
  return {
    found: steps.flatMap((step) => found.get(step) ?? []),
    notDeployed: steps.filter((step) => !objects.has(step)),
    retained: steps.flatMap((step) => {
      const by = keepers.get(step);
      return by === undefined ? [] : [{ object: objectText(step.intent), by }];
    }),
    warnings: [...steps.flatMap((step) => inLastApplied.get(step) ?? []), ...(untold ? [untold] : [])],
    live: objects,
  };
}

/** Returns the other tools that prune objects which the stacks own. */
export function prunedElsewhere({ live }: AdoptionCandidates): readonly PrunedElsewhere[] {
  return [...live]
    .filter(([{ intent }]) => intent.lifecycle === 'own')
    .flatMap(([step, object]) => otherPrunersOf(object).map((pruner) => ({ object: objectText(step.intent), ...pruner })));
}

/** Returns an object with the owners that it has after transfers. */
function withoutTransferred(live: JsonObject, { transfers }: OwnershipTransfers): JsonObject {
  return { ...live, metadata: { ...metadataOf(live), managedFields: entriesWithout(live, transfers) } as JsonObject };
}

/** Reads the fresh object, which is needed only if `before-first-apply` owns fields of the live one. */
async function freshObjectIfNeeded(
  cluster: ClusterClient,
  address: ObjectAddress,
  live: JsonObject,
  manager: string,
): Promise<JsonObject | undefined> {
  return recordedFieldsOf(live).some(isBeforeFirstApply) ? freshFromApplied(cluster, address, live, manager) : undefined;
}
