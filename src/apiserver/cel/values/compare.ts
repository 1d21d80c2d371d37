import { CelTime } from './cel-time.js';
import { CelUint, type CelValue } from './value.js';

/** Returns a negative number, zero or a positive number for two values in order; undefined for values without an order, and for NaN. */
export function compare(left: CelValue, right: CelValue): number | undefined {
  const [a, b] = [comparable(left), comparable(right)];
  if (a === undefined || b === undefined) return undefined;
  if (typeof a === 'string' || typeof b === 'string') return typeof a === typeof b ? compareTexts(String(a), String(b)) : undefined;
  if (left instanceof CelTime || right instanceof CelTime) {
    if (!(left instanceof CelTime && right instanceof CelTime && left.typeName === right.typeName)) return undefined;
  }
  if (typeof left === 'boolean' || typeof right === 'boolean') if (typeof left !== typeof right) return undefined;
  if (left instanceof Uint8Array || right instanceof Uint8Array) return undefined;
  if (Number.isNaN(a) || Number.isNaN(b)) return undefined;
  const [x, y] = typeof a === typeof b ? [a, b] : [Number(a), Number(b)]; // a double is compared with other numbers as doubles
  return x < y ? -1 : x > y ? 1 : 0;
}

function comparable(value: CelValue): bigint | number | string | undefined {
  if (typeof value === 'bigint' || typeof value === 'number' || typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof CelUint) return value.value;
  return value instanceof CelTime ? value.nanoseconds : undefined;
}

/** Compares texts by their code points, as their bytes in UTF-8 are ordered. */
function compareTexts(left: string, right: string): number {
  return left === right ? 0 : Buffer.compare(Buffer.from(left), Buffer.from(right));
}
