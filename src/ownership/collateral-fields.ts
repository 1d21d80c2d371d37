import {
  compareElements,
  emptyFieldSet,
  type FieldPath,
  formatPath,
  has,
  membersOf,
  type PathElement,
  parseElement,
  pathCovers,
  serializeElement,
  valueAt,
  writeFieldsV1,
} from '../fields/index.js';
import { equalsStored } from '../merge/dynamic/index.js';
import { isJsonObject, type Json, type JsonObject } from '../util/json.js';
import { containerOwners } from './container-owners.js';
import { hasDescendants } from './covers.js';
import { anotherWriter, isApplyEntryOf, type ManagedFieldsEntry, managedFieldsOf, recordedFieldsOf } from './managed-fields.js';

/** A field of somebody else that goes because the list item or map entry around it goes, or because it was a part of a whole value. */
export interface CollateralField {
  /** Path text of the field. */
  readonly field: string;
  readonly owner: ManagedFieldsEntry;
  readonly oldValue: Json | undefined;
}

/**
 * What an apply of `intent` takes along that others own: an item of a map list, or an entry of a map of structs, that one of `managers`
 * applied and no longer declares goes whole where nobody else owns the item itself. Whoever applied a field in it does own it; whoever
 * only updated one does not. Source: observed, Kubernetes 1.36 (`d-updater-inside-*`).
 *
 * Of items that were merged on this side in a list that the server takes for one value, and where the server records no owners at all, it is
 * not known who wrote what: all that was not applied counts as another writer's.
 *
 * What others own as a part of one value goes with whoever drops it, item or not; see `partOwners`.
 *
 * @param stackManagers all managers of the stack, where only some of them drop what they applied.
 */
export function collateralFields(
  live: Json,
  intent: Json,
  managers: readonly string[],
  stackManagers: readonly string[] = managers,
): readonly CollateralField[] {
  const entries = managedFieldsOf(live);
  const isOurs = (entry: ManagedFieldsEntry) => managers.some((manager) => isApplyEntryOf(entry, manager));
  const others = entries.filter((entry) => !isOurs(entry));
  const dropped = entries
    .filter(isOurs)
    .flatMap(({ fields, applied }) =>
      itemPaths(writeFieldsV1(fields)).filter((path) => applied === undefined || !has(applied.preexisting, path)),
    )
    .filter((path) => valueAt(intent, path) === undefined && !others.some((entry) => has(entry.fields, path)));
  const found = new Map<string, CollateralField>();
  for (const path of dropped) {
    for (const owner of others) {
      for (const inside of leavesBelow(owner, path)) {
        const field = formatPath(inside);
        found.set(keyOf(field, owner), { field, owner, oldValue: valueAt(live, inside) });
      }
    }
  }
  for (const { field, oldValue } of unattributedFields(live, dropped, entries.filter(isOurs))) {
    found.set(field, { field, owner: unknownOwner, oldValue });
  }
  for (const { path, owners } of droppedContainerFields(live, intent, managers, stackManagers)) {
    const field = formatPath(path);
    for (const owner of owners) found.set(keyOf(field, owner), { field, owner, oldValue: valueAt(live, path) });
  }
  return [...found.values()];
}

function keyOf(field: string, { manager, operation, subresource }: ManagedFieldsEntry): string {
  return `${field} ${manager} ${operation} ${subresource}`;
}

/** The outermost parts of others' values that the managers applied and an intent does not declare. */
function droppedContainerFields(live: Json, intent: Json, managers: readonly string[], stackManagers: readonly string[]) {
  if (!isJsonObject(live)) return [];
  const ownersOf = containerOwners(live, stackManagers);
  const entries = managedFieldsOf(live).filter((entry) => managers.some((manager) => isApplyEntryOf(entry, manager)));
  const dropped = entries
    .flatMap(({ fields }) => membersOf(fields))
    .filter(({ path }) => valueAt(intent, path) === undefined && valueAt(live, path) !== undefined)
    .map(({ path }) => ({ path, field: formatPath(path), owners: ownersOf(path) }))
    .filter(({ owners }) => owners.length > 0);
  return dropped.filter(({ field }) => !dropped.some((other) => other.field !== field && pathCovers(other.field, field)));
}

