import type { Json, JsonObject } from '../../../util/json.js';
import { structOf } from '../../api/json-access.js';
import { billionths } from '../convert/compare-quantities.js';

/** A response shows at most 4096 characters of different warnings: more warnings than these are never seen. */
export const seenWarnings = 4096;

/** Returns the warnings about all elements of a list, each at its path. */
export function eachAt<T>(list: readonly T[], path: string, warningsOf: (each: T, path: string) => readonly string[]): readonly string[] {
  return list.flatMap((each, index) => warningsOf(each, `${path}[${index}]`));
}

/** Returns warnings about amounts of bytes that are not whole, for the named members of a list of resources. Source: observed. */
export function byteWarnings(amounts: Json | undefined, names: readonly string[], path: string): readonly string[] {
  const known: JsonObject = structOf(amounts);
  return names.flatMap((name) => {
    const amount = known[name];
    if (amount === undefined || !isFractional(amount)) return [];
    return [`${path}[${name}]: fractional byte value ${JSON.stringify(amount)} is invalid, must be an integer`];
  });
}

/**
 * The server counts thousandths, rounded up, in 64 bits. A larger amount overflows: in digits or with a binary suffix it often seems to be
 * fractional, with a decimal suffix it does not. Source: observed.
 */
function isFractional(amount: Json): boolean {
  const thousandths = (billionths(amount) + 999_999n) / 1_000_000n;
  const counted = BigInt.asIntN(64, thousandths);
  if (counted !== thousandths && /[kMGTPE]$|e/.test(String(amount))) return false;
  return counted % 1000n !== 0n;
}
