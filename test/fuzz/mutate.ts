import { isJsonObject, type Json, type JsonObject } from '../../src/util/json.js';
import type { Random } from '../corpus/random.js';
import type { Shape } from './fuzz-subject.js';
import { drawn } from './values.js';

type Editable = Json[] | Record<string, Json>;
type MutationCursor = { readonly within: Editable; readonly at: string | number; readonly shape: Shape | undefined };

/** A copy with one change that the shape allows: a member more, less or with another value; items in another order. */
export function changed(random: Random, shape: Shape, value: JsonObject): JsonObject {
  const copy = structuredClone(value) as Record<string, Json>;
  const cursors = cursorsIn(copy, shape);
  if (cursors.length === 0 || random.chance(0.15)) return { ...copy, ...(drawn(random, shape) as JsonObject) };
  const { within, at, shape: inner } = random.pick(cursors);
  const found = valueAt(within, at);
  const choice = random.below(6);
  if (choice === 0) remove(within, at);
  else if (choice === 1 && Array.isArray(found)) put(within, at, shuffled(random, found));
  else if (choice === 2 && Array.isArray(found) && inner?.items !== undefined) {
    const items = [...(found as Json[])];
    items.splice(random.below(items.length + 1), 0, drawn(random, inner.items, 2));
    put(within, at, items);
  } else if (isJsonObject(found) && inner !== undefined) {
    const more = drawn(random, inner, 2);
    put(within, at, isJsonObject(more) ? { ...found, ...more } : more);
  } else if (inner !== undefined) put(within, at, drawn(random, inner, 2));
  return copy;
}

/** A copy with one thing in it that the shape does not foresee. */
export function damaged(random: Random, shape: Shape, value: JsonObject): JsonObject {
  const copy = structuredClone(value) as Record<string, Json>;
  const cursors = cursorsIn(copy, shape);
  if (cursors.length === 0) return { ...copy, unknown: 1 };
  const { within, at } = random.pick(cursors);
  const found = valueAt(within, at);
  switch (random.below(8)) {
    case 0:
    case 1:
      put(within, at, null);
      break;
    case 2:
      put(within, at, Array.isArray(found) ? [] : isJsonObject(found) ? {} : null);
      break;
    case 3:
      put(within, at, random.pick<Json>(['text', 7, true, {}, [], ['a'], { a: 1 }, -1, 1.5]));
      break;
    case 4:
      if (Array.isArray(found) && found.length > 0) put(within, at, [...(found as Json[]), structuredClone(random.pick(found as Json[]))]);
      else remove(within, at);
      break;
    case 5:
      if (isJsonObject(found)) put(within, at, { ...found, unknown: random.pick<Json>([1, {}, 'a', null]) });
      else if (!Array.isArray(within)) put(within, 'unknown', random.pick<Json>([1, {}, 'a', null]));
      break;
    case 6:
      if (Array.isArray(found)) put(within, at, [...(found as Json[]), null]);
      else put(within, at, null);
      break;
    default:
      remove(within, at);
  }
  return copy;
}

/** Every place below an object. */
export function cursorsIn(value: Editable, shape: Shape | undefined): MutationCursor[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => [{ within: value, at: index, shape: shape?.items }, ...below(item, shape?.items)]);
  }
  return Object.entries(value).flatMap(([name, member]) => {
    const inner = shape?.properties?.[name] ?? shape?.additionalProperties;
    return [{ within: value, at: name, shape: inner }, ...below(member, inner)];
  });
}

function below(value: Json, shape: Shape | undefined): MutationCursor[] {
  return typeof value === 'object' && value !== null ? cursorsIn(value as Editable, shape) : [];
}

function valueAt(within: Editable, at: string | number): Json {
  return (within as Record<string | number, Json>)[at] as Json;
}

function put(within: Editable, at: string | number, value: Json): void {
  (within as Record<string | number, Json>)[at] = value;
}

function remove(within: Editable, at: string | number): void {
  if (Array.isArray(within)) within.splice(at as number, 1);
  else delete within[at];
}

function shuffled(random: Random, items: readonly Json[]): Json[] {
  const left = [...items];
  const result: Json[] = [];
  while (left.length > 0) result.push(left.splice(random.below(left.length), 1)[0] as Json);
  return result;
}
