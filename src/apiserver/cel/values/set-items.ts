import { CelTime } from './cel-time.js';
import { CelList, CelMap, CelUint, type CelValue, EvaluationError, InternalError } from './value.js';

/*
 * The real server looks for an item of a list that is a set among the values of JSON, by their types in Go: it never finds a time, a duration or
 * a whole number of type `number`, and fails for bytes, lists and objects. A sum adds what it does not find, to the items of its first operand
 * too: a second sum finds it. Source: observed, as all of this is.
 */

/** Returns the items by which the server tells whether a list that is a set has an item. */
export function knownItems(set: CelList): Set<string> {
  set.itemIds ??= new Set(set.items.map(jsonId));
  return set.itemIds;
}

/** Adds the items of a list to a list that is a set. */
export function addToSet(set: CelList, other: CelList): CelList {
  const found = knownItems(set);
  const added: CelValue[] = [];
  for (const item of other.items) {
    const id = nativeId(item);
    if (!found.has(id)) added.push(item);
    found.add(id);
  }
  const sum = new SetSum(set, added);
  sum.itemIds = found;
  return sum;
}

/** A sum of sets. A time or duration that was added cannot be read: an error, which is equal to nothing, stands in its place. */
export class SetSum extends CelList {
  readonly isReadable: boolean;

  constructor(set: CelList, added: readonly CelValue[]) {
    super([...set.items, ...added.map(readable)] as readonly CelValue[], set.semantics);
    this.isReadable = !this.items.some((item) => item instanceof EvaluationError);
  }

  override at(index: number): CelValue | undefined {
    return checked(this.items[index] as CelValue);
  }
}

function readable(item: CelValue): CelValue | EvaluationError {
  if (!(item instanceof CelTime)) return item;
  return new EvaluationError(`invalid data, expected string, got time.${item.isDuration ? 'Duration' : 'Time'}`);
}

/** Returns an item of a list that may be a sum of sets. @throws EvaluationError for one that cannot be read */
export function checked(item: CelValue): CelValue {
  if ((item as unknown) instanceof EvaluationError) throw item;
  return item;
}

/** Returns a text that is equal for values of JSON which the server takes for equal. */
function jsonId(item: CelValue): string {
  if (typeof item === 'number' && Number.isInteger(item) && Math.abs(item) < 2 ** 63) return `int ${item}`;
  // Bytes, times and durations are texts in JSON, which no value of these types is equal to.
  return item instanceof Uint8Array || item instanceof CelTime ? 'text' : nativeId(item);
}

/** Returns a text that is equal for values which the server takes for equal. @throws InternalError */
export function nativeId(item: CelValue): string {
  if (typeof item === 'bigint') return `int ${item}`;
  if (item instanceof CelUint) return `uint ${item.value}`;
  if (item instanceof CelTime) return `time ${item.isDuration} ${item.nanoseconds}`;
  if (item instanceof Uint8Array) return unhashable('[]uint8');
  if (item instanceof CelMap) return unhashable('map[string]interface {}');
  if (item instanceof CelList) return unhashable('[]interface {}');
  return `${typeof item} ${String(item)}`;
}

function unhashable(type: string): never {
  throw new InternalError(`runtime error: hash of unhashable type ${type}`);
}
