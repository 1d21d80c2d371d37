import { type FieldPath, formatPath, type PathElement, parseElement } from '../../fields/index.js';
import type { Json, JsonObject } from '../../util/json.js';
import { type ManagedFieldsEntry, managedFieldsOf } from '../managed-fields/managed-fields.js';
import { hasParts, type OwnerNode, ownerTreeOf, partsOf, shownContentOf } from './owner-tree.js';

/** A field of an object, with the fields below it. */
export interface OwnedTreeNode {
  readonly element: PathElement;
  /** The element as text: `.spec`, `[port=443]`. */
  readonly text: string;
  /** The owners of the node itself; a container that an Apply names only by the fields below it is not owned itself. */
  readonly owners: readonly ManagedFieldsEntry[];
  /** Present in innermost fields that exist. */
  readonly value?: Json;
  /** Empty in innermost fields. */
  readonly below: readonly OwnedTreeNode[];
  /** True for an entry of a map of structs: like a list item, it is removed with everything in it if its owners release it. */
  readonly isEntry: boolean;
}

/** Returns the fields of an object as a tree in the object's order, each node with its owners; see `ownedFields`. */
export function ownedTree(object: JsonObject): readonly OwnedTreeNode[] {
  return nodesBelow(shownContentOf(object), ownerTreeOf(managedFieldsOf(object)));
}

function nodesBelow(value: JsonObject | readonly Json[], node: OwnerNode | undefined): readonly OwnedTreeNode[] {
  const seen = new Set<string>();
  const present = partsOf(value, node).flatMap(([element, text, part]) => {
    if (text !== undefined) seen.add(text);
    return part === undefined ? [] : [nodeOf(element, part, text === undefined ? undefined : node?.children.get(text))];
  });
  return node === undefined ? present : [...present, ...absentBelow(node, seen)];
}

function nodeOf(element: PathElement, value: Json, node: OwnerNode | undefined): OwnedTreeNode {
  const common = { element, text: formatPath([element] satisfies FieldPath), owners: node?.owners ?? [], isEntry: isEntry(element, node) };
  const isWhole = node === undefined ? Array.isArray(value) : node.children.size === 0;
  if (hasParts(value) && !isWhole) return { ...common, below: nodesBelow(value, node) };
  return { ...common, value, below: node === undefined ? [] : absentBelow(node, new Set()) };
}

/** Returns the nodes that are owned but do not exist, such as a field whose value is null. */
function absentBelow(node: OwnerNode, seen: ReadonlySet<string>): readonly OwnedTreeNode[] {
  return [...node.children].flatMap(([text, child]) => {
    if (seen.has(text)) return [];
    const element = parseElement(text);
    const below = absentBelow(child, new Set());
    return [{ element, text: formatPath([element]), owners: child.owners, below, isEntry: isEntry(element, child) }];
  });
}

/** An applied set names the fields of structs only by their descendants, so a field beside its descendants is an entry of a map. */
function isEntry({ kind }: PathElement, node: OwnerNode | undefined): boolean {
  if (kind !== 'field' || node === undefined) return false;
  return node.owners.some((owner) => owner.operation === 'Apply' && !node.innermost.includes(owner));
}
