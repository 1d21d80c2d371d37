import { finalizersOf, isTerminating, metadataOf, rawConditionsOf } from '../../fields/object.js';
import { type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import type { Clock } from '../storage/clock.js';
import { timestamp } from '../storage/clock.js';

/** Keeps a definition until its objects are gone. Source: Kubernetes API reference, CustomResourceDefinition; observed. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

const terminating = (status: Condition['status'], reason: string, message: string): Condition => ({
  type: 'Terminating',
  status,
  reason,
  message,
});

/** How far the deletion of a definition is. Source: observed. */
export const deletionStates = {
  pending: terminating(
    'True',
    'InstanceDeletionPending',
    'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  ),
  inProgress: terminating('True', 'InstanceDeletionInProgress', 'CustomResource deletion is in progress'),
  completed: terminating('False', 'InstanceDeletionCompleted', 'removed all instances'),
  neverEstablished: terminating('False', 'NeverEstablished', 'resource was never established'),
  overlapping: terminating('False', 'OverlappingBuiltInResource', 'instances overlap with built-in resources in storage'),
} as const;

/** Marks a definition as one that is being deleted. Its generation stays. */
export function markedForDeletion(clock: Clock, crd: JsonObject): JsonObject {
  const finalizers = finalizersOf(crd);
  const kept = finalizers.includes(cleanupFinalizer) ? finalizers : [...finalizers, cleanupFinalizer];
  const metadata = { ...metadataOf(crd), deletionTimestamp: timestamp(clock), finalizers: kept as Json };
  return withCondition(clock, { ...crd, metadata }, deletionStates.pending);
}

export function withCondition(clock: Clock, crd: JsonObject, condition: Condition): JsonObject {
  const conditions = rawConditionsOf(crd) as readonly JsonObject[];
  const before = conditions.find(({ type }) => type === condition.type);
  const { type, ...rest } = condition;
  const now = timestamp(clock);
  const changed = { ...rest, type, lastTransitionTime: before?.status === condition.status ? (before.lastTransitionTime ?? now) : now };
  const all = before === undefined ? [...conditions, changed] : conditions.map((each) => (each === before ? changed : each));
  return { ...crd, status: { ...(crd.status as JsonObject), conditions: all as Json } };
}

/** Returns true for a definition whose objects are to be deleted. */
export function awaitsCleanup(crd: JsonObject): boolean {
  return isTerminating(crd) && finalizersOf(crd).includes(cleanupFinalizer);
}

/** Returns true if watches of a definition's objects end with a change of it. Source: observed. */
export function endsWatches(before: JsonObject, after: JsonObject): boolean {
  const namesOf = ({ status }: JsonObject) => (status as JsonObject | undefined)?.acceptedNames as Json;
  return !jsonEqual(before.spec as Json, after.spec as Json) || !jsonEqual(namesOf(before) ?? null, namesOf(after) ?? null);
}
