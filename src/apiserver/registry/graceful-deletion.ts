import { finalizersOf, isTerminating, metadataOf } from '../../fields/object.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { type Clock, timestamp } from '../storage/clock.js';
import type { DeleteOptions } from './delete-options.js';
import type { Resource } from './resource.js';
import { storeName } from './resource.js';

/** Kinds whose dependents stay if a request does not say what becomes of them. Source: responses of a server. */
const orphansByDefault = new Set(['/replicationcontrollers', 'batch/jobs']);

/** Resources whose deletion leaves nothing to the garbage collector, whatever it asks for. Source: observed. */
const notCollected = new Set(['/events', 'events.k8s.io/events']);

/** Returns the warning of a deletion that does not say what becomes of the dependents. */
export function deletionWarnings(resource: Resource, { propagationPolicy }: DeleteOptions): readonly string[] {
  if (storeName(resource) !== 'batch/jobs' || propagationPolicy !== undefined) return [];
  return [
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  ];
}

/** Returns the finalizers that an object has after a request to delete it. Source: Kubernetes documentation "Garbage Collection". */
export function finalizersAfterDelete(resource: Resource, stored: JsonObject, { propagationPolicy }: DeleteOptions): readonly string[] {
  const finalizers = finalizersOf(stored);
  if (notCollected.has(storeName(resource))) return finalizers;
  const isOwn = (name: string) => name === 'orphan' || name === 'foregroundDeletion';
  if (propagationPolicy === undefined && (finalizers.some(isOwn) || !orphansByDefault.has(storeName(resource)))) return finalizers;
  const own = propagationPolicy === 'Foreground' ? 'foregroundDeletion' : propagationPolicy === 'Background' ? undefined : 'orphan';
  const kept = finalizers.filter((name) => !isOwn(name) || name === own);
  return own === undefined || kept.includes(own) ? kept : [...kept, own];
}

/**
 * Returns the seconds that an object has left after a request to delete it: those of a Pod on a node; 0 of any other object.
 * Source: Kubernetes documentation "Pod Lifecycle", "Termination of Pods".
 */
export function gracePeriodOf(resource: Resource, { spec, status }: JsonObject, requested: number | undefined): number {
  if (storeName(resource) !== '/pods' || !isJsonObject(spec) || !spec.nodeName) return 0;
  if (isJsonObject(status) && (status.phase === 'Succeeded' || status.phase === 'Failed')) return 0;
  const seconds = requested ?? (spec.terminationGracePeriodSeconds as number | undefined) ?? 0;
  return seconds < 0 ? 1 : seconds;
}

/** Marks an object as one that is being deleted. A later request can only shorten the time that it has left. */
export function terminating(clock: Clock, stored: JsonObject, finalizers: readonly string[], seconds: number): JsonObject {
  const { finalizers: _, ...metadata } = metadataOf(stored);
  const generation = metadata.generation as number | undefined;
  const isNew = !isTerminating(stored);
  const before = (metadata.deletionGracePeriodSeconds as number | undefined) ?? 0;
  const times =
    isNew || seconds < before ? { deletionTimestamp: timestamp(() => clock() + seconds * 1000), deletionGracePeriodSeconds: seconds } : {};
  const marked = {
    ...metadata,
    ...(finalizers.length === 0 ? {} : { finalizers: finalizers as Json }),
    ...times,
    ...(generation === undefined || !isNew ? {} : { generation: generation + 1 }),
  };
  return { ...stored, metadata: marked };
}

/** Marks a Namespace, which has no time of grace and no new generation. */
export function terminatingNamespace(clock: Clock, stored: JsonObject, finalizers: readonly string[]): JsonObject {
  const { finalizers: _, ...metadata } = metadataOf(stored);
  const marked = {
    ...metadata,
    ...(finalizers.length === 0 ? {} : { finalizers: finalizers as Json }),
    deletionTimestamp: metadata.deletionTimestamp ?? timestamp(clock),
  };
  return { ...stored, metadata: marked, status: { ...(stored.status as JsonObject), phase: 'Terminating' } };
}
