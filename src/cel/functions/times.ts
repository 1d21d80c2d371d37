import { durationType, intType, stringType, timestampType } from '../types/cel-type.js';
import type { CelTime } from '../values/cel-time.js';
import { EvaluationError } from '../values/value.js';
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
  const [, sign, hours, minutes] = /^([+-]?)(\d\d):(\d\d)$/.exec(zone) ?? [];
  if (hours !== undefined) return new Date(milliseconds + (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000);
  return new Date(milliseconds + zoneOffset(milliseconds, zone));
}

function zoneOffset(milliseconds: number, zone: string): number {
  try {
    const options = { timeZone: zone || 'UTC', hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' } as const;
    const format = new Intl.DateTimeFormat('en-US', { ...options, hour: 'numeric', minute: 'numeric', second: 'numeric' });
    const fields = new Map(format.formatToParts(milliseconds).map(({ type, value }) => [type as string, Number(value)]));
    const at = (name: string) => fields.get(name) ?? 0;
    const shown = Date.UTC(at('year'), at('month') - 1, at('day'), at('hour'), at('minute'), at('second'));
    return shown - Math.floor(milliseconds / 1000) * 1000;
  } catch {
    throw new EvaluationError(`unknown time zone ${zone}`);
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
