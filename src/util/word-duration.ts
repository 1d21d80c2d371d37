const second = 1_000_000_000n;

/** Units by how their names begin, longer ones first, in nanoseconds. */
const units: readonly (readonly [beginning: string, nanoseconds: bigint])[] = [
  ['ns', 1n],
  ['nano', 1n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['micro', 1_000n],
  ['ms', 1_000_000n],
  ['milli', 1_000_000n],
  ['m', 60n * second],
  ['s', second],
  ['h', 3_600n * second],
  ['d', 86_400n * second],
  ['w', 604_800n * second],
];

/** Returns an expression of a number and a unit in words, such as `2 days`. */
function numberWithUnit(): RegExp {
  // biome-ignore lint/complexity/useRegexLiterals: a literal with classes of Unicode takes time while the file is read, which all builders load
  return new RegExp(
    '(?<!\\d)(\\d+)[\\t\\n\\f\\r ]*(ns|nano\\p{L}*|us|µs|micro\\p{L}*|ms|milli\\p{L}*|s|sec\\p{L}*|m|min\\p{L}*|h|hr|hour\\p{L}*|d|day\\p{L}*|w|week\\p{L}*|wk)(?!\\p{L})',
    'gu',
  );
}

/**
 * Returns the nanoseconds of the numbers with units in words in a text, such as `1 day 2h`, as the format `duration` reads them; undefined if
 * there are none, or if a number has more than 63 bits. Source: observed.
 */
export function wordDuration(text: string): bigint | undefined {
  let total: bigint | undefined;
  for (const [, digits, unit] of text.toLowerCase().matchAll(numberWithUnit())) {
    const number = BigInt(digits as string);
    if (number >= 2n ** 63n) return undefined;
    total = BigInt.asIntN(64, (total ?? 0n) + number * (units.find(([beginning]) => unit?.startsWith(beginning))?.[1] ?? 0n));
  }
  return total;
}
