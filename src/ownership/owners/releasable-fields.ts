import {
  difference,
  emptyFieldSet,
  type FieldPath,
  type FieldSet,
  fieldKey,
  isEmpty,
  membersOf,
  parseElement,
  readFieldsV1,
  union,
  writeFieldsV1,
} from '../../fields/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import type { ManagedFieldsEntry } from '../managed-fields/managed-fields.js';

/**
 * Returns the fields that an owner can release to another that declares the same fields, so that the owner loses nothing when the other
 * drops them: the fields of both, and containers in which the owner has no other field. The owner keeps a list item or map entry (with the
 * keys that name it) as long as it keeps a field inside, because dropping an item with a single owner removes the whole item. Source:
 * Kubernetes documentation "Server-Side Apply"; the removal with a dropped item was observed.
 *
 * @param isRetained returns true if the owner really keeps a remaining field: a field that the server only defaulted in its name does not
 * keep a container.
 */
export function releasableFields(owned: FieldSet, declared: FieldSet, isRetained: (path: FieldPath) => boolean = () => true): FieldSet {
  return releasableBelow(owned, declared, isRetained, []);
}

function releasableBelow(owned: FieldSet, declared: FieldSet, isRetained: (path: FieldPath) => boolean, prefix: FieldPath): FieldSet {
  const members = new Set<string>();
  const children = new Map<string, FieldSet>();
  for (const text of new Set([...owned.members, ...owned.children.keys()])) {
    const element = parseElement(text);
    const inside = owned.children.get(text) ?? emptyFieldSet;
    const wanted = declared.children.get(text) ?? emptyFieldSet;
    const below = isEmpty(inside) || isEmpty(wanted) ? emptyFieldSet : releasableBelow(inside, wanted, isRetained, [...prefix, element]);
    const rest = difference(inside, below);
    const keys = new Set(element.kind === 'key' ? element.keys.map(([name]) => fieldKey(name)) : []);
    const retainsField = [...membersOf(withoutMembers(rest, keys), [...prefix, element])].some(
      ({ path, leaf }) => leaf && isRetained(path),
    );
    const declaresIt = declared.members.has(text);
    const released = declaresIt && retainsField ? withoutMembers(below, keys) : below;
    if (!isEmpty(released)) children.set(text, released);
    if (!owned.members.has(text)) continue;
    if (declaresIt ? !retainsField : !isEmpty(below) && isEmpty(rest)) members.add(text);
  }
  return members.size === 0 && children.size === 0 ? emptyFieldSet : { members, children };
}

function withoutMembers(set: FieldSet, names: ReadonlySet<string>): FieldSet {
  const members = new Set([...set.members].filter((name) => !names.has(name)));
  return members.size === 0 && set.children.size === 0 ? emptyFieldSet : { members, children: set.children };
}

/** The identity of an entry of managedFields; the server has at most one of each. */
export type EntryIdentity = Pick<ManagedFieldsEntry, 'manager' | 'operation' | 'apiVersion' | 'subresource'>;

/**
 * Returns an object's managedFields without some fields of some entries; an emptied entry is removed, and the rest stays as the server
 * wrote it.
 */
export function entriesWithout(
  object: JsonObject,
  transfers: readonly { readonly from: EntryIdentity; readonly fields: FieldSet }[],
): readonly Json[] {
  return rawEntries(object).flatMap((entry) => {
    const transfer = transfers.find(({ from }) => isEntry(entry, from));
    if (transfer === undefined) return [entry];
    const left = difference(readFieldsV1(entry.fieldsV1), transfer.fields);
    return isEmpty(left) ? [] : [{ ...entry, fieldsV1: writeFieldsV1(left) }];
  });
}

/** Returns an object's managedFields with fields added to an entry, which is created if it is missing. */
export function entriesWith(object: JsonObject, from: EntryIdentity, fields: FieldSet): readonly Json[] {
  const entries = rawEntries(object);
  if (entries.some((entry) => isEntry(entry, from))) {
    return entries.map((entry) =>
      isEntry(entry, from) ? { ...entry, fieldsV1: writeFieldsV1(union(readFieldsV1(entry.fieldsV1), fields)) } : entry,
    );
  }
  const { subresource, ...identity } = from;
  return [...entries, { ...identity, fieldsType: 'FieldsV1', fieldsV1: writeFieldsV1(fields), ...(subresource ? { subresource } : {}) }];
}

function rawEntries({ metadata }: JsonObject): readonly JsonObject[] {
  const entries = isJsonObject(metadata) && Array.isArray(metadata.managedFields) ? (metadata.managedFields as readonly Json[]) : [];
  return entries.filter(isJsonObject);
}

function isEntry(entry: JsonObject, { manager, operation, apiVersion, subresource }: EntryIdentity): boolean {
  const matches = entry.manager === manager && entry.operation === operation && (entry.subresource ?? '') === subresource;
  return matches && (operation === 'Apply' || entry.apiVersion === apiVersion);
}
