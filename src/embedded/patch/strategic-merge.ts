import { resolve, type Schema, type TypeRef } from '../../schema/index.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { badRequest, internalError } from '../api/failure.js';

const orderPrefix = '$setElementOrder/';

/** Where the patch merge key is not the first key of the list. Source: Kubernetes API reference, `patch merge key` of each list. */
const mergeKeys: Readonly<Record<string, string>> = { ports: '', topologySpreadConstraints: 'topologyKey' };

/**
 * A strategic merge patch: lists with a merge key are merged item by item.
 * Source: Kubernetes documentation "Update API Objects in Place Using kubectl patch"; directives `$patch`, `$retainKeys`,
 * `$deleteFromPrimitiveList`, `$setElementOrder`.
 */
export function strategicMerge(schema: Schema, ref: TypeRef | undefined, target: Json | undefined, patch: Json): Json | undefined {
  if (!isJsonObject(patch)) return patch;
  const { $patch: directive, $retainKeys: retained, ...members } = patch;
  if (directive === 'delete') return undefined;
  const type = ref === undefined ? undefined : resolve(schema, ref);
  const result: Record<string, Json> = directive !== 'replace' && isJsonObject(target) ? ({ ...target } as Record<string, Json>) : {};
  const names = Object.keys(members).filter((name) => !name.startsWith('$'));
  if (Array.isArray(retained) && names.some((name) => !(retained as Json[]).includes(name)))
    throw badRequest('invalid patch format of retainKeys');
  if (Array.isArray(retained)) for (const name of Object.keys(result)) if (!(retained as Json[]).includes(name)) delete result[name];
  for (const [given, value] of Object.entries(members) as [string, Json][]) {
    const isOrder = given.startsWith(orderPrefix);
    const name = isOrder ? given.slice(orderPrefix.length) : given;
    if (isOrder && (members[name] !== undefined || !Array.isArray(result[name]))) continue;
    if (name.startsWith('$deleteFromPrimitiveList/')) {
      const list = name.slice('$deleteFromPrimitiveList/'.length);
      const gone = value as readonly Json[];
      if (Array.isArray(result[list]))
        result[list] = (result[list] as readonly Json[]).filter((item) => !gone.some((each) => jsonEqual(each, item)));
      continue;
    }
    if (value === null) {
      delete result[name];
      continue;
    }
    const field = type?.map?.fields.get(name)?.type ?? type?.map?.element;
    const merged = Array.isArray(value)
      ? mergeList(schema, field, name, result[name], isOrder ? [] : (value as readonly Json[]), members[`${orderPrefix}${name}`])
      : strategicMerge(schema, field, result[name], value);
    if (merged === undefined) delete result[name];
    else result[name] = merged;
  }
  return result;
}

function mergeList(
  schema: Schema,
  ref: TypeRef | undefined,
  name: string,
  target: Json | undefined,
  patch: readonly Json[],
  order: Json | undefined,
): Json {
  const list = ref === undefined ? undefined : resolve(schema, ref).list;
  const live = Array.isArray(target) ? [...(target as readonly Json[])] : [];
  if (list === undefined) return patch as Json;
  const key = keyOf(name, list.keys);
  if (key === undefined) {
    if (list.relation === 'atomic') return patch as Json;
    const all = [...live, ...patch];
    const each = all.filter((item, index) => all.findIndex((other) => jsonEqual(item, other)) === index);
    return Array.isArray(target) ? ordered(each, (item) => item, live, Array.isArray(order) ? (order as readonly Json[]) : patch) : patch;
  }
  // A list that is not there yet is taken as it comes, repeated keys and all.
  if (!Array.isArray(target)) {
    return patch.flatMap((item) => strategicMerge(schema, list.element, isJsonObject(item) ? {} : undefined, item) ?? []) as Json;
  }
  if (patch.some((item) => isJsonObject(item) && item.$patch === 'replace')) {
    return patch.filter((item) => !(isJsonObject(item) && item.$patch === 'replace')) as Json;
  }
  for (const item of patch) {
    if (!isJsonObject(item)) continue;
    if (item[key] === undefined) throw internalError(`map: ${goMap(item)} does not contain declared merge key: ${key}`);
    const { $patch: directive = 'merge' } = item;
    if (!['delete', 'merge', 'replace'].includes(String(directive)))
      throw internalError(`unknown patch type: ${String(directive)} in map: ${goMap(item)}`);
    const index = live.findIndex((other) => isJsonObject(other) && jsonEqual(other[key], item[key]));
    if (item.$patch === 'delete') {
      if (index >= 0) live.splice(index, 1);
    } else if (index >= 0) live[index] = strategicMerge(schema, list.element, live[index], item) ?? null;
    else live.push(strategicMerge(schema, list.element, {}, item) ?? null);
  }
  return ordered(
    live,
    (item) => (isJsonObject(item) ? item[key] : item),
    Array.isArray(target) ? (target as readonly Json[]) : [],
    Array.isArray(order) ? (order as readonly Json[]) : patch,
  );
}

function keyOf(name: string, keys: readonly string[]): string | undefined {
  if (keys.length === 0) return undefined;
  if (name === 'ports') return keys.includes('containerPort') ? 'containerPort' : 'port';
  return mergeKeys[name] ?? keys[0];
}

function goMap(item: JsonObject): string {
  const members = Object.keys(item).toSorted();
  return `map[${members.map((name) => `${name}:${typeof item[name] === 'object' ? JSON.stringify(item[name]) : String(item[name])}`).join(' ')}]`;
}

/** What the patch names comes in the order of the patch, and what it does not name keeps its place among that. */
function ordered(items: readonly Json[], keyOf: (item: Json) => Json | undefined, live: readonly Json[], order: readonly Json[]): Json {
  const place = (list: readonly Json[], item: Json) => list.findIndex((other) => jsonEqual(keyOf(other), keyOf(item)));
  const named = items.filter((item) => place(order, item) >= 0).toSorted((left, right) => place(order, left) - place(order, right));
  const others = items.filter((item) => place(order, item) < 0);
  const result: Json[] = [];
  while (named.length > 0 && others.length > 0) {
    const first = place(live, named[0] as Json) < place(live, others[0] as Json) ? named : others;
    result.push(first.shift() as Json);
  }
  return [...result, ...named, ...others];
}
