import { remembered } from './remembered.js';

const binary = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const decimal = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];

const quantityPattern = /^([+-]?)(\d*(?:\.\d*)?)((?:[eEinumkKMGTP]+[-+]?\d*|[-+]\d*)?)$/;

/**
 * Returns the error message for a text that is not a quantity, else undefined.
 * Source: Kubernetes API reference, "Quantity"; messages as observed.
 */
export function quantityError(text: string): string | undefined {
  const parts = quantityPattern.exec(text.trim());
  if (parts === null || parts[0] === '')
    return "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  const suffix = parts[3] ?? '';
  const isKnown = binary.includes(suffix) || decimal.includes(suffix) || isExponent(suffix);
  return isKnown ? undefined : "unable to parse quantity's suffix";
}

function isExponent(suffix: string): boolean {
  return /^[eE][+-]?\d+$/.test(suffix);
}

/**
 * Returns a quantity in its canonical form: without a fraction, with the largest suffix that allows that. Returns undefined if the text
 * is not a quantity. Source: Kubernetes API reference, "Quantity".
 */
export const canonicalQuantity = remembered((text) => written(amountOf(text)));

/**
 * Returns a quantity as a server stores it: in its canonical form, or as it was sent if only signs, zeros and letters differ, such as `+1`, `007`
 * and `1E3`. Returns undefined if the text is not a quantity. Source: responses of a server.
 */
export const storedQuantity = remembered((text) => (isKept(text.trim()) ? text.trim() : canonicalQuantity(text)));

/**
 * Returns a quantity of a resource as a server stores it: a map of resources rounds its quantities up to thousandths. Returns undefined if the
 * text is not a quantity. Source: responses of a server.
 */
export const storedResourceQuantity = remembered((text) => {
  const amount = amountOf(text);
  if (amount === undefined || amount.exponent >= -3 || nanoOf(amount) % perMilli === 0n) return storedQuantity(text);
  return written({ ...amount, digits: ceilDivide(nanoOf(amount), perMilli), exponent: -3 });
});

/** The digits that a server reads fast, with a suffix of powers of two. */
const fastDigits: Readonly<Record<string, number>> = { Ki: 11, Mi: 8, Gi: 5, Ti: 2 };

/** Returns true for a whole number that no larger suffix could shorten. */
function isKept(text: string): boolean {
  const [, digits = '', suffix = ''] = /^[+-]?0*([1-9]\d*)\.?(|[numkMGTPE]|[KMGT]i|[eE][+-]?\d+)$/.exec(text) ?? [];
  const isBinary = suffix.endsWith('i');
  if (digits === '' || digits.length > (isBinary ? (fastDigits[suffix] ?? 0) : 18)) return false;
  if (suffix.length > 1 && !isBinary && Number(suffix.slice(1)) % 3 !== 0) return false;
  return BigInt(digits) % (isBinary ? 1024n : 1000n) !== 0n;
}

const perMilli = 10n ** 6n;
const perUnit = 10n ** 9n;
/** The largest quantity that a suffix such as `Ei` can make: the largest integer of 64 bits. Source: observed. */
const maxBinary = 2n ** 63n - 1n;

/** A value: `digits` times ten to the power of `exponent`, which is -9 or more. */
interface Amount {
  readonly minus: string;
  readonly digits: bigint;
  readonly exponent: number;
  readonly form: 'binary' | 'decimal' | 'exponent';
}

function amountOf(text: string): Amount | undefined {
  if (quantityError(text) !== undefined) return undefined;
  const [, sign, written = '', suffix = ''] = quantityPattern.exec(text.trim()) as RegExpExecArray;
  const minus = sign === '-' ? '-' : '';
  const [whole = '', fraction = ''] = written.split('.');
  const unscaled = BigInt(whole + fraction);
  if (binary.includes(suffix) && suffix !== '') {
    const nano = ceilDivide(unscaled * 1024n ** BigInt(binary.indexOf(suffix)) * perUnit, 10n ** BigInt(fraction.length));
    return { minus, digits: nano > maxBinary * perUnit ? maxBinary * perUnit : nano, exponent: -9, form: 'binary' };
  }
  const power = isExponent(suffix) ? Number(suffix.slice(1)) : (decimal.indexOf(suffix) - 3) * 3;
  const form = isExponent(suffix) ? 'exponent' : 'decimal';
  const exponent = power - fraction.length;
  if (exponent >= -9) return { minus, digits: unscaled, exponent, form };
  // A value below a billionth is rounded up to one, which needs no division by more than its digits.
  const lost = Math.min(-9 - exponent, written.length + 1);
  return { minus, digits: ceilDivide(unscaled, 10n ** BigInt(lost)), exponent: -9, form };
}

/** Returns a value in billionths; its exponent is small. */
function nanoOf({ digits, exponent }: Amount): bigint {
  return digits * 10n ** BigInt(exponent + 9);
}

function written(amount: Amount | undefined): string | undefined {
  if (amount === undefined) return undefined;
  if (amount.digits === 0n) return '0';
  if (amount.form === 'exponent') return amount.minus + withExponent(amount);
  const nano = nanoOf(amount);
  // A fraction of a byte has no binary form.
  if (amount.form === 'binary' && nano % perUnit === 0n) return amount.minus + shortened(nano / perUnit, 1024n, binary);
  return amount.minus + shortened(nano, 1000n, decimal);
}

function ceilDivide(value: bigint, divisor: bigint): bigint {
  return (value + divisor - 1n) / divisor;
}

function shortened(value: bigint, base: bigint, suffixes: readonly string[]): string {
  if (value === 0n) return '0';
  let rest = value;
  let index = 0;
  while (index < suffixes.length - 1 && rest % base === 0n) {
    rest /= base;
    index += 1;
  }
  return `${rest}${suffixes[index]}`;
}

/** Writes digits and an exponent that is a multiple of three, the largest there is. */
function withExponent({ digits, exponent }: Amount): string {
  const all = String(digits);
  let end = all.length;
  while (all[end - 1] === '0') end--;
  const largest = exponent + all.length - end;
  const rest = ((largest % 3) + 3) % 3;
  const power = largest - rest;
  return `${all.slice(0, end)}${'0'.repeat(rest)}${power === 0 ? '' : `e${power}`}`;
}
