import { boolType, listOf, optionalOf, typeParam } from '../types/cel-type.js';
import { CelTime } from '../values/cel-time.js';
import { sizeOf } from '../values/type-name.js';
import { CelList, CelMap, CelOptional, CelUint, type CelValue, EvaluationError, emptyOptional } from '../values/value.js';
import { type Library, method, overload } from './overload.js';

function isZero(value: CelValue): boolean {
  if (value instanceof CelList || value instanceof CelMap || value instanceof Uint8Array || typeof value === 'string')
    return sizeOf(value) === 0;
  if (value instanceof CelUint) return value.value === 0n;
  if (value instanceof CelTime) return value.isDuration && value.nanoseconds === 0n;
  return value === null || value === false || value === 0 || value === 0n || (value instanceof CelOptional && value.value === undefined);
}

function value({ value: found }: CelOptional): CelValue {
  if (found === undefined) throw new EvaluationError('optional.none() dereference');
  return found;
}

function unwrap({ items }: CelList): CelList {
  return new CelList(items.flatMap((item) => (item instanceof CelOptional && item.value !== undefined ? [item.value] : [])));
}

const item = (found: CelValue | undefined) => (found === undefined ? emptyOptional : new CelOptional(found));
const v = typeParam('V');

/** Source: cel-go's documentation of optional types. */
export const optionals: Library = {
  'optional.of': [overload('optional_of', [v], optionalOf(v), (of: CelValue) => new CelOptional(of))],
  'optional.ofNonZeroValue': [
    overload('optional_ofNonZeroValue', [v], optionalOf(v), (of: CelValue) => (isZero(of) ? emptyOptional : new CelOptional(of))),
  ],
  'optional.none': [overload('optional_none', [], optionalOf(v), () => emptyOptional)],
  value: [method('optional_value', [optionalOf(v)], v, value)],
  hasValue: [method('optional_hasValue', [optionalOf(v)], boolType, ({ value: found }: CelOptional) => found !== undefined)],
  // The evaluator computes the alternative only if it is needed.
  or: [
    method('optional_or_optional', [optionalOf(v), optionalOf(v)], optionalOf(v), (left: CelOptional, right: CelOptional) =>
      left.value === undefined ? right : left,
    ),
  ],
  orValue: [
    method('optional_orValue_value', [optionalOf(v), v], v, (left: CelOptional, right: CelValue) =>
      left.value === undefined ? right : left.value,
    ),
  ],
  first: [method('list_first', [listOf(v)], optionalOf(v), (list: CelList) => item(list.at(0)))],
  last: [method('list_last', [listOf(v)], optionalOf(v), (list: CelList) => item(list.at(list.size - 1)))],
  'optional.unwrap': [overload('optional_unwrap', [listOf(optionalOf(v))], listOf(v), unwrap)],
  unwrapOpt: [method('optional_unwrapOpt', [listOf(optionalOf(v))], listOf(v), unwrap)],
};
