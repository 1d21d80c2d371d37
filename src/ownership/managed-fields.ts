import { type FieldSet, readFieldsV1 } from '../fields/index.js';
import { isJsonObject, type Json } from '../util/json.js';

/** One owner of fields of an object. Source: Kubernetes API reference, ManagedFieldsEntry. */
export interface ManagedFieldsEntry {
  readonly manager: string;
  /** Apply entries declare an intent; Update entries record writes by other verbs. One name may have both: two owners. */
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

/** The owners recorded in an object's `metadata.managedFields`. */
export function managedFieldsOf(object: Json | undefined): readonly ManagedFieldsEntry[] {
  const metadata = isJsonObject(object) ? object.metadata : undefined;
  const entries = isJsonObject(metadata) && Array.isArray(metadata.managedFields) ? (metadata.managedFields as readonly Json[]) : [];
  return entries.filter(isJsonObject).map((entry) => ({
    manager: String(entry.manager ?? ''),
    operation: entry.operation === 'Apply' ? 'Apply' : 'Update',
    apiVersion: String(entry.apiVersion ?? ''),
    subresource: String(entry.subresource ?? ''),
    time: typeof entry.time === 'string' ? entry.time : undefined,
    fields: readFieldsV1(entry.fieldsV1),
  }));
}

/** The entry that holds what a manager applied to the object itself, or to one of its subresources. */
export function applyEntryOf(object: Json | undefined, manager: string, subresource = ''): ManagedFieldsEntry | undefined {
  return managedFieldsOf(object).find((entry) => isApplyEntryOf(entry, manager, subresource));
}

/** Whether an entry is the manager's own intent for the object itself, or for one of its subresources. */
export function isApplyEntryOf(entry: ManagedFieldsEntry, manager: string, subresource = ''): boolean {
  return entry.manager === manager && entry.operation === 'Apply' && entry.subresource === subresource;
}

/** An owner as the reports print it: `kubectl (Update, scale)`, or just the name of a plain applier. */
export function ownerText(entry: Pick<ManagedFieldsEntry, 'manager' | 'operation' | 'subresource'>): string {
  const facts = [entry.operation === 'Update' ? 'Update' : undefined, entry.subresource || undefined].filter((fact) => fact !== undefined);
  return facts.length > 0 ? `${entry.manager} (${facts.join(', ')})` : entry.manager;
}
