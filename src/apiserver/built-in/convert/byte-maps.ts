import { type RootType, resolve } from '../../../schema/index.js';
import { isJsonObject, type JsonObject } from '../../../util/json.js';

/** Returns the members of a kind that are maps of bytes, such as `binaryData` of a ConfigMap. */
export function byteMapsOf({ schema, type }: RootType): readonly string[] {
  const fields = resolve(schema, type).map?.fields ?? new Map();
  return [...fields].flatMap(([name, field]) => {
    const element = resolve(schema, field.type).map?.element;
    return element !== undefined && resolve(schema, element).scalar?.format === 'byte' ? [name] : [];
  });
}

/**
 * Returns the object with null bytes as empty strings, which is how they are decoded. The stored form distinguishes the two: null is
 * encoded differently from an empty value, so the next request writes the object although no visible field changes.
 * Source: observed.
 */
export function withDecodedBytes(byteMaps: readonly string[], object: JsonObject): JsonObject {
  let shown = object;
  for (const name of byteMaps) {
    const map = object[name];
    if (!isJsonObject(map) || !Object.values(map).includes(null)) continue;
    shown = { ...shown, [name]: Object.fromEntries(Object.entries(map).map(([key, bytes]) => [key, bytes ?? ''])) };
  }
  return shown;
}
