import { metadataOf, preconditionsOf, uidOf } from '../../fields/object.js';
import { ApiError, type ClusterClient, contendedError, contentionRounds, type ObjectAddress } from '../../kubernetes/index.js';
import type { PassOutcome } from '../../ownership/index.js';
import { type ErrorLocation, FieldwiseError } from '../../util/error.js';
import { isJsonObject, isList, type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { requireKnownVersions, requireReadableOwners } from '../addresses/removed-versions.js';
import { explain } from '../report/explain.js';
import { outcomeUnknown, settle } from './settle.js';

/** The operations of a JSON patch (RFC 6902) and the field manager that makes it. */
export interface OptimisticPatch {
  readonly manager: string;
  readonly operations: readonly Json[];
}

/**
 * Patches an object as it was read: the server refuses the patch where the object has been written since (resourceVersion); then it is read
 * and judged again.
 *
 * @param change returns what to do to the object as it is; undefined where nothing is to be done. An error that it throws ends the change.
 * @returns the object after the change, or undefined where there was none to make.
 * @throws FieldwiseError `apply-contended` after 8 rounds (`contentionRounds`), `version-removed`, `managed-fields-unreadable`,
 *   `outcome-unknown`, also where nothing is left to do after a patch that was refused and perhaps carried out; ApiError.
 */
export async function patchOptimistically(
  cluster: ClusterClient,
  address: ObjectAddress,
  change: (live: JsonObject | undefined) => OptimisticPatch | undefined,
  location: ErrorLocation = {},
): Promise<JsonObject | undefined> {
  let live = await cluster.tryGet(address);
  let perhaps = false;
  for (let round = 0; round < contentionRounds; round++) {
    const before = live;
    const patch: OptimisticPatch | undefined = perhaps ? changeAfterDoubt(() => change(live), location) : change(live);
    if (live === undefined || patch === undefined) return undefined;
    requireReadableOwners(address, live, location);
    await requireKnownVersions(cluster, address, withPatchedOwners(live, patch.operations), location);
    const { resourceVersion } = metadataOf(live);
    const pinned = { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion as string };
    try {
      return await cluster.patch(address, [pinned, ...patch.operations], patch.manager);
    } catch (error) {
      if (error instanceof ApiError && error.stale) {
        live = await cluster.tryGet(address);
        // The server refuses the repetition of a patch that it has carried out, too, whether or not somebody has written since.
        if (live !== undefined && outcomeOfPatch(before as JsonObject, live, patch.operations) === 'applied') return live;
        perhaps ||= error.responseLost && live !== undefined && isPerhapsDone(before as JsonObject, live, patch.operations);
        continue;
      }
      const settled = await settle(cluster, address, error, (now) => outcomeOfPatch(before as JsonObject, now, patch.operations));
      if (settled.outcome === 'applied' && settled.now !== undefined) return settled.now;
      throw settled.outcome === 'refused' ? error : outcomeUnknown(error, 'changed', location);
    }
  }
  throw contendedError('apply-contended', location, 'Run again.');
}

/** Decides what is still to do after a patch that was perhaps carried out: nobody may say of this object that nothing was changed. */
function changeAfterDoubt(change: () => OptimisticPatch | undefined, location: ErrorLocation): OptimisticPatch {
  let reason = 'Somebody has written it since';
  try {
    const patch = change();
    if (patch !== undefined) return patch;
  } catch (error) {
    reason = explain(error).message;
  }
  throw outcomeUnknown(new FieldwiseError('owners-changed', 'resource', reason), 'changed', location);
}

/** Returns the object with the owners that it has after a patch. */
function withPatchedOwners(live: JsonObject, operations: readonly Json[]): JsonObject {
  const owners = operations.filter(isJsonObject).find(({ path }) => path === '/metadata/managedFields');
  return owners === undefined ? live : { ...live, metadata: { ...metadataOf(live), managedFields: owners.value as Json } };
}

/** Judges by a read object whether a patch was carried out: its operations name every value that it sets. */
function outcomeOfPatch(before: JsonObject, now: JsonObject | undefined, operations: readonly Json[]): PassOutcome {
  if (now === undefined || uidOf(now) !== uidOf(before)) return 'unknown';
  if (preconditionsOf(now).resourceVersion === preconditionsOf(before).resourceVersion) return 'refused';
  return operations.filter(isJsonObject).every((operation) => isDone(operation, now)) ? 'applied' : 'unknown';
}

/** Returns true if an object that somebody has written since shows a part of what a patch does. */
function isPerhapsDone(before: JsonObject, now: JsonObject, operations: readonly Json[]): boolean {
  if (uidOf(now) !== uidOf(before)) return false;
  return operations.filter(isJsonObject).some(({ path, value }) => {
    if (path !== '/metadata/managedFields') return !jsonEqual(valueAtPointer(before, String(path)), valueAtPointer(now, String(path)));
    const replaced = entriesNotIn(metadataOf(before).managedFields as Json | undefined, value);
    return entriesNotIn(replaced, metadataOf(now).managedFields as Json | undefined).length > 0;
  });
}

function isDone({ op, path, value }: JsonObject, now: JsonObject): boolean {
  if (path === '/metadata/managedFields') return hasOwners(now, value);
  const current = valueAtPointer(now, String(path));
  return op === 'remove' ? current === undefined : jsonEqual(current, value);
}

/** Compares owners without the times, which the server sets. */
function hasOwners(now: JsonObject, wanted: Json | undefined): boolean {
  return entriesNotIn(wanted, metadataOf(now).managedFields as Json | undefined).length === 0;
}

function entriesNotIn(entries: Json | undefined, others: Json | undefined): readonly JsonObject[] {
  const found = entriesIn(others).map(withoutTime);
  return entriesIn(entries).filter((entry) => !found.some((other) => jsonEqual(other, withoutTime(entry))));
}

function entriesIn(entries: Json | undefined): readonly JsonObject[] {
  return isList(entries) ? entries.filter(isJsonObject) : [];
}

function withoutTime({ time: _, ...entry }: JsonObject): JsonObject {
  return entry;
}

/** Returns the value at a JSON pointer (RFC 6901). */
function valueAtPointer(object: Json, pointer: string): Json | undefined {
  const names = pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  return names.reduce<Json | undefined>((value, name) => {
    if (isList(value)) return value[Number(name)];
    return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }, object);
}
