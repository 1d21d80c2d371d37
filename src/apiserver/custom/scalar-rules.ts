import { matchesPattern } from '../../schema/index.js';
import { hasFormat, isKnownFormat } from '../../schema/string-format.js';
import { goDouble } from '../../util/go-double.js';
import type { Json } from '../../util/json.js';
import { type FieldError, invalidValue, shown } from '../api/field-error.js';
import type { StructuralSchema } from './structural-schema.js';

/** Validates a string: the first limit that it breaks is reported, and its format. */
export function stringErrors(value: string, schema: StructuralSchema, path: string): FieldError[] {
  const limit = limitError(value, schema, path);
  const errors = limit === undefined ? [] : [limit];
  const { format, type } = schema;
  if (typeof format === 'string' && isKnownFormat(format, String(type ?? '')) && !hasFormat(format, value)) {
    const detail = `${path} in body must be of type ${format}: ${shown(value)}`;
    errors.push({ type: 'type', field: path, value: shown(value), detail });
  }
  return errors;
}

function limitError(value: string, { maxLength, minLength, pattern }: StructuralSchema, path: string): FieldError | undefined {
  const length = [...value].length;
  if (typeof maxLength === 'number' && length > maxLength)
    return { type: 'tooLong', field: path, detail: `may not be more than ${maxLength} byte${maxLength === 1 ? '' : 's'}` };
  if (typeof minLength === 'number' && length < minLength)
    return invalidValue(path, value, `${path} in body should be at least ${minLength} chars long`);
  const isMatch = typeof pattern !== 'string' || matchesPattern(pattern, value) !== false;
  return isMatch ? undefined : invalidValue(path, value, `${path} in body should match '${pattern}'`);
}

/**
 * Validates a number, which may be one of another type than that of its schema. A server keeps a limit as a double. It compares an integer with
 * the limit without its fraction, if the type of the schema can hold the limit. Source: observed.
 */
export function numberErrors(sent: number | bigint, schema: StructuralSchema, path: string): FieldError[] {
  const errors = rangeErrors(sent, schema, path, 'Checked');
  const compare = (declared: Json | undefined, what: string, broken: (value: ExactNumber, limit: ExactNumber) => string | undefined) => {
    if (typeof declared !== 'number' && typeof declared !== 'bigint') return;
    const double = Number(declared);
    const unfit = rangeErrors(double, schema, path, what);
    const isExact = unfit.length === 0 && isInt64(sent);
    const [value, limit] = isExact ? [BigInt(sent), int64Of(double)] : [Number(sent), double];
    errors.push(...unfit);
    const detail = broken(value, limit);
    if (detail !== undefined) errors.push({ type: 'invalid', field: path, value: numberText(value), detail });
  };
  const { minimum, maximum, multipleOf } = schema;
  const [isAbove, isBelow] = [schema.exclusiveMinimum === true, schema.exclusiveMaximum === true];
  if (typeof multipleOf === 'number' && isInt64(sent) && schema.type !== 'integer' && Math.trunc(multipleOf) <= 0)
    errors.push(invalidValue(path, 0, `factor MultipleOf declared for ${path} must be positive: 0`));
  else
    compare(multipleOf, 'MultipleOf', (value, factor) =>
      isMultiple(value, factor) ? undefined : `${path} in body should be a multiple of ${numberText(factor)}`,
    );
  compare(minimum, 'Minimum boundary', (value, limit) => {
    const isBroken = isAbove ? value <= limit : value < limit;
    return isBroken ? `${path} in body should be greater than ${isAbove ? '' : 'or equal to '}${numberText(limit)}` : undefined;
  });
  compare(maximum, 'Maximum boundary', (value, limit) => {
    const isBroken = isBelow ? value >= limit : value > limit;
    return isBroken ? `${path} in body should be less than ${isBelow ? '' : 'or equal to '}${numberText(limit)}` : undefined;
  });
  return errors;
}

/** An integer of 64 bits, or a double. */
type ExactNumber = number | bigint;

function numberText(value: ExactNumber): string {
  return typeof value === 'bigint' ? String(value) : goDouble(value);
}

/** Returns a double as an integer of 64 bits; one that does not fit becomes the least, as on amd64. Source: observed. */
function int64Of(double: number): bigint {
  const integer = BigInt(Math.trunc(double));
  return integer >= int64.least && integer <= int64.most ? integer : int64.least;
}

/** Returns true for a number that a server reads as an integer of 64 bits: it reads larger ones as numbers with a fraction. */
export function isInt64(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) < 2 ** 63;
  return typeof value === 'bigint' && BigInt.asIntN(64, value) === value;
}

const int64 = { least: -(2n ** 63n), most: 2n ** 63n - 1n };
const integerRanges: Readonly<Record<string, { readonly least: bigint; readonly most: bigint } | undefined>> = {
  int32: { least: -(2n ** 31n), most: 2n ** 31n - 1n },
  uint32: { least: 0n, most: 2n ** 32n - 1n },
  uint64: { least: 0n, most: 2n ** 64n - 1n },
};

/** Returns an error for a value, or a limit of its schema, that the type of the schema cannot hold. The error names no field. */
function rangeErrors(value: ExactNumber, schema: StructuralSchema, path: string, what: string): FieldError[] {
  const { type, format } = schema;
  const isNamed = typeof format === 'string' && isKnownFormat(format, String(type ?? ''));
  if (fits(value, type, isNamed ? format : undefined)) return [];
  const wanted = isNamed ? `with format ${format}` : '(default format)';
  return [invalidValue('<nil>', '', `${what} value must be of type ${String(type)} ${wanted} in ${path}`)];
}

function fits(value: ExactNumber, type: Json | undefined, format: string | undefined): boolean {
  if (type === 'number') return format !== 'float' || Number.isFinite(Math.fround(Number(value)));
  if (type !== 'integer') return true;
  const { least, most } = (format === undefined ? undefined : integerRanges[format]) ?? int64;
  const integer = integerIn(value);
  return integer !== undefined && integer >= least && integer <= most;
}

/** Returns an integer as a server reads it: of a double, it reads the fewest digits that name it. Source: observed. */
function integerIn(value: ExactNumber): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (!Number.isInteger(value)) return undefined;
  return BigInt(Math.abs(value) < 1e21 ? String(value) : value);
}

/** Half a part in a billion counts as nothing. Source: observed. */
const tolerance = 1e-9;

function isMultiple(value: ExactNumber, factor: ExactNumber): boolean {
  if (typeof value === 'bigint' && typeof factor === 'bigint') return value % factor === 0n;
  const [number, divisor] = [Number(value), Number(factor)];
  const quotient = divisor < 1 ? (1 / divisor) * number : number / divisor;
  if (Math.abs(quotient) > Number.MAX_SAFE_INTEGER) return false;
  if (Number.isInteger(quotient)) return true;
  const whole = Math.trunc(quotient);
  return whole !== 0 && Math.abs(quotient - whole) / Math.abs(quotient + whole) < tolerance;
}
