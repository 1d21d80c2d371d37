import { CelUint, maxInt, maxUint, minInt } from '../values/value.js';
import type { Token } from './tokenize.js';

/** Returns the value of a number, or the reason why the text is not a number of its type. */
export function numberLiteral({ kind, text }: Token, isNegative: boolean): bigint | number | CelUint | string {
  if (kind === 'double') {
    const value = Number(text) * (isNegative ? -1 : 1);
    return Number.isFinite(value) ? value : 'invalid double literal';
  }
  const digits = BigInt(kind === 'uint' ? text.slice(0, -1) : text);
  if (kind === 'uint') return digits > maxUint ? 'invalid uint literal' : new CelUint(digits);
  const value = isNegative ? -digits : digits;
  return value > maxInt || value < minInt ? 'invalid int literal' : value;
}
