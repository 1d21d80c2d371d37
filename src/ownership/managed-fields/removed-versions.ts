import {
  type FieldSet,
  fieldSetOfPaths,
  formatPath,
  isEmpty,
  membersOf,
  readFieldsV1,
  union,
  valueAt,
  writeFieldsV1,
} from '../../fields/index.js';
import { metadataOf } from '../../fields/object.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { type ManagedFieldsEntry, ownerText, recordedFieldsOf } from './managed-fields.js';
import { isApiVersion } from './unreadable-entries.js';

/** An entry of managedFields that names a version other than the manager's. */
export interface EntryOfVersion {
  /** The owner, as `ownerText` prints it. */
  readonly owner: string;
  readonly apiVersion: string;
}

/** Returns other versions of an object's own group that its managedFields name. Subresources such as `scale` have their own group. */
export function otherVersionsIn(object: JsonObject, apiVersion: string): readonly string[] {
  const versions = recordedFieldsOf(object).map((entry) => entry.apiVersion);
  return [...new Set(versions)].filter(
    (version) => version !== apiVersion && isApiVersion(version) && groupOf(version) === groupOf(apiVersion),
  );
}

export function entriesOfVersions(object: JsonObject, versions: ReadonlySet<string>): readonly EntryOfVersion[] {
  return recordedFieldsOf(object)
    .filter((entry) => versions.has(entry.apiVersion))
    .map((entry) => ({ owner: ownerText(entry), apiVersion: entry.apiVersion }));
}

/** managedFields without removed versions, and the fields that were dropped with them. */
export interface RewrittenEntries {
  readonly entries: readonly Json[];
  /** Paths that the served object does not have: `field of owner`. */
  readonly dropped: readonly string[];
}

/**
 * Returns the managedFields of a live object with the entries of removed versions rewritten to the version in which the object was read:
 * every owner keeps its fields that still exist under the same path. Removing the entries, as the server does if a built-in kind loses a
 * version, would leave their fields to the next writer, without a conflict.
 */
export function withoutVersions(live: JsonObject, versions: ReadonlySet<string>): RewrittenEntries {
  const apiVersion = String(live.apiVersion);
  const metadata = metadataOf(live);
  const raw = (Array.isArray(metadata.managedFields) ? (metadata.managedFields as readonly Json[]) : []).filter(isJsonObject);
  const dropped: string[] = [];
  const kept = new Map<string, JsonObject>();
  for (const entry of raw) {
    const isRemoved = versions.has(String(entry.apiVersion));
    const fields = readFieldsV1(entry.fieldsV1);
    const remaining = isRemoved ? fieldsOf(live, fields) : fields;
    if (isRemoved) dropped.push(...droppedOf(live, fields).map((field) => `${field} of ${ownerText(ownerOf(entry))}`));
    const renamed = isRemoved ? { ...entry, apiVersion } : entry;
    const key = JSON.stringify([
      renamed.manager,
      renamed.operation,
      renamed.operation === 'Apply' ? '' : renamed.apiVersion,
      renamed.subresource,
    ]);
    const same = kept.get(key);
    if (same !== undefined) kept.set(key, { ...same, fieldsV1: writeFieldsV1(union(readFieldsV1(same.fieldsV1), remaining)) });
    else if (!isRemoved) kept.set(key, entry);
    else if (!isEmpty(remaining)) kept.set(key, { ...renamed, fieldsV1: writeFieldsV1(remaining) });
  }
  return { entries: [...kept.values()], dropped };
}

function fieldsOf(live: JsonObject, fields: FieldSet): FieldSet {
  const paths = membersOf(fields).map(({ path }) => path);
  return fieldSetOfPaths(paths.filter((path) => valueAt(live, path) !== undefined));
}

function droppedOf(live: JsonObject, fields: FieldSet): readonly string[] {
  return membersOf(fields)
    .filter(({ path, leaf }) => leaf && valueAt(live, path) === undefined)
    .map(({ path }) => formatPath(path));
}

function ownerOf({ manager, operation, subresource }: JsonObject): Pick<ManagedFieldsEntry, 'manager' | 'operation' | 'subresource'> {
  return { manager: String(manager ?? ''), operation: operation === 'Apply' ? 'Apply' : 'Update', subresource: String(subresource ?? '') };
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}
