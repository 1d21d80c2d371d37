import { readFieldsV1Strictly } from '../../fields/index.js';
import { metadataOf } from '../../fields/object.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';

/** An entry of managedFields that no API server writes: its ownership is unknown. */
export interface UnreadableEntry {
  readonly index: number;
  /** Empty if the entry has none. */
  readonly manager: string;
  /** The reason, such as `entry 2 (manager "old") has no apiVersion`. */
  readonly reason: string;
}

/** Returns the unreadable entries of an object. Source: Kubernetes API reference, ManagedFieldsEntry. */
export function unreadableEntries(object: Json | undefined): readonly UnreadableEntry[] {
  const metadata = isJsonObject(object) ? object.metadata : undefined;
  const entries = isJsonObject(metadata) && Array.isArray(metadata.managedFields) ? (metadata.managedFields as readonly Json[]) : [];
  if (entries.length === 1 && isJsonObject(entries[0]) && Object.keys(entries[0]).length === 0) return []; // `[{}]` clears managedFields on purpose.
  return entries.flatMap((entry, index) => {
    const reason = isJsonObject(entry) ? reasonOf(entry) : 'is not an object';
    if (reason === undefined) return [];
    const manager = isJsonObject(entry) && typeof entry.manager === 'string' ? entry.manager : '';
    const who = manager === '' ? '' : ` (manager ${JSON.stringify(manager)})`;
    return [{ index, manager, reason: `entry ${index}${who} ${reason}` }];
  });
}

/** Returns the object without its unreadable entries. */
export function withReadableEntries(object: JsonObject): JsonObject {
  const unreadable = new Set(unreadableEntries(object).map(({ index }) => index));
  if (unreadable.size === 0) return object;
  const metadata = metadataOf(object);
  const entries = (metadata.managedFields as readonly Json[]).filter((_, index) => !unreadable.has(index));
  return { ...object, metadata: { ...metadata, managedFields: entries } };
}

function reasonOf({ manager, operation, apiVersion, subresource, fieldsV1 }: JsonObject): string | undefined {
  if (!isTextOrAbsent(manager)) return 'has a manager that is not a string';
  if (operation !== 'Apply' && operation !== 'Update') return 'has no known operation';
  if (apiVersion === undefined || apiVersion === '') return 'has no apiVersion';
  if (!isApiVersion(apiVersion)) return 'has an invalid apiVersion';
  if (!isTextOrAbsent(subresource)) return 'has a subresource that is not a string';
  if (fieldsV1 === undefined) return 'has no fieldsV1';
  try {
    readFieldsV1Strictly(fieldsV1);
    return undefined;
  } catch {
    return 'has unreadable fieldsV1';
  }
}

function isTextOrAbsent(value: Json | undefined): boolean {
  return value === undefined || typeof value === 'string';
}

/** Returns true if a value is a possible apiVersion; servers are only asked for those. */
export function isApiVersion(value: Json | undefined): value is string {
  return typeof value === 'string' && /^(?:[a-z0-9.-]+\/)?[a-z][a-z0-9]*$/.test(value);
}
