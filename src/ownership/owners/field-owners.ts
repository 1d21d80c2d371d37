import { type FieldPath, formatPath, membersOf, parseElement, resolvePath, valueAt } from '../../fields/index.js';
import { isContainer, type Json, type JsonObject } from '../../util/json.js';
import { type ManagedFieldsEntry, managedFieldsOf } from '../managed-fields/managed-fields.js';
import { hasParts, type OwnerNode, ownerTreeOf, partsOf, shownContentOf } from './owner-tree.js';

/** One field of an object with all its owners. */
export interface OwnedField {
  readonly path: FieldPath;
  /** The path as text, such as `.spec.replicas`; items of associative lists are named by their keys. */
  readonly field: string;
  /** Absent if the field is owned but does not exist, or if others own fields below it. */
  readonly value?: Json;
  /** Empty if nobody owns the field. */
  readonly owners: readonly ManagedFieldsEntry[];
}

/**
 * Returns the innermost fields of an object, in the object's order, each with all its owners. Needs no schema: managedFields shows which
 * lists are associative and by which keys. A list without owned items is one field. Fields that name the object or that the server
 * maintains (uid, resourceVersion, creationTimestamp, …) have no owners by definition and are omitted.
 *
 * Source: Kubernetes documentation "Server-Side Apply", field management.
 */
export function ownedFields(object: JsonObject): readonly OwnedField[] {
  return [...fieldsBelow(shownContentOf(object), ownerTreeOf(managedFieldsOf(object)), [])];
}

function* fieldsBelow(value: Json | undefined, node: OwnerNode | undefined, path: FieldPath): Generator<OwnedField> {
  const container = hasParts(value);
  if (node !== undefined && (node.children.size === 0 || !container)) {
    yield fieldAt(path, value, node.owners);
    if (node.children.size > 0) yield* absentBelow(node, new Set(), path);
    return;
  }
  if (!container || (node === undefined && Array.isArray(value))) {
    if (value !== undefined) yield fieldAt(path, value, []);
    return;
  }
  if (node !== undefined && node.innermost.length > 0) yield fieldAt(path, undefined, node.innermost);
  const seen = new Set<string>();
  for (const [element, text, member] of partsOf(value as JsonObject | readonly Json[], node)) {
    if (text !== undefined) seen.add(text);
    yield* fieldsBelow(member, text === undefined ? undefined : node?.children.get(text), [...path, element]);
  }
  if (node !== undefined) yield* absentBelow(node, seen, path);
}

function fieldAt(path: FieldPath, value: Json | undefined, owners: readonly ManagedFieldsEntry[]): OwnedField {
  return { path, field: formatPath(path), ...(value === undefined ? {} : { value }), owners };
}

/** Yields fields that are owned but do not exist, such as one whose value is null. */
function* absentBelow(node: OwnerNode, seen: ReadonlySet<string>, path: FieldPath): Generator<OwnedField> {
  for (const [text, child] of node.children) {
    if (seen.has(text)) continue;
    const below = [...path, parseElement(text)];
    if (child.children.size === 0) yield fieldAt(below, undefined, child.owners);
    else yield* absentBelow(child, new Set(), below);
  }
}

/**
 * Returns the owners of one field: managers that own the field, or a container of it as a whole. Names of members may contain dots:
 * `.data.app` does not contain `.data.app.yaml` where the object has both.
 */
export function ownersAt(object: JsonObject, field: string): readonly ManagedFieldsEntry[] {
  const steps = resolvePath(field, object)?.map((element) => formatPath([element]));
  return managedFieldsOf(object).filter((entry) =>
    membersOf(entry.fields).some(({ path, leaf }) => {
      if (steps === undefined) return isAtOrBelow(formatPath(path), leaf && !isScalar(valueAt(object, path)), field);
      if (path.length > steps.length || (path.length < steps.length && !leaf)) return false;
      return path.every((element, index) => formatPath([element]) === steps[index]);
    }),
  );
}

/** Returns true for a value that can have nothing below it; null may stand for an emptied container. */
function isScalar(value: Json | undefined): boolean {
  return value !== undefined && value !== null && !isContainer(value);
}

/** Compares a field that the object does not have, as text; a field that is owned as a whole has all below it. */
function isAtOrBelow(owned: string, whole: boolean, field: string): boolean {
  return owned === field || (whole && (field.startsWith(`${owned}.`) || field.startsWith(`${owned}[`)));
}
