import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';

/** Sizes of large values: a changed object shares most values with the object it was made from. */
const known = new WeakMap<object, number>();
/** A value of this size is found faster than measured. */
const minKnownSize = 256;
/** The characters of JSON around a text or the name of a member, and those of a list or map. */
const punctuation = 3;

/** Returns true if the JSON text of an object, without its escapes, has more than some characters. */
export function exceedsSize(object: JsonObject, limit: number): boolean {
  let size = punctuation;
  // The object and its metadata are new at every write.
  for (const name in object) size += memberSize(name, name === 'metadata' && isJsonObject(object.metadata) ? 0 : object[name]);
  if (isJsonObject(object.metadata)) for (const name in object.metadata) size += memberSize(name, object.metadata[name]);
  return size > limit;
}

function memberSize(name: string, member: Json | undefined): number {
  return name.length + punctuation + (member === undefined ? 0 : sizeOf(member));
}

function sizeOf(value: Json): number {
  if (typeof value === 'string') return value.length + punctuation;
  if (typeof value !== 'object') return 5;
  if (value === null) return 0;
  const found = known.get(value);
  if (found !== undefined) return found;
  let size = punctuation;
  if (Array.isArray(value)) for (const item of value as readonly Json[]) size += sizeOf(item);
  else {
    for (const name in value) size += memberSize(name, (value as JsonObject)[name]);
  }
  if (size >= minKnownSize) known.set(value, size);
  return size;
}
