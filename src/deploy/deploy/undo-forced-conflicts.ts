import { patchOptimistically } from '../../engine/apply/optimistic-patch.js';
import type { ObjectReport } from '../../engine/report/events.js';
import { addressOf } from '../../engine/target/address.js';
import { type FieldPath, pointerTo, resolvePath, valueAt } from '../../fields/index.js';
import { ApiError, type ClusterClient } from '../../kubernetes/index.js';
import type { FieldConflict } from '../../ownership/index.js';
import { inexactNumber } from '../../util/exact-json.js';
import { withIntegers } from '../../util/integers-as-text.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import type { RunReport } from './report.js';

/** What became of one taken field. */
export interface UndoneField {
  /** `Kind namespace/name`. */
  readonly object: string;
  readonly field: string;
  /** The manager that has it again. */
  readonly to: string;
  readonly undone: boolean;
  /** Why it was not undone. */
  readonly reason?: string;
}

/**
 * Gives back the fields that a deploy took by force: writes each old value under its old owner's name, so that the field is theirs again
 * (as an Update, which an Apply of theirs turns into a co-ownership). A field is left alone where the object was replaced since, where
 * it no longer has the value that the deploy gave it, where it belongs to a Secret or was owned through a subresource (replicas that
 * `kubectl scale` set), or where it was in a list item that went. A member of a union that went is put back in one patch with what was taken
 * beside it, and left where the server refuses it beside what is there. Values that nobody owned (`overwritten`) stay as they are. What is
 * given back is taken again by the next deploy, unless its policy is `yield` by then or it is no longer declared.
 *
 * @throws ApiError, FieldwiseError where the cluster refuses or cannot be reached.
 */
export async function undoForcedConflicts(report: RunReport, cluster: ClusterClient): Promise<readonly UndoneField[]> {
  const undone: UndoneField[] = [];
  for (const object of report.objects.map(withIntegers)) {
    const reasons = new Map<FieldConflict, string | undefined>();
    for (const group of unionGroups(object.forcedConflicts)) {
      if (group.length > 1 && (await restoreOldValues(cluster, object, group)) === undefined)
        for (const conflict of group) reasons.set(conflict, undefined);
    }
    // What was changed comes first: the server may refuse what has gone beside a value that is about to be given back.
    const single = [...object.forcedConflicts].sort((left, right) => Number(isRemovedValue(left)) - Number(isRemovedValue(right)));
    for (const conflict of single) if (!reasons.has(conflict)) reasons.set(conflict, await restoreOldValues(cluster, object, [conflict]));
    for (const conflict of object.forcedConflicts) {
      const reason = reasons.get(conflict);
      const { field, from: to } = conflict;
      undone.push({ object: object.object, field, to, undone: reason === undefined, ...(reason === undefined ? {} : { reason }) });
    }
  }
  return undone;
}

/** Members of unions went because of what was taken beside them: the server accepts them only together with that. */
function unionGroups(all: readonly FieldConflict[]): readonly (readonly FieldConflict[])[] {
  const groups = new Map<string, FieldConflict[]>();
  for (const conflict of all) {
    const key = JSON.stringify([parentText(conflict.field), conflict.from, conflict.operation]);
    groups.set(key, [...(groups.get(key) ?? []), conflict]);
  }
  return [...groups.values()].filter((group) => group.some(isRemovedValue));
}

/** Whether nothing of the owner's has come in the place of the value. */
function isRemovedValue({ newValue }: FieldConflict): boolean {
  return newValue === undefined;
}

/** Names with dots in them end too early here, which only tries more together. */
function parentText(field: string): string {
  return field.slice(0, field.lastIndexOf('.'));
}

/**
 * Writes old values in one patch.
 *
 * @returns why not, if so.
 */
async function restoreOldValues(
  cluster: ClusterClient,
  report: ObjectReport,
  group: readonly FieldConflict[],
): Promise<string | undefined> {
  if (report.kind === 'Secret' && report.apiVersion === 'v1') return 'the report holds no values of Secrets';
  const [{ field, from: manager }] = group as readonly [FieldConflict];
  for (const { oldValue, subresource } of group) {
    if (subresource !== undefined) return `it belongs to the subresource ${subresource}`;
    if (oldValue === undefined) return 'the report does not tell its value';
    const rounded = inexactNumber(oldValue);
    if (rounded !== undefined) return roundedText(rounded, manager);
  }
  const address = await addressOf(cluster, report);
  let reason: string | undefined;
  const give = (live: JsonObject | undefined) => {
    if ((live?.metadata as JsonObject | undefined)?.uid !== report.uid || !live) {
      reason = 'the object is another one by now';
      return undefined;
    }
    const operations = group.map((conflict) => operationFor(conflict, live));
    reason = operations.find((operation) => typeof operation === 'string');
    return reason === undefined ? { manager, operations } : undefined;
  };
  try {
    await patchOptimistically(cluster, address, give, { object: report.object, field });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 422 || !group.some(isRemovedValue)) throw error;
    return `the server refuses it beside what is there now: ${error.message}`;
  }
  return reason;
}

function roundedText(rounded: number, manager: string): string {
  return `the report holds it rounded (${rounded}), as of a whole number beyond 2^53: find its digits where ${manager} declares it, and let ${manager} set it again`;
}

/** What gives a value back, or why it cannot be. */
function operationFor({ field, oldValue, newValue }: FieldConflict, live: JsonObject): Json {
  const path = resolvePath(field, live);
  const value = oldValue as Json;
  if (newValue !== undefined) {
    if (!path || !jsonEqual(valueAt(live, path), newValue)) return 'it has another value by now';
    return { op: 'replace', path: pointerTo(path, live), value };
  }
  if (field.endsWith(']')) return 'it cannot be put back by itself: a whole list item went';
  if (path) return 'it has a value again, and the report does not tell whose';
  const absentPath = resolveAbsent(field, live);
  return absentPath ? { op: 'add', path: pointerTo(absentPath, live), value } : 'it cannot be put back by itself: what it was in went, too';
}

/** The path of a field that is not there, in a map that is. */
function resolveAbsent(field: string, live: JsonObject): FieldPath | undefined {
  for (let dot = field.lastIndexOf('.'); dot >= 0; dot = field.lastIndexOf('.', dot - 1)) {
    const name = field.slice(dot + 1);
    const parent = /["[\]]/.test(name) ? undefined : resolvePath(field.slice(0, dot), live);
    if (parent && isJsonObject(valueAt(live, parent))) return [...parent, { kind: 'field', name }];
    if (dot === 0) return undefined;
  }
  return undefined;
}
