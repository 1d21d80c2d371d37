import type { Assembly, StackManifest } from '../../assembly/types.js';
import type { Cluster } from '../../cluster/index.js';
import { applyEntryOf } from '../../ownership/index.js';
import { addressOf } from '../address.js';
import type { InventoryStore, StackIdentity } from '../inventory/store.js';
import type { Step } from '../order/waves.js';
import type { Run } from '../run.js';
import type { StackState } from '../stack-state.js';
import { releaseMark } from './transfer.js';

/**
 * Moves the answer for an object's life to a receiver that owns it, once the giver has no field of it left: what the giver would have deleted
 * the receiver deletes, and the giver forgets it, so that its next deploy does not. The receiver's inventory is written first; a run that
 * is killed between the two leaves an object that both know, and the next handoff finishes it.
 *
 * @returns whether the giver had owned the object.
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
  return left.lifecycle === 'own';
}

/** What a run needs to move lives. */
export interface Lives {
  readonly cluster: Cluster;
  readonly store: InventoryStore;
  readonly assembly: Assembly;
  readonly states: readonly StackState[];
  readonly steps: readonly Step[];
  readonly run: Run;
}

/**
 * Moves the answer for the life of objects that intents take over: of a giver in the same run that declares them no more its prune ends
 * the part; of one outside, once it has nothing left of them, its inventory forgets them.
 *
 * @returns does the second; to be called when the run's own inventories are written.
 */
export function moveLives(lives: Lives): () => Promise<void> {
  const { assembly, states, steps, run } = lives;
  const { app, instance, stacks } = assembly.manifest;
  const identityOf = ({ name, manager }: StackManifest): StackIdentity => ({ app, instance, stack: name, manager });
  const outside: (() => Promise<unknown>)[] = [];
  for (const step of steps) {
    const giver = stacks.find(({ manager }) => manager === step.intent.policy.takesOver?.from && manager !== step.stack.manager);
    const ours = states.find(({ stack }) => stack === step.stack);
    if (giver === undefined || step.intent.lifecycle !== 'own' || !ours?.settled.has(step.key)) continue;
    const theirs = states.find(({ stack }) => stack === giver);
    if (theirs !== undefined) takeLife(ours, theirs, step.key);
    else outside.push(() => moveIfLeft(lives, step, identityOf(giver), identityOf(step.stack)));
  }
  return async () => {
    if (run.stopped !== undefined) return;
    try {
      for (const move of outside) await move();
    } catch (error) {
      run.fail(error);
    }
  };
}

function takeLife(ours: StackState, theirs: StackState, key: string): void {
  const left = theirs.before.entries.get(key);
  const taken = ours.entries.get(key);
  if (taken === undefined || left?.lifecycle !== 'own' || left.uid !== taken.uid || theirs.steps.some((step) => step.key === key)) return;
  ours.entries.set(key, { ...taken, deletable: taken.deletable || left.deletable });
}

async function moveIfLeft({ cluster, store }: Lives, step: Step, giver: StackIdentity, receiver: StackIdentity): Promise<void> {
  const found = await cluster.find(await addressOf(cluster, step.intent));
  const live = await releaseMark(cluster, step, giver.manager, found);
  if (live !== undefined && applyEntryOf(live, giver.manager) === undefined) await moveLife(store, step, giver, receiver);
}
