import type { Json } from '../../util/json.js';

/** Sizes of large values: a changed object shares most values with the object it was made from. */
const known = new WeakMap<object, number>();
/** A value of this size is found faster than measured. */
const minKnownSize = 256;

/** Returns true if an object takes more than some bytes: its keys and values, without what encodings add to them. */
export function exceedsSize(object: Json, limit: number): boolean {
  return sizeOf(object) > limit;
}

function sizeOf(value: Json): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object') return 4;
  if (value === null) return 0;
  const found = known.get(value);
  if (found !== undefined) return found;
  let size = 0;
  if (Array.isArray(value)) for (const item of value as readonly Json[]) size += sizeOf(item);
  else {
    for (const name in value) {
      const member = (value as Record<string, Json | undefined>)[name];
      size += name.length + 2 + (member === undefined ? 0 : sizeOf(member));
    }
  }
  if (size >= minKnownSize) known.set(value, size);
  return size;
}
