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
  if (amount === undefined || amount.nano % perMilli === 0n) return storedQuantity(text);
  return written({ ...amount, nano: ceilDivide(amount.nano, perMilli) * perMilli });
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

interface Amount {
  readonly minus: string;
  /** The value without its sign, in billionths, the finest unit that it can have. */
  readonly nano: bigint;
  readonly form: 'binary' | 'decimal' | 'exponent';
}

function amountOf(text: string): Amount | undefined {
  if (quantityError(text) !== undefined) return undefined;
  const [, sign, digits = '', suffix = ''] = quantityPattern.exec(text.trim()) as RegExpExecArray;
  const minus = sign === '-' ? '-' : '';
  const [whole = '', fraction = ''] = digits.split('.');
  const unscaled = BigInt(whole + fraction);
  if (binary.includes(suffix) && suffix !== '') {
    const nano = ceilDivide(unscaled * 1024n ** BigInt(binary.indexOf(suffix)) * perUnit, 10n ** BigInt(fraction.length));
    return { minus, nano: nano > maxBinary * perUnit ? maxBinary * perUnit : nano, form: 'binary' };
  }
  const exponent = isExponent(suffix) ? Number(suffix.slice(1)) : (decimal.indexOf(suffix) - 3) * 3;
  const digitsOfNano = exponent + 9 - fraction.length;
  const nano = digitsOfNano >= 0 ? unscaled * 10n ** BigInt(digitsOfNano) : ceilDivide(unscaled, 10n ** BigInt(-digitsOfNano));
  return { minus, nano, form: isExponent(suffix) ? 'exponent' : 'decimal' };
}

function written(amount: Amount | undefined): string | undefined {
  if (amount === undefined) return undefined;
  const { nano, form } = amount;
  const minus = nano === 0n ? '' : amount.minus;
  if (form === 'exponent') return minus + withExponent(nano);
  // A fraction of a byte has no binary form.
  if (form === 'binary' && nano % perUnit === 0n) return minus + shortened(nano / perUnit, 1024n, binary);
  return minus + shortened(nano, 1000n, decimal);
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

function withExponent(nano: bigint): string {
  if (nano === 0n) return '0';
  let rest = nano;
  let exponent = -9;
  while (rest % 1000n === 0n) {
    rest /= 1000n;
    exponent += 3;
  }
  return exponent === 0 ? String(rest) : `${rest}e${exponent}`;
}
