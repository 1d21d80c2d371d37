import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  stringType,
  timestampType,
  typeParam,
  uintType,
} from '../types/cel-type.js';
import { CelTime, durationOf } from '../values/cel-time.js';
import { compare } from '../values/compare.js';
import { includes, isKnownEqual } from '../values/equals.js';
import { checked } from '../values/set-items.js';
import { typeName } from '../values/type-name.js';
import {
  CelList,
  type CelMap,
  CelUint,
  type CelValue,
  CostExceededError,
  type CreatedMap,
  EvaluationError,
  maxInt,
  maxUint,
  minInt,
} from '../values/value.js';
import { type Library, method, type Overload, overload } from './overload.js';

function fail(message: string): never {
  throw new EvaluationError(message);
}

/** More items than an expression may make at once; each of them would cost at least one. */
const maxCreated = 1_000_000n;

function order(first: CelValue, second: CelValue): number {
  const [left, right] = [checked(first), checked(second)];
  if (left instanceof Uint8Array && right instanceof Uint8Array) return Buffer.compare(left, right);
  // NaN and values of another type count as equal here, though operators cannot order them. Source: observed.
  return compare(left, right) ?? 0;
}

function isOrdered(value: CelValue): boolean {
  const kinds = ['bigint', 'number', 'string', 'boolean'];
  return kinds.includes(typeof value) || value instanceof CelUint || value instanceof CelTime || value instanceof Uint8Array;
}

/** Returns the items of a list of which a function asks the order. @throws EvaluationError for an item whose type has none. */
function ordered(name: string, { items }: CelList): readonly CelValue[] {
  const unordered = items.findIndex((item) => !isOrdered(checked(item)));
  if (unordered >= 0) fail(unordered === 0 ? `no such overload: ${name}(list)` : 'no such overload');
  return items;
}

/** Returns the items by which a list is sorted. @throws EvaluationError unless all have one type, which has an order. */
function sortable(items: readonly CelValue[]): readonly CelValue[] {
  const [first, ...others] = items.map(checked);
  if (first === undefined) return items;
  if (!isOrdered(first)) fail('list elements must be comparable');
  if (others.some((item) => typeName(item) !== typeName(first))) fail('list elements must have the same type');
  return items;
}

function add(sum: CelValue, item: CelValue): CelValue {
  const [left, right] = [sum, checked(item)];
  if (typeof left === 'bigint' && typeof right === 'bigint') {
    const total = left + right;
    return total > maxInt || total < minInt ? fail('integer overflow') : total;
  }
  if (left instanceof CelUint && right instanceof CelUint) {
    const total = left.value + right.value;
    return total > maxUint ? fail('unsigned integer overflow') : new CelUint(total);
  }
  if (left instanceof CelTime && right instanceof CelTime)
    return durationOf(left.nanoseconds + right.nanoseconds) ?? fail('integer overflow');
  return typeof left === 'number' && typeof right === 'number' ? left + right : fail('no such overload');
}

const isSorted = (list: CelList) =>
  ordered('isSorted', list).every((item, index, items) => index === 0 || order(items[index - 1] as CelValue, item) <= 0);

const extreme = (name: string, sign: number) => (list: CelList) =>
  list.size === 0
    ? fail(`${name} called on empty list`)
    : ordered(name, list).reduce((best, item) => (order(item, best) * sign > 0 ? item : best));

const sum =
  (zero: CelValue) =>
  ({ items }: CelList) => {
    const [first, ...others] = items;
    if (first === undefined) return zero;
    return others.reduce(add, isSummable(checked(first)) ? first : fail('no such overload: sum(list)'));
  };

const isSummable = (value: CelValue) =>
  typeof value === 'bigint' || typeof value === 'number' || value instanceof CelUint || (value instanceof CelTime && value.isDuration);

const indexOf = ({ items }: CelList, value: CelValue) => BigInt(items.findIndex((item) => isKnownEqual(item, value)));
const lastIndexOf = ({ items }: CelList, value: CelValue) => BigInt(items.findLastIndex((item) => isKnownEqual(item, value)));

function slice({ items, size }: CelList, from: bigint, to: bigint): CelList {
  if (from < 0n || to < 0n) fail(`cannot slice(${from}, ${to}), negative indexes not supported`);
  if (from > to) fail(`cannot slice(${from}, ${to}), start index must be less than or equal to end index`);
  if (to > BigInt(size)) fail(`cannot slice(${from}, ${to}), list is length ${size}`);
  return new CelList(items.slice(Number(from), Number(to)));
}

function flatten(list: CelList, depth = 1n): CelList {
  if (depth < 0n) fail('level must be non-negative');
  const flat = (items: readonly CelValue[], level: bigint): readonly CelValue[] =>
    items.flatMap((item) => (item instanceof CelList && level > 0n ? flat(item.items, level - 1n) : [item]));
  return new CelList(flat(list.items, depth));
}

