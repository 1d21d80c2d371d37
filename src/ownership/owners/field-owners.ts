import {
  type FieldPath,
  formatPath,
  itemIndex,
  membersOf,
  type PathElement,
  parseElement,
  resolvePath,
  valueAt,
} from '../../fields/index.js';
import { isContainer, isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { type ManagedFieldsEntry, managedFieldsOf } from '../managed-fields/managed-fields.js';
import { withoutManagedFields } from '../object.js';
import { isAppliedAnnotation } from '../requests/applied-intent.js';

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
  const root = treeOf(managedFieldsOf(object));
  return [...fieldsBelow(contentOf(object), root, [])];
}

/** Owners at one node and below it. */
interface Node {
  readonly owners: ManagedFieldsEntry[];
  /** Owners without fields below the node. */
  readonly innermost: ManagedFieldsEntry[];
  readonly children: Map<string, Node>;
}

function newNode(): Node {
  return { owners: [], innermost: [], children: new Map() };
}

function treeOf(entries: readonly ManagedFieldsEntry[]): Node {
  const root = newNode();
  for (const entry of entries) add(root, entry, entry.fields);
  return root;
}

function add(node: Node, entry: ManagedFieldsEntry, fields: ManagedFieldsEntry['fields']): void {
  const childOf = (element: string) => {
    const child = node.children.get(element) ?? newNode();
    node.children.set(element, child);
    return child;
  };
  for (const element of fields.members) {
    const child = childOf(element);
    child.owners.push(entry);
    if (!fields.children.has(element)) child.innermost.push(entry);
  }
  for (const [element, below] of fields.children) add(childOf(element), entry, below);
}

function* fieldsBelow(value: Json | undefined, node: Node | undefined, path: FieldPath): Generator<OwnedField> {
  const container = (isJsonObject(value) && Object.keys(value).length > 0) || (Array.isArray(value) && value.length > 0);
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
  for (const [element, text, member] of isJsonObject(value) ? membersOfMap(value) : itemsOf(value as readonly Json[], node as Node)) {
    if (text !== undefined) seen.add(text);
    yield* fieldsBelow(member, text === undefined ? undefined : node?.children.get(text), [...path, element]);
  }
  if (node !== undefined) yield* absentBelow(node, seen, path);
}

function fieldAt(path: FieldPath, value: Json | undefined, owners: readonly ManagedFieldsEntry[]): OwnedField {
  return { path, field: formatPath(path), ...(value === undefined ? {} : { value }), owners };
}

type Child = readonly [element: PathElement, text: string | undefined, value: Json | undefined];

function membersOfMap(value: JsonObject): readonly Child[] {
  return Object.entries(value).map(([name, member]) => [{ kind: 'field', name }, `f:${name}`, member]);
}

/** Returns the items of a list by the elements with which owners name them; others by the keys of their siblings, else by position. */
function itemsOf(items: readonly Json[], node: Node): readonly Child[] {
  const named = new Map<number, { readonly element: PathElement; readonly text: string }>();
  let keys: readonly string[] = [];
  for (const text of node.children.keys()) {
    const element = parseElement(text);
    if (element.kind === 'field') continue;
    if (element.kind === 'key') keys = element.keys.map(([name]) => name);
    const index = itemIndex(items, element);
    if (index !== undefined) named.set(index, { element, text });
  }
  return items.map((item, index) => {
    const known = named.get(index);
    return known ? [known.element, known.text, item] : [unownedItem(item, index, keys), undefined, item];
  });
}

function unownedItem(item: Json, index: number, keys: readonly string[]): PathElement {
  if (keys.length === 0 || !isJsonObject(item)) return { kind: 'index', index };
  return { kind: 'key', keys: keys.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]] as const])) };
}

/** Yields fields that are owned but do not exist, such as one whose value is null. */
function* absentBelow(node: Node, seen: ReadonlySet<string>, path: FieldPath): Generator<OwnedField> {
  for (const [text, child] of node.children) {
    if (seen.has(text)) continue;
    const below = [...path, parseElement(text)];
    if (child.children.size === 0) yield fieldAt(below, undefined, child.owners);
    else yield* absentBelow(child, new Set(), below);
  }
}

const kept = ['name', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp', 'selfLink', 'generateName'] as const;

function contentOf(object: JsonObject): JsonObject {
  const { apiVersion: _, kind: __, metadata, ...content } = withoutManagedFields(object);
  const shown = isJsonObject(metadata)
    ? Object.fromEntries(
        Object.entries(metadata).filter(([name]) => !(kept as readonly string[]).includes(name) && !name.startsWith('deletion')),
      )
    : {};
  if (isJsonObject(shown.annotations)) {
    const named = Object.entries(shown.annotations).filter(([name]) => !isAppliedAnnotation(name));
    if (named.length > 0) shown.annotations = Object.fromEntries(named);
    else delete shown.annotations;
  }
  return Object.keys(shown).length > 0 ? { metadata: shown, ...content } : content;
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