const unknownOwner: ManagedFieldsEntry = {
  manager: anotherWriter,
  operation: 'Update',
  apiVersion: '',
  subresource: '',
  time: undefined,
  fields: emptyFieldSet,
};

function unattributedFields(
  live: Json,
  dropped: readonly FieldPath[],
  ours: readonly ManagedFieldsEntry[],
): readonly Omit<CollateralField, 'owner'>[] {
  const recorded = recordedFieldsOf(live);
  const unrecorded = dropped.filter((path) => !recorded.some(({ fields }) => has(fields, path) || hasDescendants(fields, path)));
  return unrecorded.flatMap((path) => {
    const applied = ours.map((entry) => valueAt(entry.applied?.intent, path)).find((item) => item !== undefined);
    return applied === undefined ? [] : notApplied(valueAt(live, path), applied, path);
  });
}

function notApplied(live: Json | undefined, applied: Json | undefined, path: FieldPath): readonly Omit<CollateralField, 'owner'>[] {
  if (live === undefined || equalsStored(live, applied)) return [];
  if (!isJsonObject(live)) return [{ field: formatPath(path), oldValue: live }];
  const known = isJsonObject(applied) ? applied : {};
  return Object.entries(live).flatMap(([name, value]) => notApplied(value, known[name], [...path, { kind: 'field', name }]));
}

/** The items that a manager applied, as path texts: what may go with what others keep in it once it is no longer declared. */
export function itemsAppliedBy(object: Json, manager: string): readonly string[] {
  const entry = managedFieldsOf(object).find((candidate) => isApplyEntryOf(candidate, manager));
  if (entry === undefined) return [];
  const recorded = isJsonObject(entry.fieldsV1) ? entry.fieldsV1 : writeFieldsV1(entry.fields);
  return itemPaths(recorded).map((path) => formatPath(path));
}

/**
 * The members of an applied set that are items or entries, in the order of `membersOf`: such a set names structs only by what is in them,
 * so these are the members with others below them. Found in FieldsV1 as it is: asked of each answer to an apply, and most fields are none.
 */
function itemPaths(fields: JsonObject, prefix: FieldPath = []): FieldPath[] {
  if (!containsItems(fields)) return [];
  const nodes = Object.keys(fields).flatMap((text) => {
    const below = isJsonObject(fields[text]) ? fields[text] : {};
    const inside = Object.keys(below).some((name) => name !== '.');
    const isMember = !inside || Object.hasOwn(below, '.');
    const isItem = isMember && (inside || text.startsWith('k:'));
    const element = isItem || inside ? elementOf(text) : undefined;
    return element === undefined ? [] : [{ element, path: [...prefix, element], below, inside, isItem }];
  });
  nodes.sort((left, right) => compareElements(left.element, right.element));
  const items = nodes.filter(({ isItem }) => isItem).map(({ path }) => path);
  return [...items, ...nodes.filter(({ inside }) => inside).flatMap(({ below, path }) => itemPaths(below, path))];
}

/** Whether there can be any below: cheap, and mostly not. */
function containsItems(fields: JsonObject): boolean {
  return Object.keys(fields).some((text) => {
    if (text.startsWith('k:')) return true;
    const below = fields[text];
    return isJsonObject(below) && ((Object.hasOwn(below, '.') && Object.keys(below).length > 1) || containsItems(below));
  });
}

/** Undefined for what is no element, as where FieldsV1 is read into a set. */
function elementOf(text: string): PathElement | undefined {
  if (!/^[fkvi]:/.test(text)) return undefined;
  try {
    return parseElement(text);
  } catch {
    return undefined;
  }
}

function leavesBelow(owner: ManagedFieldsEntry, path: FieldPath): FieldPath[] {
  let node = owner.fields;
  for (const element of path) {
    const below = node.children.get(serializeElement(element));
    if (below === undefined) return [];
    node = below;
  }
  return membersOf(node)
    .filter(({ leaf }) => leaf)
    .map((member) => [...path, ...member.path]);
}
