import { boolType, doubleType, intType, opaqueType, stringType } from '../types/cel-type.js';
import { CelOpaque, EvaluationError, maxInt, minInt } from '../values/value.js';
import { type Library, method, overload } from './overload.js';

/** Digits behind the decimal point that a quantity keeps; smaller parts are rounded up. */
const scale = 9n;
const one = 10n ** scale;

/** Returns the digits of a number, with so many of them behind the decimal point. */
function digitsOf(billionths: bigint, decimals: number): bigint {
  return (decimals < 0 ? billionths / 10n ** BigInt(-decimals) : billionths * 10n ** BigInt(decimals)) / one;
}

/** Returns true if the digits of a number take 64 bits. */
function fits(billionths: bigint, decimals: number): boolean {
  const digits = digitsOf(billionths, decimals);
  return digits <= maxInt && digits >= minInt;
}

class Quantity extends CelOpaque {
  readonly typeName = 'kubernetes.Quantity';
  /** The value in billionths. */
  readonly billionths: bigint;
  /** Digits behind the decimal point as it is written, zeros too; above 0, the quantity is not an integer. Undefined if it has too many digits. Source: observed. */
  readonly decimals: number | undefined;
  /** True for a result of `add` and `sub`, with which a quantity on the left side cannot be compared. Source: observed. */
  readonly #isComputed: boolean;

  constructor(billionths: bigint, decimals: number | undefined, isComputed = false) {
    super();
    this.billionths = billionths;
    this.decimals = decimals;
    this.#isComputed = isComputed;
  }

  /** The digits times a power of ten, which is not always the nearest number: 1501 * 0.001 is more than 1.501. Source: observed. */
  get approximate(): number {
    const { billionths, decimals } = this;
    if (decimals === undefined || decimals > scale) return Number(billionths) / Number(one);
    return Number(digitsOf(billionths, decimals)) * Number(`1e${-decimals}`);
  }

  plus(billionths: bigint, decimals: number | undefined): Quantity {
    const sum = this.billionths + billionths;
    return new Quantity(sum, this.#decimalsOfSum(billionths, decimals), true);
  }

  #decimalsOfSum(billionths: bigint, decimals: number | undefined): number | undefined {
    if (this.decimals === undefined || decimals === undefined) return undefined;
    if (billionths === 0n) return this.decimals;
    if (this.billionths === 0n) return decimals;
    const most = Math.max(this.decimals, decimals);
    return [this.billionths, billionths, this.billionths + billionths].every((part) => fits(part, most)) ? most : undefined;
  }

