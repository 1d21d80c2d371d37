import { ApiError, type ClusterClient, type ObjectAddress, type StatusCause } from '../../kubernetes/index.js';
import { metadataOf } from '../../kubernetes/object.js';
import type { Applying, FieldConflict } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import type { Outcome } from '../../util/outcome.js';
import { pause } from '../../util/pause.js';

/** The end of an apply that took one pass or two. */
export interface ApplyPassResult {
  readonly object: JsonObject;
  /** Absent where this apply by itself proves nothing. */
  readonly provenOutcome: Extract<Outcome, 'created' | 'updated' | 'unchanged'> | undefined;
  readonly forcedConflicts: readonly FieldConflict[];
}

/** Sends one PATCH. A refusal because of field managers is an answer here. */
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

/** Returns an intent that is accepted only for the object as it was read. A uid or version that the intent itself names stays. */
export function pinnedTo(object: JsonObject, live: JsonObject): JsonObject {
  const { uid, resourceVersion } = metadataOf(live);
  return { ...object, metadata: { uid, resourceVersion, ...metadataOf(object) } };
}

/** Whether a refusal says that the object was written, replaced or deleted since it was read. */
export function isStale(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.stale || error.uidMismatch !== undefined);
}

/** Waits before the next round: not before the first repetition, then ever longer, so that two controllers do not go on in step. */
export async function pauseBetween(round: number): Promise<void> {
  if (round > 0) await pause(Math.random() * Math.min(500, 20 * 2 ** round));
}

/** Leaves the values of a Secret out of a report, because reports go to logs. */
export function withoutSecretValues(forcedConflicts: readonly FieldConflict[], { kind }: JsonObject): readonly FieldConflict[] {
  if (kind !== 'Secret') return forcedConflicts;
  return forcedConflicts.map(({ oldValue: _, newValue: __, ...conflict }) => conflict);
}
