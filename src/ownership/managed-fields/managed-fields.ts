import { type FieldSet, fieldSetOfPaths, membersOf, readFieldsV1, union, valueAt } from '../../fields/index.js';
import { equalsStored, isUnverifiable } from '../../merge/dynamic/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { covers } from '../owners/covers.js';
import { type AppliedIntent, appliedIntentsOf, fieldsOfApplied } from '../requests/applied-intent.js';

/** One owner of fields of an object. Source: Kubernetes API reference, ManagedFieldsEntry. */
export interface ManagedFieldsEntry {
  readonly manager: string;
  /** Apply entries declare an intent; Update entries record writes by other verbs. A manager may have both, as two owners. */
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  readonly time: string | undefined;
  readonly fields: FieldSet;
  /** The fields as the server recorded them; absent if an annotation replaces them. */
  readonly fieldsV1?: Json | undefined;
  /** The intent of a stack of the strategy `dynamic`, read from its annotation. */
  readonly applied?: AppliedIntent;
}

/**
 * Returns the owners of an object: those that the server records in `metadata.managedFields`, and the stacks of the strategy `dynamic`,
 * whose intents are stored in annotations. The server records a write of such a stack as an Update of the same manager; it is part of the
 * intent.
 */
export function managedFieldsOf(object: Json | undefined): readonly ManagedFieldsEntry[] {
  const recorded = recordedFieldsOf(object);
  const applied = appliedIntentsOf(object);
  if (applied.length === 0) return recorded;
  const isWritten = (entry: ManagedFieldsEntry) => entry.subresource === '' && applied.some(({ manager }) => manager === entry.manager);
  const declared = applied.map((one) =>
    entryOf(
      object as Json,
      one,
      recorded.filter((entry) => isOwn(entry, one.manager)),
    ),
  );
  return [...declared, ...recorded.filter((entry) => !isWritten(entry))];
}

/** Returns the owners that the server itself records. */
export function recordedFieldsOf(object: Json | undefined): readonly ManagedFieldsEntry[] {
  const metadata = isJsonObject(object) ? object.metadata : undefined;
  const entries = isJsonObject(metadata) && Array.isArray(metadata.managedFields) ? (metadata.managedFields as readonly Json[]) : [];
  return entries.filter(isJsonObject).map(readEntry);
}

/** Reads an entry; its fields are parsed on first use, because most callers only need the owner and the time. */
function readEntry(entry: JsonObject): ManagedFieldsEntry {
  let fields: FieldSet | undefined;
  return {
    manager: memberText(entry.manager),
    operation: entry.operation === 'Apply' ? 'Apply' : 'Update',
    apiVersion: memberText(entry.apiVersion),
    subresource: memberText(entry.subresource),
    time: typeof entry.time === 'string' ? entry.time : undefined,
    fieldsV1: entry.fieldsV1,
    get fields() {
      fields ??= readFieldsV1(entry.fieldsV1);
      return fields;
    },
  };
}

function memberText(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Returns the declared fields with unchanged values: a field that another manager changed since belongs to that manager. */
function entryOf(object: Json, applied: AppliedIntent, own: readonly ManagedFieldsEntry[]): ManagedFieldsEntry {
  const { manager, intent } = applied;
  const declared = fieldsOfApplied(applied);
  const stands = membersOf(declared).filter(({ path, leaf }) => {
    const live = valueAt(object, path);
    const applied = valueAt(intent, path);
    // Without the key this is unknown: the server's record decides, and without a record the field may still be the stack's.
    const isStill = leaf && !(isUnverifiable(applied) && own.length === 0) ? equalsStored(live, applied) : live !== undefined;
    return isStill || own.some(({ fields }) => covers(fields, path));
  });
  const fields = hasContent(object) ? fieldSetOfPaths(stands.map(({ path }) => path)) : declared;
  const time = own
    .map((entry) => entry.time ?? '')
    .sort()
    .at(-1);
  return {
    manager,
    operation: 'Apply',
    apiVersion: String(intent.apiVersion ?? ''),
    subresource: '',
    time: time === '' ? undefined : time,
    fields: own.reduce((set, entry) => (entry.operation === 'Apply' ? union(set, entry.fields) : set), fields),
    applied,
  };
}

function isOwn(entry: ManagedFieldsEntry, manager: string): boolean {
  return entry.manager === manager && entry.subresource === '';
}

/** A response may contain only metadata. */
function hasContent(object: Json): boolean {
  return isJsonObject(object) && Object.keys(object).some((name) => !['apiVersion', 'kind', 'metadata'].includes(name));
}

/** Returns the entry of a manager's apply to the object itself, or to one of its subresources. */
export function applyEntryOf(object: Json | undefined, manager: string, subresource = ''): ManagedFieldsEntry | undefined {
  return managedFieldsOf(object).find((entry) => isApplyEntryOf(entry, manager, subresource));
}

/** Returns true if an entry is the manager's own intent for the object itself, or for one of its subresources. */
export function isApplyEntryOf(
  entry: Pick<ManagedFieldsEntry, 'manager' | 'operation' | 'subresource'>,
  manager: string,
  subresource = '',
): boolean {
  return entry.manager === manager && entry.operation === 'Apply' && entry.subresource === subresource;
}

/** Returns an owner as reports print it: `kubectl (Update, scale)`, or only the name of a plain applier. */
export function ownerText(entry: Pick<ManagedFieldsEntry, 'manager' | 'operation' | 'subresource'>): string {
  const facts = [entry.operation === 'Update' ? 'Update' : undefined, entry.subresource || undefined].filter((fact) => fact !== undefined);
  return facts.length > 0 ? `${entry.manager} (${facts.join(', ')})` : entry.manager;
}

/**
 * Returns true if no other Apply entry follows that of a manager. Applying a value that the server omits from storage, such as `false` or
 * an empty map, renews the time of the manager's entry. That alone is not a write; but entries are sorted by time, and a changed order is a
 * write. Source: observed.
 */
export function appliedLast(object: Json, manager: string): boolean {
  const last = recordedFieldsOf(object)
    .filter(({ operation }) => operation === 'Apply')
    .at(-1);
  return last !== undefined && isApplyEntryOf(last, manager);
}

/** The name of an unrecorded writer of a field. */
export const anotherWriter = 'another writer';
