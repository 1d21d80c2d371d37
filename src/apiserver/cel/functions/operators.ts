import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  intType,
  listOf,
  mapOf,
  optionalOf,
  stringType,
  timestampType,
  typeParam,
  uintType,
} from '../types/cel-type.js';
import { type CelTime, durationBetween, durationOf, timestampOf } from '../values/cel-time.js';
import { compare } from '../values/compare.js';
import { equals, includes } from '../values/equals.js';
import { type CelList, type CelMap, CelUint, type CelValue, EvaluationError, maxInt, maxUint, minInt } from '../values/value.js';
import { concatLists } from './concat-lists.js';
import { type Library, type Overload, overload } from './overload.js';

function fail(message: string): never {
  throw new EvaluationError(message);
}

function int(value: bigint): bigint {
  return value > maxInt || value < minInt ? fail('integer overflow') : value;
}

function uint(value: bigint): CelUint {
  return value > maxUint || value < 0n ? fail('unsigned integer overflow') : new CelUint(value);
}

type Arithmetic = '+' | '-' | '*' | '/' | '%';

function arithmetic(left: bigint, operator: Arithmetic, right: bigint): bigint {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return right === 0n ? fail('division by zero') : left / right;
    default:
      if (left === minInt && right === -1n) return fail('integer overflow');
      return right === 0n ? fail('modulus by zero') : left % right;
  }
}

function numbers(operator: Arithmetic, name: string): readonly Overload[] {
  const double = (left: number, right: number) => {
    if (operator === '+') return left + right;
    return operator === '-' ? left - right : operator === '*' ? left * right : left / right;
  };
  return [
    ...(operator === '%' ? [] : [overload(`${name}_double`, [doubleType, doubleType], doubleType, double)]),
    overload(`${name}_int64`, [intType, intType], intType, (left: bigint, right: bigint) => int(arithmetic(left, operator, right))),
    overload(`${name}_uint64`, [uintType, uintType], uintType, (left: CelUint, right: CelUint) =>
      uint(arithmetic(left.value, operator, right.value)),
    ),
  ];
}

const duration = (nanoseconds: bigint) => durationOf(nanoseconds) ?? fail('integer overflow');
const timestamp = (nanoseconds: bigint) => timestampOf(nanoseconds) ?? fail('timestamp overflow');

function concatBytes(left: Uint8Array, right: Uint8Array): Uint8Array {
  return Uint8Array.from([...left, ...right]);
}

const a = typeParam('A');
const b = typeParam('B');

/** Types that are ordered, with themselves and with other numbers. */
const ordered: readonly (readonly [string, CelType])[] = [
  ['bool', boolType],
  ['int64', intType],
  ['uint64', uintType],
  ['double', doubleType],
  ['string', stringType],
  ['bytes', bytesType],
  ['timestamp', timestampType],
  ['duration', durationType],
];

function relation(name: string, holds: (order: number) => boolean): readonly Overload[] {
  const test = (left: CelValue, right: CelValue) => {
    const order = left instanceof Uint8Array && right instanceof Uint8Array ? Buffer.compare(left, right) : compare(left, right);
    return order === undefined ? fail('NaN values cannot be ordered') : holds(order);
  };
  const numeric = ordered.slice(1, 4);
  return ordered.flatMap(([left, type], index) => [
    overload(`${name}_${left}`, [type, type], boolType, test),
    ...(index < 1 || index > 3 ? [] : numeric)
      .filter(([right]) => right !== left)
      .map(([right, other]) => overload(`${name}_${left}_${right}`, [type, other], boolType, test)),
  ]);
}

function itemAt(list: CelList, index: bigint): CelValue {
  return list.items[Number(index)] ?? fail(`index out of bounds: ${index}`);
}

