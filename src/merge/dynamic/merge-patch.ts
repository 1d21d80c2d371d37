import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { isAbsent, withoutNulls } from './presence.js';

/**
 * Returns the JSON merge patch from `live` to `merged`: removed members are null, lists are whole. Source: RFC 7386.
 *
 * @returns undefined if nothing changes.
 */
export function mergePatchOf(live: JsonObject, merged: JsonObject): JsonObject | undefined {
  const patch: [string, Json][] = [];
  for (const name of new Set([...Object.keys(live), ...Object.keys(merged)])) {
    const [from, to] = [own(live, name), own(merged, name)];
    const change = changeOf(from, to);
    if (change !== undefined) patch.push([name, change]);
  }
  return patch.length === 0 ? undefined : Object.fromEntries(patch);
}

function changeOf(from: Json | undefined, to: Json | undefined): Json | undefined {
  if (from === to || (isAbsent(from) && isAbsent(to))) return undefined;
  if (isAbsent(to)) return null;
  if (isJsonObject(from) && isJsonObject(to)) return mergePatchOf(from, to);
  return jsonEqual(from, to) ? undefined : withoutNulls(to);
}

function own(map: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}
