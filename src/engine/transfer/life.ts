import type { Assembly, StackManifest } from '../../assembly/types.js';
import type { Cluster } from '../../kubernetes/index.js';
import { applyEntryOf } from '../../ownership/index.js';
import type { Step } from '../graph/waves.js';
import type { StackState } from '../inventory/stack-state.js';
import type { InventoryStore, StackIdentity } from '../inventory/store.js';
import type { Run } from '../run/run.js';
import { addressOf } from '../target/address.js';
import { type EndingPart, heirsOutside, type Successions } from './succession.js';
import { releaseMark } from './transfer.js';

/**
 * Moves the answer for an object's life to a receiver that owns it, once the giver has no field of it left: what the giver would have deleted
 * the receiver deletes, and the giver forgets it, so that its next deploy does not. The receiver's inventory is written first; a run that
 * is killed between the two leaves an object that both know, and the next handoff finishes it.
 *
 * @returns whether the right to delete moved with it: the giver may only have adopted the object.
 */
export async function moveLife(store: InventoryStore, step: Step, giver: StackIdentity, receiver: StackIdentity): Promise<boolean> {
  const [theirs, ours] = await Promise.all([store.readStack(giver), store.readStack(receiver)]);
  const left = theirs.entries.get(step.key);
  const taken = ours.entries.get(step.key);
  if (left === undefined || taken === undefined || left.uid !== taken.uid) return false;
  if (left.lifecycle === 'own' && taken.lifecycle !== 'own') return false; // it stays the giver's
  if (left.lifecycle === 'own' && left.deletable && !taken.deletable) {
    await store.write(ours, new Map(ours.entries).set(step.key, { ...taken, deletable: true }));
  }
  const others = new Map(theirs.entries);
  others.delete(step.key);
  await store.write(theirs, others);
  return left.lifecycle === 'own' && left.deletable;
}

/**
 * Gives the right to delete to heirs in the run: what a giver created, and declares no more, is theirs to delete. Before inventories are
 * written, so that no run that is killed in between leaves an object that no stack may delete.
 *
 * @param created tells whether managers created an object that an inventory has not noted yet.
 */
export function takeLives(
  parts: readonly EndingPart[],
  successions: Successions,
  states: readonly StackState[],
  created: (part: EndingPart, step: Step) => string | undefined,
): void {
  for (const part of parts) {
    const heir = successions.get(part.entry)?.heir;
    const ours = heir && states.find(({ stack }) => stack.manager === heir.stack.manager);
    const taken = ours?.entries.get(part.key);
    if (taken === undefined || taken.deletable || !ours?.settled.has(part.key)) continue;
    const { entry } = part;
    const step = ours.steps.find(({ key }) => key === part.key) as Step;
    const uid = entry.uid === undefined ? created(part, step) : entry.deletable ? entry.uid : undefined;
    if (uid !== undefined && uid === taken.uid) ours.entries.set(part.key, { ...taken, deletable: true });
  }
}

/**
 * Gives the right to delete to heirs that the run leaves out, in their inventories, before the givers forget the objects.
 *
 * @param store through which the run holds the locks of the heirs.
 */
export async function bequeath(store: InventoryStore, parts: readonly EndingPart[], successions: Successions): Promise<void> {
  for (const stack of heirsOutside(successions)) {
    const inventory = await store.readStack(stack);
    const entries = new Map(inventory.entries);
    for (const { entry, key } of parts) {
      if (!entry.deletable || successions.get(entry)?.heir?.stack.manager !== stack.manager) continue;
      const taken = entries.get(key);
      if (taken?.lifecycle === 'own' && taken.uid === entry.uid && !taken.deletable) entries.set(key, { ...taken, deletable: true });
    }
    await store.write(inventory, entries);
  }
}

/** What a run needs to end the part of givers outside. */
export interface Lives {
  readonly cluster: Cluster;
  readonly store: InventoryStore;
  readonly assembly: Assembly;
  /** Stacks of other apps and instances that give. */
  readonly foreignGivers: readonly StackIdentity[];
  readonly states: readonly StackState[];
  readonly steps: readonly Step[];
  readonly run: Run;
}

/**
 * Moves the answer for the life of objects that intents take over (`takesOver`) from givers that the run leaves out: once they have nothing
 * left of an object their inventory forgets it. To be called when the run's own inventories are written.
 */
export async function moveLivesOutside(lives: Lives): Promise<void> {
  const { assembly, foreignGivers, states, steps, run } = lives;
  const { app, instance, stacks } = assembly.manifest;
  const identityOf = ({ name, manager }: StackManifest): StackIdentity => ({ app, instance, stack: name, manager });
  const givers = [...stacks.map(identityOf), ...foreignGivers];
  if (run.stopped !== undefined) return;
  try {
    for (const step of steps) {
      const giver = givers.find(({ manager }) => manager === step.intent.policy.transferFrom?.from && manager !== step.stack.manager);
      const ours = states.find(({ stack }) => stack === step.stack);
      if (giver === undefined || step.intent.lifecycle !== 'own' || !ours?.settled.has(step.key)) continue;
      if (!states.some(({ stack }) => stack.manager === giver.manager)) await moveIfLeft(lives, step, giver, identityOf(step.stack));
    }
  } catch (error) {
    run.fail(error);
  }
}

async function moveIfLeft({ cluster, store }: Lives, step: Step, giver: StackIdentity, receiver: StackIdentity): Promise<void> {
  const found = await cluster.find(await addressOf(cluster, step.intent));
  const live = await releaseMark(cluster, step, giver.manager, found);
  if (live !== undefined && applyEntryOf(live, giver.manager) === undefined) await moveLife(store, step, giver, receiver);
}
