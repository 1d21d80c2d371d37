import { metadataOf } from '../../fields/object.js';
import { ApiError, type ClusterClient, type ObjectAddress, type StatusCause } from '../../kubernetes/index.js';
import type { Applying, FieldConflict } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import { thisMachine } from '../../util/machine.js';
import type { Outcome } from '../../util/outcome.js';

/** The result of an apply in one or two passes. */
export interface ApplyPassResult {
  readonly object: JsonObject;
  /** Undefined if this apply alone does not prove its outcome. */
  readonly provenOutcome: Extract<Outcome, 'created' | 'updated' | 'unchanged'> | undefined;
  readonly forcedConflicts: readonly FieldConflict[];
}

/** Sends one PATCH. Returns the conflicts if the server rejects it because of other owners. */
export async function applyOnce(
  cluster: ClusterClient,
  address: ObjectAddress,
  { object, manager, subresource }: Applying,
  force: boolean,
): Promise<{ readonly object: JsonObject; readonly created: boolean } | { readonly conflicts: readonly StatusCause[] }> {
  try {
    return await cluster.apply(address, object, { manager, force, subresource });
  } catch (error) {
    if (error instanceof ApiError && error.conflicts.length > 0) return { conflicts: error.conflicts };
    throw error;
  }
}

/** Returns an intent that is accepted only for the object as it was read. A uid or resourceVersion in the intent itself stays. */
export function pinnedTo(object: JsonObject, live: JsonObject): JsonObject {
  const { uid, resourceVersion } = metadataOf(live);
  return { ...object, metadata: { uid, resourceVersion, ...metadataOf(object) } };
}

/** Returns true for a rejection because the object was written, replaced or deleted since it was read. */
export function isStale(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.stale || error.uidMismatch !== undefined);
}

/**
 * Waits a random time before the next round, so that two controllers do not stay in step: not after the first round, then longer each
 * time.
 */
export async function pauseBetween(round: number): Promise<void> {
  if (round > 0) await thisMachine.pause(Math.random() * Math.min(500, 20 * 2 ** round));
}

/** Removes the values of a Secret from conflicts, because reports are written to logs. */
export function withoutSecretValues(forcedConflicts: readonly FieldConflict[], { kind }: JsonObject): readonly FieldConflict[] {
  if (kind !== 'Secret') return forcedConflicts;
  return forcedConflicts.map(({ oldValue: _, newValue: __, ...conflict }) => conflict);
}
