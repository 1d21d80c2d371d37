import { CelTime } from './cel-time.js';
import { knownItems, nativeId } from './set-items.js';
import { CelList, CelMap, CelOpaque, CelOptional, CelTypeValue, CelUint, type CelValue, keyOf } from './value.js';

/** Returns true for equal values. Numbers of different types are equal by value. Source: the language definition of CEL, "Equality". */
export function equals(left: CelValue, right: CelValue): boolean {
  if (left === right && (typeof left !== 'object' || left === null)) return true;
  const [a, b] = [numeric(left), numeric(right)];
  // biome-ignore lint/suspicious/noDoubleEquals: a bigint and a number are compared by value.
  if (a !== undefined && b !== undefined) return a == b;
  if (left instanceof CelList) return right instanceof CelList && listsEqual(left, right);
  if (left instanceof CelMap) return right instanceof CelMap && mapsEqual(left, right);
  if (left instanceof Uint8Array) return right instanceof Uint8Array && Buffer.compare(left, right) === 0;
  if (left instanceof CelTypeValue) return right instanceof CelTypeValue && left.name === right.name;
  if (left instanceof CelOpaque) return right instanceof CelOpaque && left.typeName === right.typeName && left.equals(right);
  if (left instanceof CelOptional && right instanceof CelOptional) {
    return left.value === undefined || right.value === undefined ? left.value === right.value : equals(left.value, right.value);
  }
  return false;
}

function numeric(value: CelValue): bigint | number | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  return value instanceof CelUint ? value.value : undefined;
}

function listsEqual(left: CelList, right: CelList): boolean {
  if (left.size !== right.size) return false;
  const { semantics } = left;
  if (semantics === undefined) return left.items.every((item, index) => equals(item, right.items[index] as CelValue));
  if (semantics.kind === 'set') {
    const known = knownItems(left);
    return right.items.every((item) => known.has(nativeId(item)));
  }
  const others = byKeys(right.items, semantics.keys);
  return left.items.every((item) => {
    const partner = others.get(idOf(item, semantics.keys));
    return partner !== undefined && equals(item, partner);
  });
}

/** Returns the items of a map list by their keys: of items with the same keys, the first. */
export function byKeys(items: readonly CelValue[], keys: readonly string[]): ReadonlyMap<string | CelValue, CelValue> {
  const found = new Map<string | CelValue, CelValue>();
  for (const item of items) {
    const id = idOf(item, keys);
    if (!found.has(id)) found.set(id, item);
  }
  return found;
}

/** Returns a text that is equal for items of a map list that have the same keys; an item without keys stands for itself. */
export function idOf(item: CelValue, keys: readonly string[]): string | CelValue {
  return item instanceof CelMap ? JSON.stringify(keys.map((key) => scalarId(item.get(key)))) : item;
}

function scalarId(value: CelValue | undefined): string | null {
  if (value === undefined) return null;
  if (value instanceof Uint8Array) return `x${Buffer.from(value).toString('hex')}`;
  if (value instanceof CelTime) return `t${value.isDuration}${value.nanoseconds}`;
  return keyOf(value) ?? '';
}

export function includes(list: CelList, value: CelValue): boolean {
  return list.items.some((item) => equals(item, value));
}

function mapsEqual(left: CelMap, right: CelMap): boolean {
  if (left.size !== right.size) return false;
  return left.keys().every((key) => {
    const [a, b] = [left.get(key), right.get(key)];
    return a !== undefined && b !== undefined && equals(a, b);
  });
}
