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
} from '../fields/index.js';
import { metadataOf } from '../kubernetes/object.js';
import { isJsonObject, type Json, type JsonObject } from '../util/json.js';
import { type ManagedFieldsEntry, ownerText, recordedFieldsOf } from './managed-fields.js';
import { isApiVersion } from './unreadable-entries.js';

/** An entry of managedFields that names another version than a manager can apply in. */
export interface EntryOfVersion {
  /** As `ownerText` prints it. */
  readonly owner: string;
  readonly apiVersion: string;
}

/** Other versions of an object's own group that its managedFields name. Subresources such as `scale` have a group of their own. */
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

/** managedFields without versions that are gone, and the fields that went with them. */
export interface RewrittenEntries {
  readonly entries: readonly Json[];
  /** Paths of which the object, as it is served now, knows nothing: `field of owner`. */
  readonly dropped: readonly string[];
}

/**
 * The managedFields of a live object with the entries of removed versions rewritten to the version in which the object was read: every
 * owner keeps what it owns, as far as it is there under the same path. To remove the entries, as the server does where a built-in kind loses
 * a version, would leave the fields of their owners to whoever writes next, without a conflict.
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
