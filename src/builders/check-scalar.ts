import type { ScalarType } from '../schema/model.js';
import { intOrStringFormat } from '../schema/read/int-or-string.js';
import { quantityFormat } from '../schema/read/read-scalar.js';
import { jsonEqual } from '../util/json.js';
import { checkFormat } from './check-format.js';
import { describeScalar, describeValue } from './describe.js';

const ranges: Readonly<Record<string, readonly [number, number]>> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int64: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
};

/** Returns the error in a scalar value, or undefined. */
export function checkScalar(type: ScalarType, value: boolean | number | string): string | undefined {
  if (!fits(type, value)) return `expected ${describeScalar(type)}, got ${describeValue(value)}`;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return `${value} is not a JSON number`;
    const range = type.integer ? ranges[type.format ?? ''] : undefined;
    if (range !== undefined && (value < range[0] || value > range[1])) return `${value} is out of the range of ${type.format}`;
  }
  if (typeof value === 'string' && type.format !== undefined) {
    const wrong = checkFormat(type.format, value);
    if (wrong !== undefined) return wrong;
  }
  if (type.enum !== undefined && !type.enum.some((allowed) => jsonEqual(allowed, value))) {
    const allowed = type.enum.map((item) => JSON.stringify(item));
    return `${describeValue(value)} is not one of ${allowed.slice(0, 12).join(', ')}${allowed.length > 12 ? `, … (${allowed.length} values)` : ''}`;
  }
  return undefined;
}

function fits(type: ScalarType, value: boolean | number | string): boolean {
  switch (type.kind) {
    case 'numeric':
      return typeof value === 'number' && (!type.integer || Number.isInteger(value) || !Number.isFinite(value));
    case 'string':
      return typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    default:
      if (type.format === intOrStringFormat) return typeof value === 'string' || Number.isInteger(value);
      if (type.format === quantityFormat) return typeof value !== 'boolean';
      return type.format === undefined || typeof value === 'string';
  }
}
