import { CelOpaque } from './value.js';

const perSecond = 1_000_000_000n;
const minTimestamp = -62_135_596_800n * perSecond;
const maxTimestamp = 253_402_300_800n * perSecond - 1n;
const maxDuration = 2n ** 63n - 1n;

/** A timestamp (nanoseconds since 1970) or a duration (nanoseconds). */
export class CelTime extends CelOpaque {
  readonly typeName: 'google.protobuf.Timestamp' | 'google.protobuf.Duration';
  readonly nanoseconds: bigint;
  /** The minutes by which a timestamp was written later than UTC. */
  readonly offset: number;

  constructor(typeName: CelTime['typeName'], nanoseconds: bigint, offset = 0) {
    super();
    this.typeName = typeName;
    this.nanoseconds = nanoseconds;
    this.offset = offset;
  }

  equals(other: CelOpaque): boolean {
    return other instanceof CelTime && other.nanoseconds === this.nanoseconds;
  }

  get isDuration(): boolean {
    return this.typeName === 'google.protobuf.Duration';
  }
}

/** Returns a timestamp; undefined if it is not between the years 1 and 9999. */
export function timestampOf(nanoseconds: bigint, offset = 0): CelTime | undefined {
  if (nanoseconds < minTimestamp || nanoseconds > maxTimestamp) return undefined;
  return new CelTime('google.protobuf.Timestamp', nanoseconds, offset);
}

/** Returns a duration; undefined if it has more than 64 bits. */
export function durationOf(nanoseconds: bigint): CelTime | undefined {
  return nanoseconds > maxDuration || nanoseconds < -maxDuration - 1n ? undefined : new CelTime('google.protobuf.Duration', nanoseconds);
}

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d?):(\d\d):(\d\d)([.,]\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Returns the duration from one timestamp to another; undefined if its nanoseconds, or those of its seconds alone, have more than 64 bits. */
export function durationBetween(from: CelTime, to: CelTime): CelTime | undefined {
  const seconds = floorDivide(to.nanoseconds, perSecond) - floorDivide(from.nanoseconds, perSecond);
  return durationOf(seconds * perSecond) && durationOf(to.nanoseconds - from.nanoseconds);
}

/**
 * Reads a timestamp of RFC 3339, also one with an hour of one digit or a comma, and one before the year 1; undefined for another text. Source:
 * Go's package time, Parse.
 */
export function parseTimestamp(text: string): CelTime | undefined {
  const match = rfc3339.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', zone = 'Z'] = match;
  const fields = [year, month, day, hour, minute, second].map(Number) as [number, number, number, number, number, number];
  const date = utc(fields);
  if (date === undefined) return undefined;
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [];
  const offset = sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  if (Number(hours ?? 0) > 24 || Number(minutes ?? 0) > 60) return undefined;
  const nanos = BigInt(fraction.slice(1, 10).padEnd(9, '0') || '0');
  return new CelTime('google.protobuf.Timestamp', BigInt(date - offset * 60_000) * 1_000_000n + nanos, offset);
}

export function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by < 0n ? quotient - 1n : quotient;
}

/** Returns the milliseconds of a date in UTC; undefined for a date that does not exist. */
function utc([year, month, day, hour, minute, second]: readonly [number, number, number, number, number, number]): number | undefined {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  const isSame = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 60;
  return isSame ? date.getTime() : undefined;
}

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: perSecond,
  m: 60n * perSecond,
  h: 3_600n * perSecond,
};

/** Reads a duration such as `1h30m`, as Go writes it; undefined for another text. */
export function parseDuration(text: string): CelTime | undefined {
  const sign = /^[+-]/.exec(text)?.[0] ?? '';
  const rest = text.slice(sign.length);
  if (rest === '0') return durationOf(0n);
  if (rest === '') return undefined;
  let total = 0n;
  let at = 0;
  const part = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/y;
  while (at < rest.length) {
    part.lastIndex = at;
    const match = part.exec(rest);
    if (match === null) return undefined;
    const [whole, digits = '', fraction = '', unit = ''] = match;
    if (digits === '' && fraction === '') return undefined;
    const scale = units[unit] as bigint;
    total += BigInt(digits || '0') * scale + fractionOf(fraction, scale);
    at += whole.length;
  }
  return durationOf(sign === '-' ? -total : total);
}

/** Returns the nanoseconds of digits behind the point; computed with a double, as Go's package time does, and with the digits that 63 bits hold. */
function fractionOf(digits: string, unit: bigint): bigint {
  let value = 0n;
  let scale = 1;
  for (const digit of digits) {
    const next = value * 10n + BigInt(digit);
    if (value > (2n ** 63n - 1n) / 10n || next > 2n ** 63n) break;
    value = next;
    scale *= 10;
  }
  return BigInt(Math.trunc(Number(value) * (Number(unit) / scale)));
}

/** Writes a duration in seconds, such as `1.5s`, with the digits that a double has. */
export function formatDuration({ nanoseconds }: CelTime): string {
  const seconds = Number(nanoseconds / perSecond) + Number(nanoseconds % perSecond) / Number(perSecond);
  // A number this small has an exponent in JavaScript; its nanoseconds have no more digits than a double.
  return `${Math.abs(seconds) < 1e-6 ? decimal(nanoseconds) : seconds}s`;
}

/** Writes a timestamp of RFC 3339 with its offset from UTC. */
export function formatTimestamp({ nanoseconds, offset }: CelTime): string {
  const nanos = ((nanoseconds % perSecond) + perSecond) % perSecond;
  const seconds = (nanoseconds - nanos) / perSecond;
  const [text = ''] = new Date((Number(seconds) + offset * 60) * 1000).toISOString().split('.');
  const fraction = nanos === 0n ? '' : `.${withoutTrailingZeros(nanos.toString().padStart(9, '0'))}`;
  return `${text}${fraction}${zoneOf(offset)}`;
}

function zoneOf(offset: number): string {
  if (offset === 0) return 'Z';
  const part = (value: number) => String(Math.floor(value)).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${part(Math.abs(offset) / 60)}:${part(Math.abs(offset) % 60)}`;
}

function decimal(nanoseconds: bigint): string {
  const absolute = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const fraction = withoutTrailingZeros((absolute % perSecond).toString().padStart(9, '0'));
  return `${nanoseconds < 0n ? '-' : ''}${absolute / perSecond}${fraction === '' ? '' : `.${fraction}`}`;
}

function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}
