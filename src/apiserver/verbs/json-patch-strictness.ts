import { isJsonObject, type Json } from '../../util/json.js';
import { maxJsonErrors } from '../http/strict-decoding.js';

const members = new Set(['op', 'path', 'from', 'value']);

/** Returns messages about members that the operations of a JSON patch have twice, or that no operation has. Source: KEP-2885. */
export function jsonPatchStrictErrors(patch: Json, duplicateFields: readonly string[]): readonly string[] {
  const operations = Array.isArray(patch) ? (patch as readonly Json[]) : [];
  const duplicates = [...new Set(duplicateFields)].map((path) => {
    const [, index = 0] = /^\[(\d+)\]/.exec(path) ?? [];
    return { index: Number(index), message: `json patch duplicate field ${JSON.stringify(path)}` };
  });
  const unknown = operations.flatMap((operation, index) => {
    const names = isJsonObject(operation) ? Object.keys(operation).filter((name) => !members.has(name)) : [];
    return names.map((name) => ({ index, message: `json patch unknown field "[${index}].${name}"` }));
  });
  const inOrder = [...duplicates, ...unknown].toSorted((left, right) => left.index - right.index);
  return inOrder.slice(0, maxJsonErrors).map(({ message }) => message);
}
