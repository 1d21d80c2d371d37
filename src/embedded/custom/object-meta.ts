import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { formatTime } from '../api/time.js';
import { isEmbedded, mapChildren, type StructuralSchema } from './structural-schema.js';

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
 * Returns metadata as ObjectMeta decodes it: without nulls, empty values and unknown members.
 * Source: Kubernetes API reference, ObjectMeta.
 */
export function typedMetadata(metadata: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(metadata).flatMap(typedMember));
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
  const inner = embedded(object, schema) as JsonObject;
  return isJsonObject(inner.metadata) ? { ...inner, metadata: typedMetadata(inner.metadata) } : inner;
}

function embedded(value: Json, schema: StructuralSchema): Json {
  const result = mapChildren(value, schema, embedded);
  if (!isEmbedded(schema) || !isJsonObject(result) || (result.metadata !== null && !isJsonObject(result.metadata))) return result;
  return { ...result, metadata: typedMetadata(result.metadata ?? {}) };
}

function typedMember([name, value]: [string, Json | undefined]): [string, Json][] {
  const type = members.get(name);
  if (type === undefined || value === null || value === undefined) return [];
  if (type === 'time') return timeMember(name, value);
  if (value === '' || (value === 0 && name === 'generation')) return [];
  if (Array.isArray(value))
    return value.length > 0 ? [[name, type === 'list' ? (value as Json[]).map((item) => withoutEmpty(item, name)) : value]] : [];
  if (!isJsonObject(value)) return [[name, value]];
  const names = Object.keys(value);
  if (names.length === 0) return [];
  const original = names.every((key) => value[key] !== undefined && value[key] !== null);
  return [[name, original ? value : Object.fromEntries(names.map((key) => [key, value[key] ?? '']))]];
}

function timeMember(name: string, value: Json): [string, Json][] {
  const shown = formatTime(value, name);
  return shown === null ? [] : [[name, shown]];
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
