import { CelTime } from './cel-time.js';
import { knownItems, nativeId } from './set-items.js';
import { CelList, CelMap, CelOpaque, CelOptional, CelTypeValue, CelUint, type CelValue, EvaluationError, mapKey } from './value.js';
import { visit } from './visit.js';

/**
 * Returns true for equal values. Numbers of different types are equal by value. Source: the language definition of CEL, "Equality".
 *
 * @throws EvaluationError for values that the real server does not compare.
 */
export function equals(left: CelValue, right: CelValue): boolean {
  if (left === right && (typeof left !== 'object' || left === null)) return true;
  visit();
  if (!comparable(left, right)) throw new EvaluationError('no such overload');
  const [a, b] = [numeric(left), numeric(right)];
  // A double is compared with other numbers as doubles. Source: observed.
  if (a !== undefined && b !== undefined) return typeof a === typeof b ? a === b : Number(a) === Number(b);
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

/** Values of Kubernetes are compared only with their like: lists that are sets or maps, objects, and values of libraries. */
function comparable(left: CelValue, right: CelValue): boolean {
  if (right === null) return true;
  if (left instanceof CelList && left.semantics !== undefined) return right instanceof CelList;
  if (left instanceof CelMap && left.objectName !== undefined) return right instanceof CelMap;
  if (!(left instanceof CelOpaque) || left instanceof CelTime) return true;
  return right instanceof CelOpaque && right.typeName === left.typeName;
}

function numeric(value: CelValue): bigint | number | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  return value instanceof CelUint ? value.value : undefined;
}

function listsEqual(left: CelList, right: CelList): boolean {
  if (left.size !== right.size) return false;
  const { semantics } = left;
  if (semantics === undefined) return left.items.every((item, index) => !differs(item, right.items[index] as CelValue));
  if (semantics.kind === 'set') {
    const known = knownItems(left);
    return right.items.every((item) => known.has(nativeId(item)));
  }
  const others = byKeys(right.items, semantics.keys);
  return left.items.every((item) => {
    const partner = others.get(idOf(item, semantics.keys));
    return partner !== undefined && !differs(item, partner);
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
  return mapKey(value) ?? '';
}

/** Returns true if the list has an item that the value is equal to. */
export function includes(list: CelList, value: CelValue): boolean {
  return list.items.some((item) => isKnownEqual(value, item));
}

/** Returns true if a comparison succeeds, and finds equal values. */
export function isKnownEqual(left: CelValue, right: CelValue): boolean {
  return equalsOr(false, left, right);
}

/** Members of lists and maps differ only if a comparison says so. Source: observed. */
function differs(left: CelValue, right: CelValue): boolean {
  return !equalsOr(true, left, right);
}

function equalsOr(failed: boolean, left: CelValue, right: CelValue): boolean {
  try {
    return equals(left, right);
  } catch (error) {
    if (error instanceof EvaluationError) return failed;
    throw error;
  }
}

function mapsEqual(left: CelMap, right: CelMap): boolean {
  if (left.size !== right.size) return false;
  return left.keys().every((key) => {
    const [a, b] = [left.get(key), right.get(key)];
    return a !== undefined && b !== undefined && !differs(a, b);
  });
}
