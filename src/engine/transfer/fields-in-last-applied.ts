import {
  emptyFieldSet,
  type FieldPath,
  type FieldSet,
  fieldSetOfPaths,
  formatPath,
  has,
  isEmpty,
  membersOf,
  union,
  valueAt,
} from '../../fields/index.js';
import {
  hasDescendants,
  lastAppliedAnnotation,
  lastAppliedOf,
  type ManagedFieldsEntry,
  managedFieldsOf,
  readLastApplied,
  trimmedLastApplied,
} from '../../ownership/index.js';
import { isContainer, type Json, type JsonObject } from '../../util/json.js';

/** The path of the annotation of client-side apply. */
export const annotationPath: FieldPath = ['metadata', 'annotations', lastAppliedAnnotation].map((name) => ({ kind: 'field', name }));

/** Fields of a stack that stand in the annotation of client-side apply, which deletes them once its file lacks them. */
export interface FieldsInLastApplied {
  /** The fields without others below them; never empty. The key of a list item that has to stay in the annotation is none of them. */
  readonly fields: FieldSet;
  /** The owners of the annotation; empty where managedFields names none. */
  readonly writers: readonly ManagedFieldsEntry[];
  /** The text of the annotation, and the text without the fields; `after` is undefined where nothing declared is left. */
  readonly before: string;
  readonly after: string | undefined;
}

/**
 * Returns the fields of a stack that stand in the annotation of client-side apply; undefined where none does, and where the annotation is
 * missing or no JSON object: client-side apply then deletes nothing. The annotation alone counts, whoever managedFields name as owners of the
 * fields: neither a forced take nor an apply of an equal value changes it. Nor does the object count that the annotation describes: client-side
 * apply does not look at its kind, name and version, either (observed with kubectl 1.36).
 *
 * @param owned the fields of the stack.
 * @param removed further fields that `after` lacks.
 */
export function fieldsInLastApplied(live: JsonObject, owned: FieldSet, removed = emptyFieldSet): FieldsInLastApplied | undefined {
  const applied = lastAppliedOf(live);
  if (applied === undefined) return undefined;
  const entries = managedFieldsOf(live);
  const isOwnedInside = (path: FieldPath) => entries.some(({ fields }) => hasDescendants(fields, path));
  const inside = membersOf(owned).filter(({ path }) => standsIn(applied, path, isOwnedInside));
  const paths = fieldSetOfPaths(inside.map(({ path }) => path));
  if (isEmpty(paths)) return undefined;
  const after = trimmedLastApplied(applied, union(paths, removed));
  const left = after === undefined ? {} : (readLastApplied(after) as JsonObject);
  const lost = inside.filter(({ path, leaf }) => leaf && !standsIn(left, path, isOwnedInside));
  if (lost.length === 0) return undefined;
  const writers = entries.filter((entry) => entry.subresource === '' && has(entry.fields, annotationPath));
  return { fields: fieldSetOfPaths(lost.map(({ path }) => path)), writers, before: valueAt(live, annotationPath) as string, after };
}

/**
 * Returns true if client-side apply deletes a field once its file lacks what the annotation has at its path: the field itself, or the empty
 * map or list around it, which it deletes whole. Inside a map of which others own parts, the annotation has their fields.
 */
function standsIn(applied: JsonObject, path: FieldPath, isOwnedInside: (path: FieldPath) => boolean): boolean {
  const value = valueAt(applied, path);
  const isField = path.at(-1)?.kind === 'field';
  if (value !== undefined) return !isField || !isContainer(value) || isEmptyContainer(value) || !isOwnedInside(path);
  const around = path.slice(0, -1);
  // Client-side apply itself writes `annotations: {}`, and never deletes all annotations.
  return formatPath(around) !== '.metadata.annotations' && isInEmpty(applied, around);
}

/** Returns true if the innermost value of a path that exists is an empty map or list. */
function isInEmpty(applied: JsonObject, path: FieldPath): boolean {
  if (path.length === 0) return false;
  const value = valueAt(applied, path);
  return value === undefined ? isInEmpty(applied, path.slice(0, -1)) : isEmptyContainer(value);
}

function isEmptyContainer(value: Json): boolean {
  return isContainer(value) && Object.keys(value).length === 0;
}
