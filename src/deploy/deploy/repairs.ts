import { type ObjectIdentity, objectText } from '../../assembly/identity.js';
import { addressIfServed } from '../../engine/addresses/address.js';
import { RemovedVersions } from '../../engine/addresses/removed-versions.js';
import type { Step } from '../../engine/graph/waves.js';
import type { LiveBefore } from '../../engine/live/live-before.js';
import { entryText } from '../../engine/object/rewrite-removed-versions.js';
import { type ClearedObject, clearedObjectOf } from '../../engine/repairs/cleared-objects.js';
import type { Question } from '../../engine/report/question.js';
import { forEachConcurrent } from '../../engine/run/for-each-concurrent.js';
import type { StackState } from '../../engine/run/stack-state.js';
import type { DeployersOf } from '../../engine/transfer/deployers.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { entriesOfVersions } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import { forcedUnionMembers } from './forced-union-members.js';
import type { StaleRemovals } from './stale-removals.js';

/** The defects in the recorded owners of objects that the run is about to apply to, found before its first question. */
export interface Repairs {
  readonly removedVersions: RemovedVersions;
  /** Entries in versions that the kind no longer has: the server rejects every apply until they are rewritten. */
  readonly removedVersionEntries: ReadonlyMap<Step, readonly string[]>;
  /** Objects whose managedFields another client wiped. */
  readonly cleared: ReadonlyMap<Step, ClearedObject>;
  /** Values of others that an apply removes because they are union members that exclude declared ones; see `removedMemberText`. */
  readonly forcedUnionMembers: ReadonlyMap<Step, ReadonlySet<string>>;
}

/** Finds repairs in the objects that the run has read already. */
export async function findRepairs(
  cluster: ClusterClient,
  live: LiveBefore,
  states: readonly StackState[],
  deployersOf: DeployersOf,
  concurrency: number,
): Promise<Repairs> {
  const removed = new RemovedVersions(cluster);
  const stale = new Map<Step, readonly string[]>();
  const cleared = new Map<Step, ClearedObject>();
  const unions = new Map<Step, ReadonlySet<string>>();
  const candidates = states.flatMap(({ before, steps }) =>
    steps.filter((step) => live.has(step)).map((step) => ({ step, known: before.entries.get(step.key) })),
  );
  await forEachConcurrent(candidates, concurrency, async ({ step, known }) => {
    const object = live.get(step);
    const address = object && (await addressIfServed(cluster, step.intent));
    if (!object || !address) return;
    const entries = entriesOfVersions(object, await removed.removedFrom(object, address));
    if (entries.length > 0) stale.set(step, entries.map(entryText));
    const found = deployersOf(step, known).flatMap((deployer) => clearedObjectOf(deployer, step, object) ?? []);
    if (found[0]) cleared.set(step, found[0]);
    if (step.intent.policy.strategy === 'dynamic') return; // Only a merge by the server removes union members.
    const forcedMembers = entries.length > 0 ? [] : await forcedUnionMembers(cluster, step, address, object as JsonObject);
    if (forcedMembers.length > 0) unions.set(step, new Set(forcedMembers));
  });
  return { removedVersions: removed, removedVersionEntries: stale, cleared, forcedUnionMembers: unions };
}

/** Returns the questions about objects that the run could not apply to, or whose apply removes values of others. */
export function repairQuestions(
  { removedVersionEntries, forcedUnionMembers }: Repairs,
  staleRemovals: StaleRemovals,
): readonly (Question | undefined)[] {
  return [
    staleQuestion(staleRemovals, removedVersionEntries),
    questionOf(
      [...forcedUnionMembers].map(([{ intent }, facts]) => [intent, [...facts]]),
      'the server accepts these intents only without fields that others have set, and these fields would be removed',
    ),
  ];
}

/** Returns the question about entries in removed versions, without whose rewriting the run cannot change the objects. */
export function staleQuestion({ found }: StaleRemovals, applied: Repairs['removedVersionEntries'] = new Map()): Question | undefined {
  return questionOf(
    [...[...applied].map(([{ intent }, facts]) => [intent, facts] as const), ...found],
    'managedFields of these objects names API versions that their kind no longer has, and the server refuses every apply until these entries are rewritten to the version that is served',
  );
}

function questionOf(found: readonly (readonly [ObjectIdentity, readonly string[]])[], text: string): Question | undefined {
  const objects = new Set(found.flatMap(([object, facts]) => facts.map((fact) => `${objectText(object)} ${fact}`)));
  return objects.size === 0 ? undefined : { text, objects: [...objects], answeredByPruneSetting: false };
}
