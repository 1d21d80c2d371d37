import { isJsonObject, type Json, type JsonObject } from '../../src/util/json.js';
import type { Random } from '../corpus/random.js';
import type { Shape } from './fuzz-subject.js';
import { withSymbols } from './planned.js';
import { drawn } from './values.js';

/** A map of an object, and how a strategic merge patch gets there: names of members, and list items by their key. */
interface DirectiveCursor {
  readonly steps: readonly (string | JsonObject)[];
  readonly shape: Shape;
  readonly live: JsonObject;
}

/** A strategic merge patch with directives at a place or two of what is there. */
export function withDirectives(random: Random, shape: Shape, patch: Json, live: JsonObject | undefined): Json {
  if (!isJsonObject(patch)) return patch;
  const object = (live === undefined ? drawn(random, shape) : withSymbols(live)) as JsonObject;
  const { labels, annotations, finalizers, ownerReferences } = isJsonObject(object.metadata) ? object.metadata : {};
  const metadata = Object.fromEntries(
    Object.entries({ labels, annotations, finalizers, ownerReferences }).filter(([, member]) => member !== undefined),
  ) as JsonObject;
  const cursors = cursorsIn(shape, { ...object, metadata }, []);
  let result = patch;
  for (let times = random.pick([1, 1, 2]); times > 0; times--) {
    // The root and metadata are places like others, but most of what they lose is refused.
    const cursor =
      random.pick(random.chance(0.9) ? cursors.filter(({ steps }) => steps.length > 0) : cursors) ?? (cursors[0] as DirectiveCursor);
    result = laidOver(result, at(cursor.steps, directives(random, cursor))) as JsonObject;
  }
  return withoutBelow(result);
}

/** Without directives where something around them is replaced as a whole: in labels they would be odd keys there. */
function withoutBelow(value: Json, isReplaced = false): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => withoutBelow(item, isReplaced));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(([name]) => !isReplaced || !name.startsWith('$'));
  const replaces = isReplaced || value.$patch !== undefined || value.$retainKeys !== undefined;
  return Object.fromEntries(members.map(([name, member]) => [name, withoutBelow(member as Json, replaces)])) as JsonObject;
}

function cursorsIn(shape: Shape, live: JsonObject, steps: DirectiveCursor['steps']): DirectiveCursor[] {
  const below = Object.entries(live).flatMap(([name, member]): DirectiveCursor[] => {
    const inner = shape.properties?.[name] ?? (name === 'clusterIPs' ? {} : shape.additionalProperties);
    if (inner === undefined) return [];
    if (isJsonObject(member)) return cursorsIn(inner, member, [...steps, name]);
    const key = keyOf(inner);
    if (!Array.isArray(member) || key === undefined) return [];
    return (member as readonly Json[]).flatMap((item) =>
      isJsonObject(item) && item[key] !== undefined
        ? cursorsIn(inner.items ?? {}, item, [...steps, name, { [key]: item[key] as Json }])
        : [],
    );
  });
  return [{ steps, shape, live }, ...below];
}

/** The patch merge key of a list. */
function keyOf(shape: Shape): string | undefined {
  return shape['x-kubernetes-list-map-keys']?.[0];
}

/** The content of a patch at a position. */
function directives(random: Random, { shape, live, steps }: DirectiveCursor): JsonObject {
  const lists = Object.keys(live).filter((name) => Array.isArray(live[name]) && shape.properties?.[name] !== undefined);
  if (lists.length > 0 && random.chance(0.7)) {
    const name = random.pick(lists);
    return listDirectives(random, name, shape.properties?.[name] as Shape, live[name] as readonly Json[]);
  }
  const drawnAgain = drawn(random, shape, steps.length);
  const members = isJsonObject(drawnAgain) ? drawnAgain : {};
  switch (random.below(5)) {
    case 0:
      return { $patch: 'delete', ...(random.chance(0.3) ? members : {}) };
    case 1:
      return { $patch: oddly(random, 'replace', ['merge', 'else', '', null, 7, {}]), ...members };
    case 2: {
      const names = [...new Set([...Object.keys(members), ...Object.keys(live).filter(() => random.chance(0.5))])];
      const kept = names.filter(() => random.chance(0.95));
      return { $retainKeys: oddly<Json>(random, kept, [null, 'a', [], [null], {}, ['none']]), ...members };
    }
    case 3:
      return random.chance(0.1) ? { $odd: 1, '$patch/x': [], ...members } : members;
    default:
      return withNulls(random, members);
  }
}

