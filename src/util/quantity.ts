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
export const canonicalQuantity = remembered(computeCanonical);

function computeCanonical(text: string): string | undefined {
  if (quantityError(text) !== undefined) return undefined;
  const [, sign, digits = '', suffix = ''] = quantityPattern.exec(text.trim()) as RegExpExecArray;
  const minus = sign === '-' ? '-' : '';
  const [whole = '', fraction = ''] = digits.split('.');
  if (binary.includes(suffix) && suffix !== '') {
    const scale = 1024n ** BigInt(binary.indexOf(suffix));
    const scaled = BigInt(whole + fraction) * scale;
    const divisor = 10n ** BigInt(fraction.length);
    // A fraction of a byte has no binary form.
    if (scaled % divisor !== 0n) return canonicalDecimal(minus, scaled * 10n ** 9n, divisor);
    return minus + shortened(scaled / divisor, 1024n, binary);
  }
  const exponent = isExponent(suffix) ? Number(suffix.slice(1)) : (decimal.indexOf(suffix) - 3) * 3;
  const nano = exponent + 9 - fraction.length;
  const value = nano >= 0 ? BigInt(whole + fraction) * 10n ** BigInt(nano) : ceilDivide(BigInt(whole + fraction), 10n ** BigInt(-nano));
  if (isExponent(suffix)) return minus + withExponent(value);
  return minus + shortened(value, 1000n, decimal);
}

function canonicalDecimal(minus: string, nano: bigint, divisor: bigint): string {
  return minus + shortened(ceilDivide(nano, divisor), 1000n, decimal);
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
