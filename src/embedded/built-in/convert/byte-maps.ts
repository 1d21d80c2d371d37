import { type RootType, resolve } from '../../../schema/index.js';
import { isJsonObject, type JsonObject } from '../../../util/json.js';

/** Members of a kind that are maps of bytes, such as `binaryData` of a ConfigMap. */
export function byteMapsOf({ schema, type }: RootType): readonly string[] {
  const fields = resolve(schema, type).map?.fields ?? new Map();
  return [...fields].flatMap(([name, field]) => {
    const element = resolve(schema, field.type).map?.element;
    return element !== undefined && resolve(schema, element).scalar?.format === 'byte' ? [name] : [];
  });
}

/**
 * The object with null bytes shown as the empty ones they are read back as. What is stored tells the two apart: a key without a value
 * is not written in the same bytes as a key with an empty one, so the next request writes although nothing is seen to change.
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