function listDirectives(random: Random, name: string, shape: Shape, live: readonly Json[]): JsonObject {
  const key = keyOf(shape);
  const drawnItems = drawn(random, shape, 2);
  const items: Json[] = Array.isArray(drawnItems) && random.chance(0.6) ? [...(drawnItems as readonly Json[])] : [];
  const used = items.length > 0 || random.chance(0.5) ? { [name]: items as Json } : {};
  if (key === undefined) {
    const removedItems = live.filter(() => random.chance(0.5));
    if (random.chance(0.05)) items.push(random.pick<Json>([{ $patch: 'delete' }, 7, []]));
    const ofObjects = [...live, ...items].some(isJsonObject);
    const removal = { [`$deleteFromPrimitiveList${random.chance(0.03) ? '' : `/${name}`}`]: oddly<Json>(random, removedItems, odd) };
    // In what order objects without a key come, the server cannot say: it drops the connection.
    const order = { [`$setElementOrder/${name}`]: ofObjects ? [] : oddly<Json>(random, orderOf(random, items, live), odd) };
    return random.pick([{ ...removal }, { ...used, ...order }, { ...used, ...removal, ...order }, used]);
  }
  const keys = [...live, ...items].flatMap((item) => (isJsonObject(item) && item[key] !== undefined ? [{ [key]: item[key] as Json }] : []));
  if (random.chance(0.4) && keys.length > 0) {
    const item = { ...random.pick(keys), $patch: 'delete' };
    items.splice(random.below(items.length + 1), 0, item);
  } else if (random.chance(0.3)) items.splice(random.below(items.length + 1), 0, { $patch: 'replace' });
  if (random.chance(0.06))
    items.push(
      random.pick<Json>([{ $patch: 'delete' }, { ...keys[0], $patch: 'merge' }, { ...keys[0], $patch: 'else' }, { unknown: 1 }, 'a', null]),
    );
  const changed = items.length > 0 ? { [name]: withNulls(random, items) } : used;
  if (random.chance(0.5)) return changed;
  const order = oddly<Json>(random, orderOf(random, keys, keys), [...odd, [{}], [{ [key]: 'none' }]]);
  return { ...changed, [`$setElementOrder/${random.chance(0.02) ? 'none' : name}`]: order };
}

const odd: readonly Json[] = [null, 'a', {}, [], [null], [7], [[]], [{ a: 1 }]];

/** An order: that of the patch among what is there, and now and then any. */
function orderOf(random: Random, items: readonly Json[], live: readonly Json[]): Json {
  const each = [...items, ...live];
  const distinct = each.filter((item, index) => each.findIndex((other) => JSON.stringify(other) === JSON.stringify(item)) === index);
  const kept = distinct.filter(() => random.chance(0.9));
  return random.chance(0.3) ? kept.toReversed() : kept;
}

function oddly<Value extends Json>(random: Random, usual: Value, others: readonly Value[]): Value {
  return random.chance(0.06) ? random.pick(others) : usual;
}

/** Null for a member now and then. */
function withNulls<Value extends Json>(random: Random, value: Value): Value {
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => withNulls(random, item)) as unknown as Value;
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      !name.startsWith('$') && random.chance(0.05) ? null : withNulls(random, member as Json),
    ]),
  ) as Value;
}

function at(steps: DirectiveCursor['steps'], content: JsonObject): JsonObject {
  const [first, ...rest] = steps;
  if (first === undefined) return content;
  if (typeof first !== 'string') return { ...first, ...at(rest, content) };
  const [next] = rest;
  const below = at(rest, content);
  return { [first]: typeof next === 'object' ? [below] : below };
}

function laidOver(under: Json | undefined, over: Json): Json {
  if (!isJsonObject(under) || !isJsonObject(over)) return over;
  const members = Object.entries(over).map(([name, member]) => [name, laidOver(under[name], member as Json)]);
  return { ...under, ...Object.fromEntries(members) };
}