  equals(other: CelOpaque): boolean {
    if (!(other instanceof Quantity)) return false;
    if (other.#isComputed) throw new EvaluationError('no such overload');
    return other.billionths === this.billionths;
  }
}

const factors: Readonly<Record<string, readonly [numerator: bigint, denominator: bigint]>> = {
  n: [1n, 10n ** 9n],
  u: [1n, 10n ** 6n],
  m: [1n, 1000n],
  '': [1n, 1n],
  k: [10n ** 3n, 1n],
  M: [10n ** 6n, 1n],
  G: [10n ** 9n, 1n],
  T: [10n ** 12n, 1n],
  P: [10n ** 15n, 1n],
  E: [10n ** 18n, 1n],
  Ki: [2n ** 10n, 1n],
  Mi: [2n ** 20n, 1n],
  Gi: [2n ** 30n, 1n],
  Ti: [2n ** 40n, 1n],
  Pi: [2n ** 50n, 1n],
  Ei: [2n ** 60n, 1n],
};

const shape = /^([+-]?)(\d*)(?:\.(\d*))?([numkMGTPE]|[KMGTPE]i|[eE][+-]?\d+)?$/;

/** Reads a quantity; undefined for another text. Source: Kubernetes API reference, Quantity. */
function parseQuantity(text: string): Quantity | undefined {
  const match = shape.exec(text);
  // Without digits it is zero, as `Gi` is. Source: observed.
  if (match === null || text === '') return undefined;
  const [, sign = '', digits = '', fraction = '', suffix = ''] = match;
  if (factors[suffix] === undefined && exponentOf(suffix) === undefined) return undefined;
  const [numerator, denominator] = factorOf(suffix);
  const unscaled = BigInt(`${digits}${fraction}`) * numerator * one;
  const divisor = denominator * 10n ** BigInt(fraction.length);
  // Rounded away from zero.
  const rounded = (unscaled + divisor - 1n) / divisor;
  const billionths = suffix.endsWith('i') && rounded > maxInt * one ? maxInt * one : rounded;
  return new Quantity(sign === '-' ? -billionths : billionths, decimalsOf(`${digits}${fraction}`, fraction, suffix));
}

const maxDigits = 18;
/** Three digits less for each power of 1024. */
const binaryDigits = (suffix: string) => 11 - 3 * 'KMGTPE'.indexOf(suffix.charAt(0));

function decimalsOf(digits: string, fraction: string, suffix: string): number | undefined {
  if (digits.replace(/^0+/, '').length > maxDigits) return undefined;
  const [numerator, denominator] = factorOf(suffix);
  if (suffix.endsWith('i')) return fraction === '' && digits.length <= binaryDigits(suffix) ? 0 : undefined;
  return fraction.length + String(denominator).length - String(numerator).length;
}

/** Returns the exponent of a suffix such as `e9`, of which the last 32 bits count; undefined for one of more than 64 bits. Source: observed. */
function exponentOf(suffix: string): number | undefined {
  const [, sign = '', written = ''] = /^[eE]([+-]?)(\d*)$/.exec(suffix) ?? [];
  const digits = written.replace(/^0+/, '');
  if (digits.length > 19) return undefined;
  const exponent = BigInt(`${sign === '-' ? '-' : ''}${digits === '' ? '0' : digits}`);
  return exponent === BigInt.asIntN(64, exponent) ? Number(BigInt.asIntN(32, exponent)) : undefined;
}

function factorOf(suffix: string): readonly [bigint, bigint] {
  const known = factors[suffix];
  if (known !== undefined) return known;
  const exponent = Math.max(-400, Math.min(400, exponentOf(suffix) ?? 0));
  return exponent < 0 ? [1n, 10n ** BigInt(-exponent)] : [10n ** BigInt(exponent), 1n];
}

const quantityType = opaqueType('kubernetes.Quantity');
const problem = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
/** A number with a suffix that may be none. */
const anySuffix = /^[+-]?(?:\d+(?:\.\d*)?|\.\d*)?(?:[eEinumkKMGTP]+(?:[-+]?\d*)|[-+]\d*)?$/;
const problemOf = (text: string) => (text !== '' && anySuffix.test(text) ? "unable to parse quantity's suffix" : problem);

function fail(message: string): never {
  throw new EvaluationError(message);
}

const read = (text: string) => parseQuantity(text) ?? fail(problemOf(text));
const isWhole = ({ billionths, decimals = 1 }: Quantity) => decimals <= 0 && billionths / one <= maxInt && billionths / one >= minInt;
const whole = (quantity: Quantity) => (isWhole(quantity) ? quantity.billionths / one : fail('cannot convert value to integer'));
const orderOf = (left: Quantity, right: Quantity) =>
  left.billionths < right.billionths ? -1n : left.billionths > right.billionths ? 1n : 0n;
/** The least integer is its own negative. Source: observed. */
const negated = (value: bigint) => BigInt.asIntN(64, -value);
const q = quantityType;

/** Source: Kubernetes documentation "Common Expression Language in Kubernetes", "Kubernetes quantity library". */
export const quantities: Library = {
  quantity: [overload('string_to_quantity', [stringType], q, read)],
  isQuantity: [overload('is_quantity_string', [stringType], boolType, (text: string) => parseQuantity(text) !== undefined)],
  sign: [overload('quantity_sign', [q], intType, ({ billionths }: Quantity) => (billionths < 0n ? -1n : billionths > 0n ? 1n : 0n))],
  isGreaterThan: [method('quantity_is_greater_than', [q, q], boolType, (left: Quantity, right: Quantity) => orderOf(left, right) > 0n)],
  isLessThan: [method('quantity_is_less_than', [q, q], boolType, (left: Quantity, right: Quantity) => orderOf(left, right) < 0n)],
  compareTo: [method('quantity_compare_to', [q, q], intType, orderOf)],
  asApproximateFloat: [method('quantity_get_float', [q], doubleType, ({ approximate }: Quantity) => approximate)],
  asInteger: [method('quantity_get_int', [q], intType, whole)],
  isInteger: [method('quantity_is_integer', [q], boolType, isWhole)],
  add: [
    method('quantity_add', [q, q], q, (left: Quantity, right: Quantity) => left.plus(right.billionths, right.decimals)),
    method('quantity_add_int', [q, intType], q, (left: Quantity, right: bigint) => left.plus(right * one, 0)),
  ],
  sub: [
    method('quantity_sub', [q, q], q, (left: Quantity, right: Quantity) => left.plus(-right.billionths, right.decimals)),
    method('quantity_sub_int', [q, intType], q, (left: Quantity, right: bigint) => left.plus(negated(right) * one, 0)),
  ],
};
