import { isJsonObject, type Json } from '../../util/json.js';

/** Source: RFC 7386. */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const result: Record<string, Json> = isJsonObject(target) ? ({ ...target } as Record<string, Json>) : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = mergePatch(result[name], value as Json);
  }
  return result;
}
