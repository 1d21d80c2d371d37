import { quote } from '../../../util/quote.js';
import { durationType, intType, stringType, timestampType } from '../types/cel-type.js';
import type { CelTime } from '../values/cel-time.js';
import { EvaluationError, maxInt, minInt } from '../values/value.js';
import { type Library, method, type Overload } from './overload.js';

type Part = (date: Date) => number;

const dayOfYear: Part = (date) => Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000);

const parts: Readonly<Record<string, Part>> = {
  getFullYear: (date) => date.getUTCFullYear(),
  getMonth: (date) => date.getUTCMonth(),
  getDayOfYear: dayOfYear,
  getDayOfMonth: (date) => date.getUTCDate() - 1,
  getDate: (date) => date.getUTCDate(),
  getDayOfWeek: (date) => date.getUTCDay(),
  getHours: (date) => date.getUTCHours(),
  getMinutes: (date) => date.getUTCMinutes(),
  getSeconds: (date) => date.getUTCSeconds(),
  getMilliseconds: (date) => date.getUTCMilliseconds(),
};

const durationUnits: Readonly<Record<string, bigint>> = {
  getHours: 3_600_000_000_000n,
  getMinutes: 60_000_000_000n,
  getSeconds: 1_000_000_000n,
  getMilliseconds: 1_000_000n,
};

function millisecondsOf({ nanoseconds }: CelTime): number {
  const rest = ((nanoseconds % 1_000_000n) + 1_000_000n) % 1_000_000n;
  return Number((nanoseconds - rest) / 1_000_000n);
}

/** Returns the date whose UTC fields are those of a time zone: an offset such as `-08:00` or a name such as `Europe/Berlin`. */
function inZone(milliseconds: number, zone: string): Date {
  const colon = zone.indexOf(':');
  if (colon < 0) return new Date(milliseconds + zoneOffset(milliseconds, zone));
  const [hours, minutes] = [goInteger(zone.slice(0, colon)), goInteger(zone.slice(colon + 1))];
  // A duration is a whole number of nanoseconds of 64 bits, which overflows silently.
  const offset = BigInt.asIntN(64, (hours * 60n + (zone.startsWith('-') ? -minutes : minutes)) * 60_000_000_000n);
  return new Date(milliseconds + Number(offset / 1_000_000_000n) * 1000);
}

function goInteger(text: string): bigint {
  const wrong = (reason: string): never => fail(`strconv.Atoi: parsing ${quote(text)}: ${reason}`);
  if (!/^[+-]?\d+$/.test(text)) return wrong('invalid syntax');
  const isLong = text.replace(/^[+-]?0*/, '').length > 19;
  const value = isLong ? undefined : BigInt(text.replace('+', ''));
  return value === undefined || value > maxInt || value < minInt ? wrong('value out of range') : value;
}

function fail(message: string): never {
  throw new EvaluationError(message);
}

const shortNames = new Set('CET EET EST GMT HST MET MST PRC ROC ROK UCT UTC WET'.split(' '));

/** Returns false for names that Node knows and the database of time zones does not: written with other capitals, or of old versions of Java. */
function isZoneName(zone: string): boolean {
  return zone.length === 3 ? shortNames.has(zone) : zone !== 'Z' && !/(^|\/|\d)[a-z]|^SystemV\//.test(zone);
}

function zoneOffset(milliseconds: number, zone: string): number {
  if (/\.\.|^\/|\\/.test(zone)) return fail('time: invalid location name');
  if (zone === 'Local') return 0;
  if (!isZoneName(zone)) return fail(`unknown time zone ${zone}`);
  try {
    const options = { timeZone: zone || 'UTC', hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' } as const;
    const format = new Intl.DateTimeFormat('en-US', { ...options, hour: 'numeric', minute: 'numeric', second: 'numeric' });
    const { timeZone } = format.resolvedOptions();
    const isMiswritten = timeZone !== zone && timeZone.toLowerCase() === zone.toLowerCase();
    if (isMiswritten) return fail(`unknown time zone ${zone}`);
    const fields = new Map(format.formatToParts(milliseconds).map(({ type, value }) => [type as string, Number(value)]));
    const at = (name: string) => fields.get(name) ?? 0;
    const shown = Date.UTC(at('year'), at('month') - 1, at('day'), at('hour'), at('minute'), at('second'));
    return shown - Math.floor(milliseconds / 1000) * 1000;
  } catch {
    return fail(`unknown time zone ${zone}`);
  }
}

function getter(name: string, part: Part): readonly Overload[] {
  const unit = durationUnits[name];
  return [
    method(`timestamp_to_${name}`, [timestampType], intType, (time: CelTime) => BigInt(part(new Date(millisecondsOf(time))))),
    method(`timestamp_to_${name}_with_tz`, [timestampType, stringType], intType, (time: CelTime, zone: string) =>
      BigInt(part(inZone(millisecondsOf(time), zone))),
    ),
    ...(unit === undefined
      ? []
      : [method(`duration_to_${name}`, [durationType], intType, ({ nanoseconds }: CelTime) => nanoseconds / unit)]),
  ];
}

/** The fields of timestamps and durations. Source: the language definition of CEL, "List of Standard Definitions". */
export const times: Library = Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, getter(name, part)]));
