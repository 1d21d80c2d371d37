import { type FieldPath, formatPath, type PathElement, parseElement } from '../../fields/index.js';
import { isBuiltIn } from '../../schema/index.js';
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
  /**
   * Present for a field that is not that of a struct, or perhaps not: an entry of a map of structs is removed with everything in it if its
   * owners release it, like a list item.
   */
  readonly entry?: 'yes' | 'perhaps';
}

/** Returns the fields of an object as a tree in the object's order, each node with its owners; see `ownedFields`. */
export function ownedTree(object: JsonObject): readonly OwnedTreeNode[] {
  const perhaps = isBuiltIn(String(object.apiVersion)) ? undefined : 'perhaps';
  return nodesBelow(shownContentOf(object), ownerTreeOf(managedFieldsOf(object)), perhaps);
}

/** Built-in kinds have no maps of structs. */
type Perhaps = 'perhaps' | undefined;

function nodesBelow(value: JsonObject | readonly Json[], node: OwnerNode | undefined, perhaps: Perhaps): readonly OwnedTreeNode[] {
  const seen = new Set<string>();
  const present = partsOf(value, node).flatMap(([element, text, part]) => {
    if (text !== undefined) seen.add(text);
    return part === undefined ? [] : [nodeOf(element, part, text === undefined ? undefined : node?.children.get(text), perhaps)];
  });
  return node === undefined ? present : [...present, ...absentBelow(node, seen, perhaps)];
}

function nodeOf(element: PathElement, value: Json, node: OwnerNode | undefined, perhaps: Perhaps): OwnedTreeNode {
  const common = {
    element,
    text: formatPath([element] satisfies FieldPath),
    owners: node?.owners ?? [],
    ...entryOf(element, node, perhaps),
  };
  const isWhole = node === undefined ? Array.isArray(value) : node.children.size === 0;
  if (hasParts(value) && !isWhole) return { ...common, below: nodesBelow(value, node, perhaps) };
  return { ...common, value, below: node === undefined ? [] : absentBelow(node, new Set(), perhaps) };
}

/** Returns the nodes that are owned but do not exist, such as a field whose value is null. */
function absentBelow(node: OwnerNode, seen: ReadonlySet<string>, perhaps: Perhaps): readonly OwnedTreeNode[] {
  return [...node.children].flatMap(([text, child]) => {
    if (seen.has(text)) return [];
    const element = parseElement(text);
    const below = absentBelow(child, new Set(), perhaps);
    return [{ element, text: formatPath([element]), owners: child.owners, below, ...entryOf(element, child, perhaps) }];
  });
}

/**
 * An applied set names the fields of structs only by their descendants, so a field beside its descendants is an entry of a map. A field that
 * was applied empty may be either, unless another apply has fields in it.
 */
function entryOf({ kind }: PathElement, node: OwnerNode | undefined, perhaps: Perhaps): Pick<OwnedTreeNode, 'entry'> {
  if (kind !== 'field' || node === undefined || node.children.size === 0) return {};
  const appliers = node.owners.filter(isApply);
  if (appliers.some((owner) => !node.innermost.includes(owner))) return { entry: 'yes' };
  const isStruct = appliersBelow(node).some((owner) => !appliers.includes(owner));
  return perhaps === undefined || appliers.length === 0 || isStruct ? {} : { entry: perhaps };
}

function appliersBelow(node: OwnerNode): readonly ManagedFieldsEntry[] {
  return [...node.children.values()].flatMap((child) => [...child.owners.filter(isApply), ...appliersBelow(child)]);
}

function isApply({ operation }: ManagedFieldsEntry): boolean {
  return operation === 'Apply';
}
