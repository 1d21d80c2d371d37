import type { Json, JsonObject } from '../../src/util/json.js';
import { isJsonObject } from '../../src/util/json.js';

/** RFC 7386. */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const result: Record<string, Json> = isJsonObject(target) ? ({ ...target } as Record<string, Json>) : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = mergePatch(result[name], value as Json);
  }
  return result;
}

/** RFC 6902, the operations that scenarios use. */
export function jsonPatch(target: Json, patch: Json): Json {
  let result = target;
  for (const { op, path, value } of patch as unknown as { op: string; path: string; value: Json }[]) {
    const steps = path
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    if (op !== 'test') result = patchAt(result, steps, op, value);
  }
  return result;
}

function patchAt(target: Json, [step, ...rest]: readonly string[], op: string, value: Json): Json {
  if (step === undefined) return value;
  if (Array.isArray(target)) {
    const items = [...(target as readonly Json[])];
    const index = step === '-' ? items.length : Number(step);
    if (rest.length > 0) items[index] = patchAt(items[index] as Json, rest, op, value);
    else if (op === 'add') items.splice(index, 0, value);
    else if (op === 'remove') items.splice(index, 1);
    else items[index] = value;
    return items;
  }
  const map = { ...(target as JsonObject) } as Record<string, Json>;
  if (rest.length > 0) map[step] = patchAt(map[step] as Json, rest, op, value);
  else if (op === 'remove') delete map[step];
  else map[step] = value;
  return map;
}
