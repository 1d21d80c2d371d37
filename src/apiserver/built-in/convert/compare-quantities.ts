import type { Json } from '../../../util/json.js';
import { canonicalQuantity } from '../../../util/quantity.js';
import { remembered } from '../../../util/remembered.js';

const kibi = 1024n * 10n ** 9n;

const factors: Readonly<Record<string, bigint>> = {
  n: 1n,
  u: 10n ** 3n,
  m: 10n ** 6n,
  '': 10n ** 9n,
  k: 10n ** 12n,
  M: 10n ** 15n,
  G: 10n ** 18n,
  T: 10n ** 21n,
  P: 10n ** 24n,
  E: 10n ** 27n,
  Ki: kibi,
  Mi: 1024n ** 2n * 10n ** 9n,
  Gi: 1024n ** 3n * 10n ** 9n,
  Ti: 1024n ** 4n * 10n ** 9n,
  Pi: 1024n ** 5n * 10n ** 9n,
  Ei: 1024n ** 6n * 10n ** 9n,
};

/** Returns a quantity in billionths, the finest unit that it can have; 0 for another text. */
export function billionths(quantity: Json | undefined): bigint {
  return amountOf(String(quantity ?? ''));
}

/** Larger numbers would take seconds, and are only compared. */
const maxPower = 1_000;

const amountOf = remembered((text) => {
  const [, digits, exponent, suffix = ''] = /^(-?\d+)(?:e(-?\d+)|([a-zA-Z]*))$/.exec(canonicalQuantity(text) ?? '') ?? [];
  if (digits === undefined) return 0n;
  const power = exponent === undefined ? undefined : Math.min(Number(exponent) + 9, maxPower);
  return BigInt(digits) * (power === undefined ? (factors[suffix] ?? 0n) : 10n ** BigInt(power));
});

/** Returns the sum of quantities, in canonical form; in powers of two if the first of them is. */
export function sumOfQuantities(quantities: readonly Json[]): string {
  const [first] = quantities;
  if (quantities.length === 1) return canonicalQuantity(String(first)) ?? String(first);
  const sum = quantities.map(billionths).reduce((total, each) => total + each, 0n);
  const isBinary = String(first).endsWith('i') && sum % 10n ** 9n === 0n;
  return canonicalQuantity(isBinary && sum % kibi === 0n ? `${sum / kibi}Ki` : `${sum}n`) ?? '0';
}
