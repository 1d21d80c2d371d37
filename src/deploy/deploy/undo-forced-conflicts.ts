import { addressOf } from '../../engine/addresses/address.js';
import { patchOptimistically } from '../../engine/object/optimistic-patch.js';
import type { ObjectReport } from '../../engine/report/events.js';
import type { ForcedField } from '../../engine/report/forced-field.js';
import { type FieldPath, pointerTo, resolvePath, valueAt } from '../../fields/index.js';
import { ApiError, type ClusterClient } from '../../kubernetes/index.js';
import { inexactNumber } from '../../util/exact-json.js';
import { withIntegers } from '../../util/integers-as-text.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import type { RunReport } from './report.js';

/** The result of undoing one forced conflict. */
export interface UndoneField {
  /** `Kind namespace/name`. */
  readonly object: string;
  /** Path such as `.spec.replicas`. */
  readonly field: string;
  /** The previous owner, which owns the field again if it was undone. */
  readonly to: string;
  /** True if the field has its old value again. */
  readonly undone: boolean;
  /** The reason why it was not undone. */
  readonly reason?: string;
}

/**
 * Undoes the forced conflicts of a deploy: writes each old value under the previous owner's name, so that it owns the field again (by an
 * Update; an Apply of it then adds a co-ownership). A field is not undone if
 * - the object was replaced since, or the field no longer has the value that the deploy set;
 * - it was only perhaps forced, and the report does not contain the value that it would then have;
 * - it belongs to a Secret, was owned through a subresource (such as replicas that `kubectl scale` set), or was in a removed list item;
 * - it is a removed union member, and the server rejects it beside the current members. Removed members are written in one patch with the
 *   fields beside them that were forced.
 *
 * Values without an owner (`overwritten`) stay as they are. The next deploy forces the fields again, unless their policy is `yield` by then
 * or they are no longer declared.
 *
 * @throws ApiError, FieldwiseError if the cluster rejects a request or cannot be reached.
 */
export async function undoForcedConflicts(report: RunReport, cluster: ClusterClient): Promise<readonly UndoneField[]> {
  const undone: UndoneField[] = [];
  for (const object of report.objects.map(withIntegers)) {
    const reasons = new Map<ForcedField, string | undefined>();
    for (const group of unionGroups(object.forcedConflicts)) {
      if (group.length > 1 && (await restoreOldValues(cluster, object, group)) === undefined)
        for (const conflict of group) reasons.set(conflict, undefined);
    }
    // Changed values first: the server may reject a removed value beside a value that is about to be restored.
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

/** Groups removed union members with the forced fields beside them, because the server may accept them only together. */
function unionGroups(all: readonly ForcedField[]): readonly (readonly ForcedField[])[] {
  const groups = new Map<string, ForcedField[]>();
  for (const conflict of all) {
    const key = JSON.stringify([parentText(conflict.field), conflict.from, conflict.operation]);
    groups.set(key, [...(groups.get(key) ?? []), conflict]);
  }
  return [...groups.values()].filter((group) => group.some(isRemovedValue));
}

/** Returns true if the apply removed the value of the previous owner and did not replace it. */
function isRemovedValue({ newValue }: ForcedField): boolean {
  return newValue === undefined;
}

/** Returns the parent of a field. It is wrong for a name with dots, which only changes the fields that are tried together first. */
function parentText(field: string): string {
  return field.slice(0, field.lastIndexOf('.'));
}

/**
 * Writes old values in one patch.
 *
 * @returns the reason if they were not written.
 */
async function restoreOldValues(cluster: ClusterClient, report: ObjectReport, group: readonly ForcedField[]): Promise<string | undefined> {
  if (report.kind === 'Secret' && report.apiVersion === 'v1') return 'a report contains no values of Secrets';
  const [{ field, from: manager }] = group as readonly [ForcedField];
  for (const { oldValue, newValue, subresource, perhaps } of group) {
    if (perhaps && newValue === undefined) return 'nothing shows whether the deploy forced it';
    if (subresource !== undefined) return `it belongs to the subresource ${subresource}`;
    if (oldValue === undefined) return 'the report does not contain its value';
    const rounded = inexactNumber(oldValue);
    if (rounded !== undefined) return roundedText(rounded, manager);
  }
  const address = await addressOf(cluster, report);
  let reason: string | undefined;
  const restore = (live: JsonObject | undefined) => {
    if ((live?.metadata as JsonObject | undefined)?.uid !== report.uid || !live) {
      reason = 'the object does not exist, or another one has its name';
      return undefined;
    }
    const operations = group.map((conflict) => operationFor(conflict, live));
    reason = operations.find((operation) => typeof operation === 'string');
    return reason === undefined ? { manager, operations } : undefined;
  };
  try {
    await patchOptimistically(cluster, address, restore, { object: report.object, field });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 422 || !group.some(isRemovedValue)) throw error;
    return `the server rejects it beside the current fields: ${error.message}`;
  }
  return reason;
}

function roundedText(rounded: number, manager: string): string {
  return `the report contains it rounded (${rounded}), because it is an integer beyond 2^53: let ${manager} set it again`;
}

/** Returns the JSON patch operation that restores a value, or the reason why there is none. */
function operationFor({ field, oldValue, newValue }: ForcedField, live: JsonObject): Json {
  const path = resolvePath(field, live);
  const value = oldValue as Json;
  if (newValue !== undefined) {
    if (field.endsWith(']') && Array.isArray(value)) return 'there were several items with its keys, which an apply replaces by one';
    if (!path || !jsonEqual(valueAt(live, path), newValue)) return 'it no longer has the value that the deploy set';
    return { op: 'replace', path: pointerTo(path, live), value };
  }
  if (field.endsWith(']')) return 'it was removed with its whole list item, and cannot be restored alone';
  if (path) return 'it has a value again, of an owner that the report does not contain';
  const absentPath = resolveAbsent(field, live);
  return absentPath
    ? { op: 'add', path: pointerTo(absentPath, live), value }
    : 'it was removed with its parent, and cannot be restored alone';
}

/** Returns the path of an absent field in an existing map. */
function resolveAbsent(field: string, live: JsonObject): FieldPath | undefined {
  for (let dot = field.lastIndexOf('.'); dot >= 0; dot = field.lastIndexOf('.', dot - 1)) {
    const name = field.slice(dot + 1);
    const parent = /["[\]]/.test(name) ? undefined : resolvePath(field.slice(0, dot), live);
    if (parent && isJsonObject(valueAt(live, parent))) return [...parent, { kind: 'field', name }];
    if (dot === 0) return undefined;
  }
  return undefined;
}
