import type { ScalarType } from '../schema/model.js';
import { intOrStringFormat } from '../schema/read/int-or-string.js';
import { quantityFormat } from '../schema/read/read-scalar.js';
import { isInteger, isNumber, jsonEqual } from '../util/json.js';
import { checkFormat } from './check-format.js';
import { describeScalar, describeValue, notOneOf } from './describe.js';

const ranges: Readonly<Record<string, readonly [bigint | number, bigint | number]>> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
};

/** Returns the error in a scalar value, or undefined. An integer beyond 2^53 must be a `bigint`: a number has lost its last digits. */
export function checkScalar(type: ScalarType, value: boolean | number | string): string | undefined {
  if (!fits(type, value)) return `expected ${describeScalar(type)}, got ${describeValue(value)}`;
  if (isNumber(value)) {
    if (!Number.isFinite(Number(value))) return `${value} is not a JSON number`;
    const wrong = type.integer ? checkRange(type.format, value) : undefined;
    if (wrong !== undefined) return wrong;
  }
  if (typeof value === 'string' && type.format !== undefined) {
    const wrong = checkFormat(type.format, value);
    if (wrong !== undefined) return wrong;
  }
  if (type.enum !== undefined && !type.enum.some((allowed) => jsonEqual(allowed, value))) {
    return notOneOf(value, type.enum);
  }
  return undefined;
}

function checkRange(format: string | undefined, value: number): string | undefined {
  const range = ranges[format ?? ''];
  if (range === undefined) return undefined;
  const isExact = typeof value === 'bigint' || Number.isSafeInteger(value);
  return isExact && value >= range[0] && value <= range[1] ? undefined : `${value} is out of the range of ${format}`;
}

function fits(type: ScalarType, value: boolean | number | string): boolean {
  switch (type.kind) {
    case 'numeric':
      return isNumber(value) && (!type.integer || isInteger(value) || !Number.isFinite(value));
    case 'string':
      return typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    default:
      if (type.format === intOrStringFormat) return typeof value === 'string' || isInteger(value);
      if (type.format === quantityFormat) return typeof value !== 'boolean';
      return type.format === undefined || typeof value === 'string';
  }
}
