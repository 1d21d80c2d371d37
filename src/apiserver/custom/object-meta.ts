import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { onceFor } from '../../util/once-for.js';
import { formatTime } from '../api/time.js';
import { additionalOf, isEmbedded, itemsOf, mapChildren, propertiesOf, type StructuralSchema } from './structural-schema.js';

const members = new Map<string, 'string' | 'time' | 'number' | 'strings' | 'list' | 'any'>([
  ...(['name', 'generateName', 'namespace', 'selfLink', 'uid', 'resourceVersion'] as const).map((name) => [name, 'string'] as const),
  ['creationTimestamp', 'time'],
  ['deletionTimestamp', 'time'],
  ['generation', 'number'],
  ['deletionGracePeriodSeconds', 'number'],
  ['labels', 'strings'],
  ['annotations', 'strings'],
  ['finalizers', 'list'],
  ['ownerReferences', 'list'],
  ['managedFields', 'list'],
]);

/**
 * Returns metadata as ObjectMeta decodes it: without nulls, empty values and unknown members; the metadata itself if it has none of them.
 * Source: Kubernetes API reference, ObjectMeta.
 */
export function typedMetadata(metadata: JsonObject): JsonObject {
  const result: Record<string, Json> = {};
  let isSame = true;
  for (const name of Object.keys(metadata)) {
    const value = metadata[name];
    const typed = typedMember(name, value);
    if (typed === undefined || typed !== value) isSame = false;
    if (typed !== undefined) result[name] = typed;
  }
  return isSame ? metadata : result;
}

const ownerMembers = new Set(['apiVersion', 'kind', 'name', 'uid', 'controller', 'blockOwnerDeletion']);

/** Returns the paths of fields that ObjectMeta does not have. */
export function unknownMetadata(metadata: Json, path: string): readonly string[] {
  if (!isJsonObject(metadata)) return [];
  const owners = Array.isArray(metadata.ownerReferences) ? (metadata.ownerReferences as readonly Json[]) : [];
  return [
    ...owners.flatMap((owner, index) => unknownNames(owner, ownerMembers, `${path}.ownerReferences[${index}]`)),
    ...unknownNames(metadata, members, path),
  ];
}

function unknownNames(value: Json, known: { has(name: string): boolean }, path: string): readonly string[] {
  if (!isJsonObject(value)) return [];
  const names = Object.keys(value).filter((name) => !known.has(name));
  return names.map((name) => `${path}.${name}`);
}

/** Returns an object with its metadata, and that of embedded resources, as ObjectMeta decodes it. */
export function withTypedMetadata(object: JsonObject, schema: StructuralSchema): JsonObject {
  const inner = withTypedEmbedded(object, schema) as JsonObject;
  return isJsonObject(inner.metadata) ? { ...inner, metadata: typedMetadata(inner.metadata) } : inner;
}

/** Returns a value with the metadata of embedded resources as ObjectMeta decodes it. */
export function withTypedEmbedded(value: Json, schema: StructuralSchema): Json {
  return hasEmbedded(schema) ? embedded(value, schema) : value;
}

/** Returns true for a schema that is or contains that of an embedded resource. */
const hasEmbedded: (schema: StructuralSchema) => boolean = onceFor((schema) => {
  const additional = additionalOf(schema);
  const children = [itemsOf(schema), additional === true ? undefined : additional, ...Object.values(propertiesOf(schema))];
  return isEmbedded(schema) || children.some((child) => child !== undefined && hasEmbedded(child));
});

function embedded(value: Json, schema: StructuralSchema): Json {
  const result = mapChildren(value, schema, embedded);
  if (!isEmbedded(schema) || !isJsonObject(result) || (result.metadata !== null && !isJsonObject(result.metadata))) return result;
  return { ...result, metadata: typedMetadata(result.metadata ?? {}) };
}

/** Returns a member of metadata as it is decoded; undefined if ObjectMeta omits it. */
function typedMember(name: string, value: Json | undefined): Json | undefined {
  const type = members.get(name);
  if (type === undefined || value === null || value === undefined) return undefined;
  if (type === 'time') return formatTime(value, name) ?? undefined;
  if (value === '' || (value === 0 && name === 'generation')) return undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : type === 'list' ? typedItems(name, value) : value;
  if (!isJsonObject(value)) return value;
  const names = Object.keys(value);
  if (names.length === 0) return undefined;
  const original = names.every((key) => value[key] !== undefined && value[key] !== null);
  return original ? value : Object.fromEntries(names.map((key) => [key, value[key] ?? '']));
}

function typedItems(name: string, items: readonly Json[]): readonly Json[] {
  const typed = items.map((item) => withoutEmpty(item, name));
  return typed.every((item, index) => item === items[index]) ? items : typed;
}

function withoutEmpty(item: Json, list: string): Json {
  if (item === null && list === 'ownerReferences') return {};
  if (item === null && list === 'finalizers') return '';
  if (!isJsonObject(item)) return item;
  const isKept = (name: string) => item[name] !== null && (list !== 'ownerReferences' || ownerMembers.has(name));
  const names = Object.keys(item);
  const kept = names.every(isKept) ? item : Object.fromEntries(names.filter(isKept).map((name) => [name, item[name] as Json]));
  if (list !== 'managedFields' || kept.time === undefined) return kept;
  const time = formatTime(kept.time, 'time');
  return time === kept.time ? kept : { ...kept, time };
}
