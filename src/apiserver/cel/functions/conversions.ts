import { goDouble } from '../../../util/go-double.js';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  stringType,
  timestampType,
  typeOf,
  typeParam,
  uintType,
} from '../types/cel-type.js';
import {
  type CelTime,
  floorDivide,
  formatDuration,
  formatTimestamp,
  parseDuration,
  parseTimestamp,
  timestampOf,
} from '../values/cel-time.js';
import { typeName } from '../values/type-name.js';
import { decodeUtf8, invalidUtf8 } from '../values/utf8.js';
import { CelTypeValue, CelUint, type CelValue, EvaluationError, maxInt, maxUint, minInt } from '../values/value.js';
import { type Library, overload } from './overload.js';

const perSecond = 1_000_000_000n;

function fail(message: string): never {
  throw new EvaluationError(message);
}

function toInt(value: bigint): bigint {
  return value > maxInt || value < minInt ? fail('integer overflow') : value;
}

function toUint(value: bigint): CelUint {
  return value > maxUint || value < 0n ? fail('unsigned integer overflow') : new CelUint(value);
}

function whole(value: number, message: string): bigint {
  return Number.isFinite(value) ? BigInt(Math.trunc(value)) : fail(message);
}

function conversionError(to: string, from = 'string'): never {
  return fail(`type conversion error from '${from}' to '${to}'`);
}

function parseInteger(text: string, to: 'int' | 'uint', pattern: RegExp): bigint {
  const value = pattern.test(text) ? BigInt(text.replace('+', '')) : conversionError(to);
  const isOut = to === 'int' ? value > maxInt || value < minInt : value > maxUint;
  return isOut ? conversionError(to) : value;
}

const infinity = /^([+-]?)(?:inf|infinity)$/i;
/** Digits may be separated by single underscores, also from the prefix of a hexadecimal number. Source: Go's package strconv, ParseFloat. */
const decimalNumber = /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?$/i;
const hexadecimalNumber =
  /^([+-]?)0x(?:_?([\da-f]+(?:_[\da-f]+)*)(?:\.([\da-f]+(?:_[\da-f]+)*)?)?|\.([\da-f]+(?:_[\da-f]+)*))p([+-]?\d+(?:_\d+)*)$/i;

function parseDouble(text: string): number {
  const [, sign] = infinity.exec(text) ?? [];
  if (sign !== undefined) return sign === '-' ? -Infinity : Infinity;
  if (text.toLowerCase() === 'nan') return Number.NaN;
  const value = decimalNumber.test(text) ? Number(text.replaceAll('_', '')) : parseHexadecimal(text);
  return value !== undefined && Number.isFinite(value) ? value : conversionError('double');
}

function parseHexadecimal(text: string): number | undefined {
  const match = hexadecimalNumber.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '', behind = '', alone = '', exponent = ''] = match.map((part) => part?.replaceAll('_', ''));
  const fraction = behind || alone;
  const power = Number(exponent) - 4 * fraction.length;
  // In two steps, as the first may be too large or too small for a number.
  const half = Math.trunc(power / 2);
  return Number(BigInt(`0x${whole}${fraction}`)) * 2 ** half * 2 ** (power - half) * (sign === '-' ? -1 : 1);
}

const bytesToString = (value: Uint8Array) => decodeUtf8(value) ?? fail(invalidUtf8);

const truths = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const untruths = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

function toBool(text: string): boolean {
  if (truths.has(text)) return true;
  return untruths.has(text) ? false : conversionError('bool');
}

const timestamp = (nanoseconds: bigint, offset?: number) => timestampOf(nanoseconds, offset) ?? fail('timestamp overflow');
const timestampFrom = (text: string) => {
  const { nanoseconds, offset } = parseTimestamp(text) ?? conversionError('google.protobuf.Timestamp');
  return timestamp(nanoseconds, offset);
};
const durationFrom = (text: string) => parseDuration(text) ?? conversionError('google.protobuf.Duration');

const a = typeParam('A');
const same = (value: CelValue) => value;

/** Conversions between types. Source: the language definition of CEL, "List of Standard Definitions". */
export const conversions: Library = {
  bool: [overload('bool_to_bool', [boolType], boolType, same), overload('string_to_bool', [stringType], boolType, toBool)],
  bytes: [
    overload('bytes_to_bytes', [bytesType], bytesType, same),
    overload('string_to_bytes', [stringType], bytesType, (text: string) => new TextEncoder().encode(text)),
  ],
  double: [
    overload('double_to_double', [doubleType], doubleType, same),
    overload('int64_to_double', [intType], doubleType, (value: bigint) => Number(value)),
    overload('string_to_double', [stringType], doubleType, parseDouble),
    overload('uint64_to_double', [uintType], doubleType, ({ value }: CelUint) => Number(value)),
  ],
  duration: [
    overload('duration_to_duration', [durationType], durationType, same),
    // Real servers declare it and always fail.
    overload('int64_to_duration', [intType], durationType, () => conversionError('google.protobuf.Duration', 'int')),
    overload('string_to_duration', [stringType], durationType, durationFrom),
  ],
  dyn: [overload('to_dyn', [a], dynType, same)],
  int: [
    overload('int64_to_int64', [intType], intType, same),
    overload('double_to_int64', [doubleType], intType, (value: number) =>
      value <= -(2 ** 63) || value >= 2 ** 63 ? fail('integer overflow') : toInt(whole(value, 'integer overflow')),
    ),
    overload('duration_to_int64', [durationType], intType, ({ nanoseconds }: CelTime) => nanoseconds),
    overload('string_to_int64', [stringType], intType, (text: string) => parseInteger(text, 'int', /^[+-]?\d+$/)),
    overload('timestamp_to_int64', [timestampType], intType, ({ nanoseconds }: CelTime) => floorDivide(nanoseconds, perSecond)),
    overload('uint64_to_int64', [uintType], intType, ({ value }: CelUint) => toInt(value)),
  ],
  string: [
    overload('string_to_string', [stringType], stringType, same),
    overload('bool_to_string', [boolType], stringType, (value: boolean) => String(value)),
    overload('bytes_to_string', [bytesType], stringType, bytesToString),
    overload('double_to_string', [doubleType], stringType, goDouble),
    overload('duration_to_string', [durationType], stringType, formatDuration),
    overload('int64_to_string', [intType], stringType, (value: bigint) => String(value)),
    overload('timestamp_to_string', [timestampType], stringType, formatTimestamp),
    overload('uint64_to_string', [uintType], stringType, ({ value }: CelUint) => String(value)),
  ],
  timestamp: [
    overload('timestamp_to_timestamp', [timestampType], timestampType, same),
    overload('int64_to_timestamp', [intType], timestampType, (value: bigint) => timestamp(value * perSecond)),
    overload('string_to_timestamp', [stringType], timestampType, timestampFrom),
  ],
  type: [overload('type', [a], typeOf(a), (value: CelValue) => new CelTypeValue(typeName(value)))],
  uint: [
    overload('uint64_to_uint64', [uintType], uintType, same),
    overload('double_to_uint64', [doubleType], uintType, (value: number) =>
      value < 0 || value >= 2 ** 64 ? fail('unsigned integer overflow') : toUint(whole(value, 'unsigned integer overflow')),
    ),
    overload('int64_to_uint64', [intType], uintType, toUint),
    overload('string_to_uint64', [stringType], uintType, (text: string) => toUint(parseInteger(text, 'uint', /^\d+$/))),
  ],
};
