import { isJsonObject, type Json } from '../../util/json.js';

const members = new Set(['op', 'path', 'from', 'value']);

/** Returns messages about members that the operations of a JSON patch have twice, or that no operation has. Source: KEP-2885. */
export function jsonPatchStrictErrors(patch: Json, duplicateFields: readonly string[]): readonly string[] {
  const operations = Array.isArray(patch) ? (patch as readonly Json[]) : [];
  const unknown = operations.flatMap((operation, index) => {
    const names = isJsonObject(operation) ? Object.keys(operation).filter((name) => !members.has(name)) : [];
    return names.map((name) => `json patch unknown field "[${index}].${name}"`);
  });
  return [...new Set(duplicateFields.map((path) => `json patch duplicate field ${JSON.stringify(path)}`)), ...unknown];
}
