import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { sorted } from './patched-text.js';

/** A patch that cannot be applied; the message is the server's. */
export class PatchError extends Error {
  override readonly name = 'PatchError';
}

/** Applies a JSON patch. Source: RFC 6902. @throws PatchError */
export function jsonPatch(target: Json, operations: readonly JsonObject[]): Json {
  let result = target;
  for (const operation of operations) {
    const { op, path, from, value } = operation as { op?: string; path?: string; from?: string; value?: Json };
    const at = steps(path);
    switch (op) {
      case 'add':
        result = change(result, at, 'add', value ?? null, String(path));
        break;
      case 'replace':
        // The server accepts the replacement of an absent member if its parent exists.
        result = change(result, at, 'replace', value ?? null, String(path));
        break;
      case 'remove':
        if (read(result, at) === undefined)
          throw new PatchError(`remove operation does not apply: doc is missing path: "${path}": missing value`);
        result = change(result, at, 'remove', null, String(path));
        break;
      case 'test': {
        const found = read(result, at);
        if (!jsonEqual(found ?? null, value ?? null)) throw new PatchError(`testing value ${path} failed: test failed`);
        break;
      }
      case 'copy':
      case 'move': {
        const source = steps(from);
        // The copy of an absent member is null if its parent exists.
        const isCopyOfNone = op === 'copy' && isJsonObject(read(result, source.slice(0, -1)) ?? null);
        const existing = read(result, source);
        const found = existing === undefined && isCopyOfNone ? null : existing;
        if (found === undefined) throw new PatchError(`${op} operation does not apply: doc is missing from path: ${from}: missing value`);
        if (op === 'move') result = change(result, steps(from), 'remove', null, String(from));
        // The server copies its serialized text, so unknown fields of the copy are reported in sorted order.
        result = change(result, at, 'add', sorted(found), String(path));
        break;
      }
      default:
        throw new PatchError(`Unexpected kind: ${op ?? ''}`);
    }
  }
  return result;
}

function steps(path: string | undefined): readonly string[] {
  if (path === undefined || path === '') return [];
  return path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function read(target: Json, path: readonly string[]): Json | undefined {
  let value: Json | undefined = target;
  for (const step of path) {
    if (Array.isArray(value)) value = (value as readonly Json[])[Number(step)];
    else value = isJsonObject(value) ? value[step] : undefined;
  }
  return value;
}

function change(target: Json, [step, ...rest]: readonly string[], op: 'add' | 'remove' | 'replace', value: Json, path: string): Json {
  if (step === undefined) return value;
  if (Array.isArray(target)) {
    const items = [...(target as readonly Json[])];
    const adds = op === 'add' && rest.length === 0;
    const index = step === '-' && adds ? items.length : Number(step);
    if (!Number.isInteger(index) || index < 0 || index >= items.length + (adds ? 1 : 0))
      throw new PatchError(`Unable to access invalid index: ${step}: invalid index referenced`);
    if (rest.length > 0) items[index] = change(items[index] ?? null, rest, op, value, path);
    else if (op === 'add') items.splice(index, 0, value);
    else if (op === 'remove') items.splice(index, 1);
    else items[index] = value;
    return items;
  }
  if (!isJsonObject(target)) throw new PatchError(`${op} operation does not apply: doc is missing path: "${path}": missing value`);
  const map = { ...target } as Record<string, Json>;
  if (rest.length > 0) {
    if (map[step] === undefined) throw new PatchError(`${op} operation does not apply: doc is missing path: "${path}": missing value`);
    map[step] = change(map[step] as Json, rest, op, value, path);
  } else if (op === 'remove') delete map[step];
  else map[step] = value;
  return map;
}