function distinct({ items }: CelList): CelList {
  const kept: CelValue[] = [];
  for (const item of items) if (!kept.some((other) => isKnownEqual(item, other))) kept.push(item);
  return new CelList(kept);
}

function range(count: bigint): CelList {
  if (count > maxCreated) throw new CostExceededError();
  return new CelList(Array.from({ length: Math.max(0, Number(count)) }, (_, index) => BigInt(index)));
}

function sortByKeys({ items }: CelList, keys: CelList): CelList {
  const sortKeys = sortable(keys.items);
  const pairs = items.map((item, index) => ({ item, key: sortKeys[index] as CelValue }));
  return new CelList(pairs.toSorted((left, right) => order(left.key, right.key)).map(({ item }) => item));
}

const a = typeParam('A');
const comparable: readonly (readonly [string, CelType])[] = [
  ['int', intType],
  ['uint', uintType],
  ['double', doubleType],
  ['bool', boolType],
  ['duration', durationType],
  ['timestamp', timestampType],
  ['string', stringType],
  ['bytes', bytesType],
];
const summable: readonly (readonly [string, CelType, CelValue])[] = [
  ['int', intType, 0n],
  ['uint', uintType, new CelUint(0n)],
  ['double', doubleType, 0],
  ['duration', durationType, durationOf(0n) as CelTime],
];

/** Returns an overload of a method for each type whose values are ordered. */
function forOrdered(describe: (name: string, type: CelType) => Overload): readonly Overload[] {
  return comparable.map(([name, type]) => describe(name, type));
}

/** Source: Kubernetes documentation "Common Expression Language in Kubernetes", "Kubernetes list library"; cel-go's extension for lists, version 3. */
export const lists: Library = {
  isSorted: forOrdered((name, type) => method(`list_${name}_is_sorted_bool`, [listOf(type)], boolType, isSorted)),
  sum: summable.map(([name, type, zero]) => method(`list_${name}_sum_${name}`, [listOf(type)], type, sum(zero))),
  min: forOrdered((name, type) => method(`list_${name}_min_${name}`, [listOf(type)], type, extreme('min', -1))),
  max: forOrdered((name, type) => method(`list_${name}_max_${name}`, [listOf(type)], type, extreme('max', 1))),
  indexOf: [method('list_a_index_of_int', [listOf(a), a], intType, indexOf)],
  lastIndexOf: [method('list_a_last_index_of_int', [listOf(a), a], intType, lastIndexOf)],
  slice: [method('list_slice', [listOf(a), intType, intType], listOf(a), slice)],
  flatten: [
    method('list_flatten', [listOf(listOf(a))], listOf(a), flatten),
    method('list_flatten_int', [listOf(dynType), intType], listOf(dynType), flatten),
  ],
  sort: forOrdered((name, type) =>
    method(`list_${name}_sort`, [listOf(type)], listOf(type), ({ items }: CelList) => new CelList(sortable(items).toSorted(order))),
  ),
  '@sortByAssociatedKeys': forOrdered((name, type) =>
    method(`list_${name}_sortByAssociatedKeys`, [listOf(a), listOf(type)], listOf(a), sortByKeys),
  ),
  'lists.range': [overload('lists_range', [intType], listOf(intType), range)],
  reverse: [method('list_reverse', [listOf(a)], listOf(a), ({ items }: CelList) => new CelList(items.toReversed()))],
  distinct: [method('list_distinct', [listOf(a)], listOf(a), distinct)],
};

const containsAll = (list: CelList, part: CelList) => part.items.every((item) => includes(list, checked(item)));

/** Source: cel-go's extension for sets. */
export const sets: Library = {
  'sets.contains': [overload('list_sets_contains_list', [listOf(a), listOf(a)], boolType, containsAll)],
  'sets.equivalent': [
    overload(
      'list_sets_equivalent_list',
      [listOf(a), listOf(a)],
      boolType,
      (left: CelList, right: CelList) => containsAll(left, right) && containsAll(right, left),
    ),
  ],
  'sets.intersects': [
    overload('list_sets_intersects_list', [listOf(a), listOf(a)], boolType, (left: CelList, right: CelList) =>
      left.items.some((item) => includes(right, checked(item))),
    ),
  ],
};

const k = typeParam('K');
const v = typeParam('V');

function insert(map: CreatedMap, key: CelValue, value: CelValue): CelMap {
  if (map.has(key)) fail(`insert failed: key ${String(key)} already exists`);
  map.set(key, value);
  return map;
}

/** The functions that macros over two variables expand to. The map belongs to the macro, so that it is changed in place. */
export const mapInsertions: Library = {
  'cel.@mapInsert': [
    overload('@mapInsert_map_key_value', [mapOf(k, v), k, v], mapOf(k, v), insert),
    overload('@mapInsert_map_map', [mapOf(k, v), mapOf(k, v)], mapOf(k, v), (map: CreatedMap, added: CelMap) => {
      for (const key of added.keys()) insert(map, key, added.get(key) as CelValue);
      return map;
    }),
  ],
};
