import { itemIndex, type PathElement, parseElement } from '../../fields/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import type { ManagedFieldsEntry } from '../managed-fields/managed-fields.js';
import { withoutManagedFields } from '../object.js';
import { isAppliedAnnotation } from '../requests/applied-intent.js';

/** Owners at one node and below it. */
export interface OwnerNode {
  readonly owners: ManagedFieldsEntry[];
  /** Owners without fields below the node. */
  readonly innermost: ManagedFieldsEntry[];
  readonly children: Map<string, OwnerNode>;
}

function newNode(): OwnerNode {
  return { owners: [], innermost: [], children: new Map() };
}

/** Returns the fields of all entries as one tree. */
export function ownerTreeOf(entries: readonly ManagedFieldsEntry[]): OwnerNode {
  const root = newNode();
  for (const entry of entries) add(root, entry, entry.fields);
  return root;
}

function add(node: OwnerNode, entry: ManagedFieldsEntry, fields: ManagedFieldsEntry['fields']): void {
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

/** A part of a map or list: its element, the text of the element where owners name it, and its value. */
export type Part = readonly [element: PathElement, text: string | undefined, value: Json | undefined];

/** Returns true for a map or list that is not empty. */
export function hasParts(value: Json | undefined): value is JsonObject | readonly Json[] {
  return (isJsonObject(value) && Object.keys(value).length > 0) || (Array.isArray(value) && value.length > 0);
}

/** Returns the members of a map, or the items of a list, with the elements by which owners name them. */
export function partsOf(value: JsonObject | readonly Json[], node: OwnerNode | undefined): readonly Part[] {
  return isJsonObject(value) ? membersOfMap(value) : itemsOf(value, node ?? newNode());
}

function membersOfMap(value: JsonObject): readonly Part[] {
  return Object.entries(value).map(([name, member]) => [{ kind: 'field', name }, `f:${name}`, member]);
}

/** Returns the items of a list by the elements with which owners name them; others by the keys of their siblings, else by position. */
function itemsOf(items: readonly Json[], node: OwnerNode): readonly Part[] {
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

const kept = ['name', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp', 'selfLink', 'generateName'] as const;

/** Returns an object without the fields that name it, and without those that nobody owns by definition. */
export function shownContentOf(object: JsonObject): JsonObject {
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
