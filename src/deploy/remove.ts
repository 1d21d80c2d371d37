import type { DeletePropagation } from '../assembly/types.js';
import { ApiError, type Cluster, isNotFound, type ObjectAddress } from '../cluster/index.js';
import { type ManagedFieldsEntry, managedFieldsOf } from '../ownership/index.js';
import { FieldwiseError } from '../util/error.js';
import type { Json, JsonObject } from '../util/json.js';
import { foreignContent } from './foreign.js';
import { releaseObject } from './release.js';

export interface RemoveOptions {
  readonly uid: string;
  readonly manager: string;
  readonly propagationPolicy: DeletePropagation;
  /** Delete even what other managers apply fields to. */
  readonly deleteShared: boolean;
  /** Delete a Namespace or a CustomResourceDefinition even with what others keep in it. */
  readonly deleteForeign: boolean;
  /** uids of objects that the stacks of this run know. */
  readonly ours: ReadonlySet<string>;
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
    const foreign = options.deleteForeign || others.length > 0 ? [] : await foreignContent(cluster, live, options.ours);
    const reason = keepReason(others, foreign);
    if (reason !== undefined) return releaseInstead(cluster, address, options, reason);
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

/** Releases what may not be deleted. Where the object cannot do without our fields either, it stays as it is, ours. */
async function releaseInstead(cluster: Cluster, address: ObjectAddress, options: RemoveOptions, reason: string): Promise<Removed> {
  try {
    const result = await releaseObject(cluster, address, options.uid, options.manager);
    return { result, ...(result === 'released' ? { reason } : {}) };
  } catch (error) {
    if (!(error instanceof FieldwiseError) || error.code !== 'release-rejected') throw error;
    throw new FieldwiseError(error.code, error.kind, `It stays as it is: ${reason}. It cannot be released either: ${error.message}`, {
      place: error.place,
      next: 'Remove what others keep in it or apply to it, or delete it all the same with the flag named above.',
      cause: error,
    });
  }
}

/** Why an owned object is released instead of deleted, if so. */
export function keepReason(others: readonly string[], foreign: readonly string[]): string | undefined {
  if (others.length > 0)
    return `not deleted: ${others.join(', ')} still appl${others.length > 1 ? 'y' : 'ies'} fields to it (--delete-shared deletes)`;
  if (foreign.length === 0) return undefined;
  const more = foreign.length > 5 ? ` and ${foreign.length - 5} more` : '';
  return `not deleted: it holds ${foreign.slice(0, 5).join(', ')}${more}, which are not of this stack (--delete-foreign deletes)`;
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
