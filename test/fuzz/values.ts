import { isJsonObject, type Json, type JsonObject } from '../../src/util/json.js';
import type { Random } from '../corpus/random.js';
import type { Shape } from './fuzz-subject.js';

const words = ['a', 'b', 'c', ''];
const keys = ['a', 'b', 'c'];

/** A value that a shape allows. Few different ones, so that managers meet. */
export function drawn(random: Random, shape: Shape, depth = 0): Json {
  if (shape.nullable && random.chance(0.1)) return null;
  if (shape.examples !== undefined) return random.pick(shape.examples);
  if (shape.enum !== undefined) return random.pick(shape.enum);
  if (shape['x-kubernetes-int-or-string']) return random.pick<Json>([80, '80', 'web', 0]);
  if (shape['x-kubernetes-embedded-resource']) return embedded(random);
  if (shape.type === 'object' && (shape.properties !== undefined || shape.additionalProperties !== undefined)) {
    return objectOf(random, shape, depth);
  }
  if (shape.type === 'array') return listOf(random, shape, depth);
  if (shape.type === undefined) {
    const described = untyped(random, shape, depth);
    if (described !== undefined) return described;
  }
  if (shape['x-kubernetes-preserve-unknown-fields']) return shape.type === 'object' ? anyObject(random, 2) : anything(random, 2);
  switch (shape.type) {
    case 'integer':
      return random.below(4);
    case 'number':
      return random.pick([0, 1, 1.5, 2, 0.1]);
    case 'boolean':
      return random.chance(0.5);
    case 'object':
      return {};
    default:
      if (shape.format === 'date-time') return random.pick(['2001-01-01T00:00:00Z', '2001-02-01T00:00:00Z']);
      if (shape.format === 'byte') return random.pick(['AQ==', 'AgM=', '']);
      return random.pick(words);
  }
}

/** A value for a node that describes lists or maps, and takes any other value, too; undefined for any value. */
function untyped(random: Random, shape: Shape, depth: number): Json | undefined {
  const isMap = shape.properties !== undefined || shape.additionalProperties !== undefined;
  if ((!isMap && shape.items === undefined) || random.chance(0.2)) return undefined;
  if (isMap && (shape.items === undefined || random.chance(0.6))) return objectOf(random, shape, depth);
  return listOf(random, shape, depth);
}

function objectOf(random: Random, shape: Shape, depth: number): JsonObject {
  const result: Record<string, Json> = {};
  const usual = depth === 0 ? 0.8 : depth === 1 ? 0.18 : 0.4;
  for (const [name, member] of Object.entries(shape.properties ?? {})) {
    const likely = shape.required?.includes(name) ? 1 : (member.likely ?? usual);
    if (random.chance(likely)) result[name] = drawn(random, member, depth + 1);
  }
  if (shape.additionalProperties !== undefined) {
    for (const name of shape.keys ?? keys) if (random.chance(0.4)) result[name] = drawn(random, shape.additionalProperties, depth + 1);
  }
  if (shape['x-kubernetes-preserve-unknown-fields'] && random.chance(0.5)) {
    const more = anyObject(random, 1);
    for (const name of Object.keys(more))
      if (shape.properties?.[name] === undefined || random.chance(0.1)) result[name] = more[name] as Json;
  }
  return result;
}

function listOf(random: Random, shape: Shape, depth: number): Json {
  const { items = {} } = shape;
  const least = shape.minItems ?? 0;
  const length = Math.max(least, random.pick([0, 1, 1, 2, 2, 3]));
  const found: Json[] = [];
  for (let index = 0; index < length; index++) found.push(drawn(random, items, depth + 1));
  const listType = shape['x-kubernetes-list-type'];
  const distinct = found.filter((item, index) => found.findIndex((other) => sameKey(shape, item, other)) === index);
  return listType === undefined || listType === 'atomic' ? found : distinct;
}

function sameKey(shape: Shape, left: Json, right: Json): boolean {
  const names = shape['x-kubernetes-list-map-keys'];
  const key = (item: Json) => (names !== undefined && isJsonObject(item) ? names.map((name) => item[name] ?? 'default') : item);
  return JSON.stringify(key(left)) === JSON.stringify(key(right));
}

function embedded(random: Random): JsonObject {
  const metadata = random.chance(0.5) ? { name: 'inner', labels: { a: random.pick(words) } } : { annotations: { a: 'b' } };
  return {
    apiVersion: 'v1',
    kind: random.pick(['ConfigMap', 'Secret']),
    ...(random.chance(0.7) ? { metadata } : {}),
    ...anyObject(random, 1),
  };
}

function anyObject(random: Random, depth: number): JsonObject {
  const result: Record<string, Json> = {};
  for (const name of keys) if (random.chance(0.4)) result[name] = anything(random, depth);
  return result;
}

function anything(random: Random, depth: number): Json {
  if (depth > 0 && random.chance(0.3)) return anyObject(random, depth - 1);
  if (depth > 0 && random.chance(0.2)) return [anything(random, depth - 1), anything(random, depth - 1)].slice(random.below(3));
  return random.pick<Json>(['a', 'b', 1, 2.5, true, '', 0]);
}
