import { isJsonObject, type Json, setMember } from '../../util/json.js';

/** Applies a JSON merge patch. Source: RFC 7386. */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  // The server also removes nulls from a list, unless the list replaces a map. Source: observed.
  if (!isJsonObject(patch)) return isJsonObject(target) ? patch : withoutNullMembers(patch);
  const result: Record<string, Json> = isJsonObject(target) ? ({ ...target } as Record<string, Json>) : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else setMember(result, name, mergePatch(Object.hasOwn(result, name) ? result[name] : undefined, value as Json));
  }
  return result;
}

function withoutNullMembers(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(withoutNullMembers);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutNullMembers(member as Json)]));
}
