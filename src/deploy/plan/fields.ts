import { type FieldPath, formatPath, membersOf, valueAt } from '../../fields/index.js';
import { applyEntryOf, isApplyEntryOf, type ManagedFieldsEntry, managedFieldsOf, ownerText } from '../../ownership/index.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { covers } from '../conflict-policy.js';
import type { FieldConflict } from '../events.js';
import { maskField } from '../secrets.js';
import type { PlannedField } from './types.js';

/** What an apply changes, field by field, judged from the object before and after it and the owners recorded in both. */
export function plannedFields(
  live: JsonObject,
  after: JsonObject,
  manager: string,
  contested: { readonly taken: readonly FieldConflict[]; readonly yielded: readonly FieldConflict[] },
): PlannedField[] {
  const declared = leavesOf(applyEntryOf(after, manager));
  const before = leavesOf(applyEntryOf(live, manager));
  const taken = new Set(contested.taken.map((conflict) => conflict.field));
  const fields = [...declared]
    .filter(([field]) => ![...taken].some((path) => covers(path, field)))
    .map(([field, path]) => declaredField(field, path, live, after, manager));
  const released = [...before]
    .filter(([field]) => !declared.has(field) && ![...declared.keys()].some((kept) => covers(field, kept)))
    .map(([field, path]) => releasedField(field, path, live, after, manager));
  return [
    ...contested.taken.map((conflict) => contestedField(conflict, 'take')),
    ...contested.yielded.map((conflict) => contestedField(conflict, 'yield')),
    ...[...fields, ...released].map((field) => maskField(field, after)),
  ];
}

/** All fields of an intent as `set`, for an object that does not exist yet. */
export function allSet(object: Json, path: FieldPath = []): PlannedField[] {
  if (isJsonObject(object) && Object.keys(object).length > 0) {
    return Object.entries(object)
      .filter(([name]) => path.length > 0 || !['apiVersion', 'kind'].includes(name))
      .filter(([name]) => !(path.length === 1 && formatPath(path) === '.metadata' && ['name', 'namespace', 'uid'].includes(name)))
      .flatMap(([name, value]) => (value === undefined ? [] : allSet(value, [...path, { kind: 'field', name }])));
  }
  return path.length === 0 ? [] : [{ field: formatPath(path), change: 'set', newValue: object }];
}

export function contestedField(conflict: FieldConflict, change: 'take' | 'yield' | 'conflict'): PlannedField {
  const { field, oldValue, newValue, from, operation, subresource } = conflict;
  return {
    field,
    change,
    ...(oldValue === undefined ? {} : { oldValue }),
    ...(newValue === undefined ? {} : { newValue }),
    owners: [ownerText({ manager: from, operation, subresource: subresource ?? '' })],
  };
}

function declaredField(field: string, path: FieldPath, live: JsonObject, after: JsonObject, manager: string): PlannedField {
  const oldValue = valueAt(live, path);
  const newValue = valueAt(after, path);
  const values = { ...(oldValue === undefined ? {} : { oldValue }), ...(newValue === undefined ? {} : { newValue }) };
  if (oldValue === undefined) return { field, change: 'set', ...values };
  if (!jsonEqual(oldValue, newValue)) return { field, change: 'change', ...values };
  const owners = otherOwners(after, field, manager);
  return owners.length > 0 ? { field, change: 'co-own', ...values, owners } : { field, change: 'same', ...values };
}

function releasedField(field: string, path: FieldPath, live: JsonObject, after: JsonObject, manager: string): PlannedField {
  const oldValue = valueAt(live, path);
  const newValue = valueAt(after, path);
  const old = oldValue === undefined ? {} : { oldValue };
  if (newValue === undefined) return { field, change: 'removed', ...old };
  const owners = otherOwners(after, field, manager);
  return owners.length > 0 ? { field, change: 'kept', ...old, newValue, owners } : { field, change: 'defaulted', ...old, newValue };
}

function leavesOf(entry: ManagedFieldsEntry | undefined): Map<string, FieldPath> {
  if (!entry) return new Map();
  return new Map([...membersOf(entry.fields)].filter((member) => member.leaf).map(({ path }) => [formatPath(path), path]));
}

function otherOwners(object: JsonObject, field: string, manager: string): string[] {
  const owners = managedFieldsOf(object)
    .filter((entry) => !isApplyEntryOf(entry, manager))
    .filter((entry) => [...membersOf(entry.fields)].some(({ path }) => formatPath(path) === field));
  return owners.map(ownerText);
}
