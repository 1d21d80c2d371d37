import type { Assembly, StackManifest } from '../../assembly/types.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { applyEntryOf } from '../../ownership/index.js';
import { addressOf } from '../addresses/address.js';
import type { Step } from '../graph/waves.js';
import type { InventoryStore, StackIdentity } from '../inventory/inventory-store.js';
import type { Run } from '../run/run.js';
import type { StackState } from '../run/stack-state.js';
import { type EntryRemoval, newOwnersOutside, type OtherStacksByEntry } from './other-stacks.js';
import { releaseTrackingAnnotation } from './release-ownership.js';

/**
 * Moves the lifecycle of an object to a new owner, once the previous owner has no field of it left: the new owner gets the right to delete
 * it, and the previous owner forgets it, so that its next deploy does not delete it. The new owner's inventory is written first; if a run
 * is killed between the two, both know the object, and the next adoption finishes it.
 *
 * @param newOwnerState the state of the new owner in this run, which writes its inventory afterwards, too.
 * @returns whether the right to delete moved with it: the previous owner may only have adopted the object.
 */
export async function transferLifecycle(
  store: InventoryStore,
  step: Step,
  previousOwner: StackIdentity,
  newOwner: StackIdentity,
  newOwnerState?: StackState,
): Promise<boolean> {
  const [previousInventory, newOwnerInventory] = await Promise.all([store.readStack(previousOwner), store.readStack(newOwner)]);
  const previousEntry = previousInventory.entries.get(step.key);
  const newOwnerEntry = newOwnerInventory.entries.get(step.key);
  if (previousEntry === undefined || newOwnerEntry === undefined || previousEntry.uid !== newOwnerEntry.uid) return false;
  if (previousEntry.lifecycle === 'own' && newOwnerEntry.lifecycle !== 'own') return false; // the previous owner keeps it
  if (previousEntry.lifecycle === 'own' && previousEntry.deletable && !newOwnerEntry.deletable) {
    if (newOwnerState) await newOwnerState.writeDeletable(step.key);
    else await store.write(newOwnerInventory, new Map(newOwnerInventory.entries).set(step.key, { ...newOwnerEntry, deletable: true }));
  }
  const others = new Map(previousInventory.entries);
  others.delete(step.key);
  await store.write(previousInventory, others);
  return previousEntry.lifecycle === 'own' && previousEntry.deletable;
}

/**
 * Gives the right to delete to new owners in the run, for objects that the previous owner created and no longer declares. Called before
 * inventories are written, so that no run that is killed in between leaves an object that no stack may delete.
 *
 * @param created returns the uid of an object that managers created and that an inventory has not recorded yet.
 */
export function transferLifecycles(
  entryRemovals: readonly EntryRemoval[],
  otherStacks: OtherStacksByEntry,
  states: readonly StackState[],
  created: (part: EntryRemoval, step: Step) => string | undefined,
): void {
  for (const part of entryRemovals) {
    const newOwner = otherStacks.get(part.entry)?.newOwner;
    const newOwnerState = newOwner && states.find(({ stack }) => stack.manager === newOwner.stack.manager);
    const newOwnerEntry = newOwnerState?.entries.get(part.key);
    if (newOwnerEntry === undefined || newOwnerEntry.deletable || !newOwnerState?.succeededKeys.has(part.key)) continue;
    const { entry } = part;
    const step = newOwnerState.steps.find(({ key }) => key === part.key) as Step;
    const uid = entry.uid === undefined ? created(part, step) : entry.deletable ? entry.uid : undefined;
    if (uid !== undefined && uid === newOwnerEntry.uid) newOwnerState.entries.set(part.key, { ...newOwnerEntry, deletable: true });
  }
}

/**
 * Gives the right to delete to new owners that the run leaves out, in their inventories, before the previous owners forget the objects.
 *
 * @param storeOf returns the store of a session that holds the lock of a new owner.
 */
export async function transferLifecyclesOutside(
  storeOf: (newOwner: StackIdentity) => InventoryStore,
  entryRemovals: readonly EntryRemoval[],
  otherStacks: OtherStacksByEntry,
): Promise<void> {
  for (const stack of newOwnersOutside(otherStacks)) {
    const store = storeOf(stack);
    const inventory = await store.readStack(stack);
    const entries = new Map(inventory.entries);
    for (const { entry, key } of entryRemovals) {
      if (!entry.deletable || otherStacks.get(entry)?.newOwner?.stack.manager !== stack.manager) continue;
      const newOwnerEntry = entries.get(key);
      if (newOwnerEntry?.lifecycle === 'own' && newOwnerEntry.uid === entry.uid && !newOwnerEntry.deletable)
        entries.set(key, { ...newOwnerEntry, deletable: true });
    }
    await store.write(inventory, entries);
  }
}

/** The parameters of `transferLifecyclesFromOutside`. */
export interface LifecycleTransferContext {
  readonly cluster: ClusterClient;
  readonly store: InventoryStore;
  readonly assembly: Assembly;
  /** Stacks of other apps and instances that are previous owners. */
  readonly foreignPreviousOwners: readonly StackIdentity[];
  readonly states: readonly StackState[];
  readonly steps: readonly Step[];
  readonly run: Run;
}

/**
 * Moves the lifecycle of objects that intents take over (`transferFrom`) from previous owners that the run leaves out: once these have
 * nothing left of an object, their inventory forgets it. Called when the run's own inventories are written.
 */
export async function transferLifecyclesFromOutside(context: LifecycleTransferContext): Promise<void> {
  const { assembly, foreignPreviousOwners, states, steps, run } = context;
  const { app, instance, stacks } = assembly.manifest;
  const identityOf = ({ name, manager }: StackManifest): StackIdentity => ({ app, instance, stack: name, manager });
  const previousOwners = [...stacks.map(identityOf), ...foreignPreviousOwners];
  if (run.stopped !== undefined) return;
  try {
    for (const step of steps) {
      const previousOwner = previousOwners.find(
        ({ manager }) => manager === step.intent.policy.transferFrom?.from && manager !== step.stack.manager,
      );
      const newOwnerState = states.find(({ stack }) => stack === step.stack);
      if (previousOwner === undefined || step.intent.lifecycle !== 'own' || !newOwnerState?.succeededKeys.has(step.key)) continue;
      if (!states.some(({ stack }) => stack.manager === previousOwner.manager))
        await transferLifecycleIfReleased(context, step, previousOwner, newOwnerState);
    }
  } catch (error) {
    run.fail(error);
  }
}

async function transferLifecycleIfReleased(
  { cluster, store }: LifecycleTransferContext,
  step: Step,
  previousOwner: StackIdentity,
  newOwner: StackState,
): Promise<void> {
  const found = await cluster.tryGet(await addressOf(cluster, step.intent));
  const live = await releaseTrackingAnnotation(cluster, step, previousOwner.manager, found);
  if (live !== undefined && applyEntryOf(live, previousOwner.manager) === undefined)
    await transferLifecycle(store, step, previousOwner, newOwner.identities.stack, newOwner);
}