/** Operators, which expressions write between or before their arguments. Source: the language definition of CEL, "List of Standard Definitions". */
export const operators: Library = {
  '!_': [overload('logical_not', [boolType], boolType, (value: boolean) => !value)],
  '-_': [
    overload('negate_double', [doubleType], doubleType, (value: number) => -value),
    overload('negate_int64', [intType], intType, (value: bigint) => int(-value)),
  ],
  '_+_': [
    // The first that fits arguments of unknown types is chosen: its place in the list matters.
    overload('add_bytes', [bytesType, bytesType], bytesType, concatBytes),
    ...numbers('+', 'add'),
    overload('add_list', [listOf(a), listOf(a)], listOf(a), concatLists),
    overload('add_string', [stringType, stringType], stringType, (left: string, right: string) => left + right),
    overload('add_duration_duration', [durationType, durationType], durationType, (left: CelTime, right: CelTime) =>
      duration(left.nanoseconds + right.nanoseconds),
    ),
    overload('add_duration_timestamp', [durationType, timestampType], timestampType, (left: CelTime, right: CelTime) =>
      timestamp(left.nanoseconds + right.nanoseconds),
    ),
    overload('add_timestamp_duration', [timestampType, durationType], timestampType, (left: CelTime, right: CelTime) =>
      timestamp(left.nanoseconds + right.nanoseconds),
    ),
  ],
  '_-_': [
    ...numbers('-', 'subtract'),
    overload('subtract_duration_duration', [durationType, durationType], durationType, (left: CelTime, right: CelTime) =>
      duration(left.nanoseconds - right.nanoseconds),
    ),
    overload('subtract_timestamp_duration', [timestampType, durationType], timestampType, (left: CelTime, right: CelTime) =>
      timestamp(left.nanoseconds - right.nanoseconds),
    ),
    overload(
      'subtract_timestamp_timestamp',
      [timestampType, timestampType],
      durationType,
      (left: CelTime, right: CelTime) => durationBetween(right, left) ?? fail('integer overflow'),
    ),
  ],
  '_*_': numbers('*', 'multiply'),
  '_/_': numbers('/', 'divide'),
  '_%_': numbers('%', 'modulo'),
  '_<_': relation('less', (order) => order < 0),
  '_<=_': relation('less_equals', (order) => order <= 0),
  '_>_': relation('greater', (order) => order > 0),
  '_>=_': relation('greater_equals', (order) => order >= 0),
  '_==_': [overload('equals', [a, a], boolType, equals)],
  '_!=_': [overload('not_equals', [a, a], boolType, (left: CelValue, right: CelValue) => !equals(left, right))],
  '@in': [
    overload('in_list', [a, listOf(a)], boolType, (value: CelValue, list: CelList) => includes(list, value)),
    overload('in_map', [a, mapOf(a, b)], boolType, (key: CelValue, map: CelMap) => map.has(key)),
  ],
  // The evaluator has its own way for what follows: these are for the checker.
  '_&&_': [overload('logical_and', [boolType, boolType], boolType, () => false)],
  '_||_': [overload('logical_or', [boolType, boolType], boolType, () => false)],
  '_?_:_': [overload('conditional', [boolType, a, a], a, () => false)],
  '@not_strictly_false': [overload('not_strictly_false', [boolType], boolType, (value: CelValue) => value !== false)],
  '_[_]': [
    overload('index_list', [listOf(a), intType], a, itemAt),
    overload('index_map', [mapOf(a, b), a], b, () => false),
    overload('optional_list_index_int', [optionalOf(listOf(a)), intType], optionalOf(a), () => false),
    overload('optional_map_index_value', [optionalOf(mapOf(a, b)), a], optionalOf(b), () => false),
  ],
  '_[?_]': [
    overload('list_optindex_optional_int', [listOf(a), intType], optionalOf(a), () => false),
    overload('optional_list_optindex_optional_int', [optionalOf(listOf(a)), intType], optionalOf(a), () => false),
    overload('map_optindex_optional_value', [mapOf(a, b), a], optionalOf(b), () => false),
    overload('optional_map_optindex_optional_value', [optionalOf(mapOf(a, b)), a], optionalOf(b), () => false),
  ],
};
