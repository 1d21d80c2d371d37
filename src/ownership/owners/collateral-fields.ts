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
} from '../../fields/index.js';
import { equalsStored } from '../../merge/dynamic/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import {
  anotherWriter,
  isApplyEntryOf,
  type ManagedFieldsEntry,
  managedFieldsOf,
  recordedFieldsOf,
} from '../managed-fields/managed-fields.js';
import { containerOwners } from './container-owners.js';
import { hasDescendants } from './covers.js';

/**
 * Another manager's field that is removed because the list item or map entry around it is removed, or because it was a part of an atomic
 * value.
 */
export interface CollateralField {
  /** The path of the field as text. */
  readonly field: string;
  readonly owner: ManagedFieldsEntry;
  readonly oldValue: Json | undefined;
}

/**
 * Returns the fields of others that an apply of `intent` removes: an item of a map list, or an entry of a map of structs, that one of
 * `managers` applied and no longer declares is removed whole if no other manager owns the item itself. A manager that applied a field in
 * the item owns the item; one that only updated a field does not. Source: observed, Kubernetes 1.36 (`d-updater-inside-*`).
 *
 * If items were merged client-side in a list that the server treats as one value, or if the server records no owners, the writer of a value
 * is unknown: all values that were not applied count as another writer's.
 *
 * Fields that others own as parts of an atomic value are removed with the value that contains them, item or not; see `containerOwners`.
 *
 * @param stackManagers all managers of the stack, if only some of them drop fields
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
        found.set(ownedFieldKey(field, owner), { field, owner, oldValue: valueAt(live, inside) });
      }
    }
  }
  for (const { field, oldValue } of unattributedFields(live, dropped, entries.filter(isOurs))) {
    found.set(field, { field, owner: unknownOwner, oldValue });
  }
  for (const { path, owners } of droppedContainerFields(live, intent, managers, stackManagers)) {
    const field = formatPath(path);
    for (const owner of owners) found.set(ownedFieldKey(field, owner), { field, owner, oldValue: valueAt(live, path) });
  }
  return [...found.values()];
}

function ownedFieldKey(field: string, { manager, operation, subresource }: ManagedFieldsEntry): string {
  return `${field} ${manager} ${operation} ${subresource}`;
}

/** Returns the outermost parts of others' values that the managers applied and an intent does not declare. */
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

/** Returns the items that a manager applied, as path texts: fields of others in them may be removed once the item is no longer declared. */
export function itemsAppliedBy(object: Json, manager: string): readonly string[] {
  const entry = managedFieldsOf(object).find((candidate) => isApplyEntryOf(candidate, manager));
  if (entry === undefined) return [];
  const recorded = isJsonObject(entry.fieldsV1) ? entry.fieldsV1 : writeFieldsV1(entry.fields);
  return itemPaths(recorded).map((path) => formatPath(path));
}

/**
 * Returns the members of an applied set that are items or entries, in the order of `membersOf`: an applied set names structs only by their
 * descendants, so these are the members with others below them. Works on FieldsV1 directly, because it runs for every response to an apply
 * and most fields are scalars.
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

/** Returns true if there may be items below: a cheap check that usually fails. */
function containsItems(fields: JsonObject): boolean {
  return Object.keys(fields).some((text) => {
    if (text.startsWith('k:')) return true;
    const below = fields[text];
    return isJsonObject(below) && ((Object.hasOwn(below, '.') && Object.keys(below).length > 1) || containsItems(below));
  });
}

/** Returns the element of a key; undefined if it is not an element, which `readFieldsV1` also skips. */
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
