import type { DeletePropagation } from '../assembly/types.js';
import { ApiError, type Cluster, isNotFound, type ObjectAddress } from '../cluster/index.js';
import { type ManagedFieldsEntry, managedFieldsOf } from '../ownership/index.js';
import { FieldwiseError } from '../util/error.js';
import type { Json, JsonObject } from '../util/json.js';
import { releaseObject } from './release.js';

export interface RemoveOptions {
  readonly uid: string;
  readonly manager: string;
  readonly propagationPolicy: DeletePropagation;
  /** Delete even what other managers apply fields to. */
  readonly deleteShared: boolean;
}

export interface Removed {
  readonly result: 'deleted' | 'released' | 'gone';
  readonly finalizers?: readonly string[];
  readonly reason?: string;
}

const rounds = 8;

/**
 * Deletes an object that the stack owns: only this very object (uid), and only as it was read a moment before (resourceVersion). Where
 * other managers apply fields beyond metadata, it is released instead: their intent outlives ours.
 */
export async function removeObject(cluster: Cluster, address: ObjectAddress, options: RemoveOptions): Promise<Removed> {
  for (let round = 0; round < rounds; round++) {
    const live = await cluster.find(address);
    const metadata = live?.metadata as JsonObject | undefined;
    if (!live || metadata?.uid !== options.uid) return { result: 'gone' };
    const others = options.deleteShared ? [] : coOwners(live, options.manager);
    if (others.length > 0) {
      const result = await releaseObject(cluster, address, options.uid, options.manager);
      return {
        result,
        reason: `not deleted: ${others.join(', ')} still appl${others.length > 1 ? 'y' : 'ies'} fields to it (--delete-shared deletes)`,
      };
    }
    try {
      const left = await cluster.delete(address, {
        uid: options.uid,
        resourceVersion: metadata.resourceVersion as string,
        propagationPolicy: options.propagationPolicy,
      });
      return { result: 'deleted', ...finalizersOf(left) };
    } catch (error) {
      if (isNotFound(error)) return { result: 'gone' };
      if (!(error instanceof ApiError) || error.code !== 409) throw error; // written since it was read: look again
    }
  }
  throw new FieldwiseError(
    'delete-contended',
    'resource',
    `Other writers changed the object between our requests ${rounds} times in a row`,
    {
      place: { manager: options.manager },
      next: 'It was not deleted. Run again.',
    },
  );
}

/**
 * Other managers that apply fields outside metadata and status. Update entries do not count: they record writes (schedulers, autoscalers,
 * volume binding) and go with the object; an Apply entry is an intent that somebody still declares.
 */
export function coOwners(live: Json, manager: string): readonly string[] {
  const owners = managedFieldsOf(live).filter(
    (entry) => entry.manager !== manager && entry.operation === 'Apply' && entry.subresource === '',
  );
  return [...new Set(owners.filter(ownsBeyondMetadata).map((entry) => entry.manager))];
}

function ownsBeyondMetadata(entry: ManagedFieldsEntry): boolean {
  const roots = new Set([...entry.fields.members, ...entry.fields.children.keys()]);
  return [...roots].some((root) => root !== 'f:metadata' && root !== 'f:status');
}

/** What still holds a deleted object: its finalizers; for a Namespace those of its content. */
function finalizersOf(left: JsonObject | undefined): { finalizers?: readonly string[] } {
  const metadata = left?.metadata as JsonObject | undefined;
  if (metadata?.deletionTimestamp === undefined) return {};
  const finalizers = [metadata.finalizers, (left?.spec as JsonObject | undefined)?.finalizers].flatMap((value) =>
    Array.isArray(value) ? (value as readonly string[]) : [],
  );
  return finalizers.length > 0 ? { finalizers } : {};
}
