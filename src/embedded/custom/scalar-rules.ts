import { matchesPattern } from '../../schema/index.js';
import { goDouble } from '../../util/go-double.js';
import { type FieldError, invalidValue, shown } from '../api/field-error.js';
import { hasFormat, isKnownFormat } from './formats.js';
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
 * Validates a number, which may be one of another type than that of its schema. An integer is compared with a limit without its fraction, if the
 * type of the schema can hold the limit. Source: observed.
 */
export function numberErrors(sent: number | bigint, schema: StructuralSchema, path: string): FieldError[] {
  const value = Number(sent);
  const errors = rangeErrors(sent, schema, path, 'Checked');
  const compare = (limit: unknown, what: string, broken: (limit: number) => string | undefined) => {
    if (typeof limit !== 'number') return;
    const unfit = rangeErrors(limit, schema, path, what);
    const detail = broken(unfit.length === 0 && isInt64(sent) ? Math.trunc(limit) : limit);
    errors.push(...unfit);
    if (detail !== undefined)
      errors.push({ type: 'invalid', field: path, value: unfit.length > 0 ? goDouble(value) : shown(value), detail });
  };
  const { minimum, maximum, multipleOf } = schema;
  const [isAbove, isBelow] = [schema.exclusiveMinimum === true, schema.exclusiveMaximum === true];
  if (typeof multipleOf === 'number' && isInt64(sent) && schema.type !== 'integer' && Math.trunc(multipleOf) <= 0)
    errors.push(invalidValue(path, 0, `factor MultipleOf declared for ${path} must be positive: 0`));
  else
    compare(multipleOf, 'MultipleOf', (factor) =>
      isMultiple(value, factor) ? undefined : `${path} in body should be a multiple of ${factor}`,
    );
  compare(minimum, 'Minimum boundary', (limit) => {
    const isBroken = isAbove ? value <= limit : value < limit;
    return isBroken ? `${path} in body should be greater than ${isAbove ? '' : 'or equal to '}${limit}` : undefined;
  });
  compare(maximum, 'Maximum boundary', (limit) => {
    const isBroken = isBelow ? value >= limit : value > limit;
    return isBroken ? `${path} in body should be less than ${isBelow ? '' : 'or equal to '}${limit}` : undefined;
  });
  return errors;
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
function rangeErrors(value: number | bigint, schema: StructuralSchema, path: string, what: string): FieldError[] {
  const { type, format } = schema;
  if (type !== 'integer') return [];
  const isNamed = typeof format === 'string' && isKnownFormat(format, type);
  const { least, most } = (isNamed ? integerRanges[format] : undefined) ?? int64;
  const integer = typeof value === 'bigint' ? value : Number.isInteger(value) ? BigInt(value) : undefined;
  if (integer !== undefined && integer >= least && integer <= most) return [];
  const wanted = isNamed ? `with format ${format}` : '(default format)';
  return [invalidValue('<nil>', '', `${what} value must be of type integer ${wanted} in ${path}`)];
}

/** Half a part in a billion counts as nothing. Source: observed. */
const tolerance = 1e-9;

function isMultiple(value: number, factor: number): boolean {
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  if (Math.abs(quotient) > Number.MAX_SAFE_INTEGER) return false;
  if (Number.isInteger(quotient)) return true;
  const whole = Math.trunc(quotient);
  return whole !== 0 && Math.abs(quotient - whole) / Math.abs(quotient + whole) < tolerance;
}
