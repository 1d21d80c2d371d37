import { type FieldError, invalidValue } from '../../api/field-error.js';

/** Range of values of a field of a schedule, with names of values. */
interface FieldRange {
  readonly least: number;
  readonly most: number;
  readonly names?: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const fields: readonly FieldRange[] = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31 },
  { least: 1, most: 12, names: months },
  { least: 0, most: 6, names: days },
];
const descriptors = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];
const zoneInSchedule = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';

/** Validates the schedule of a CronJob. Source: Kubernetes documentation "CronJob"; messages as observed. */
export function scheduleErrors(field: string, schedule: string): readonly FieldError[] {
  const problem = problemOf(schedule);
  return [
    ...(problem === undefined ? [] : [invalidValue(field, schedule, problem)]),
    ...(schedule.includes('TZ') ? [invalidValue(field, schedule, zoneInSchedule)] : []),
  ];
}

function problemOf(schedule: string): string | undefined {
  const [, zone, space, rest] = /^(?:CRON_)?TZ=([^ ]*)( ?)(.*)$/s.exec(schedule) ?? [];
  if (zone === undefined) return problemOfTimes(schedule);
  if (space === '') return 'invalid schedule format: runtime error: slice bounds out of range [:-1]';
  const problem = ['', 'Local'].includes(zone) ? undefined : problemOfZone(zone);
  return problem === undefined ? problemOfTimes((rest ?? '').trim()) : `provided bad location ${zone}: ${problem}`;
}

function problemOfTimes(schedule: string): string | undefined {
  if (schedule.startsWith('@')) return problemOfDescriptor(schedule);
  const parts = schedule.split(/\s+/).filter((part) => part !== '');
  if (parts.length !== fields.length) return `expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`;
  return first(parts, (part, index) =>
    first(
      part.split(',').filter((each) => each !== ''),
      (each) => problemOfRange(each, fields[index] as FieldRange),
    ),
  );
}

/** Returns the first problem that one of the texts has. */
function first(texts: readonly string[], find: (text: string, index: number) => string | undefined): string | undefined {
  for (const [index, text] of texts.entries()) {
    const problem = find(text, index);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemOfDescriptor(schedule: string): string | undefined {
  if (descriptors.includes(schedule)) return undefined;
  if (!schedule.startsWith('@every ')) return `unrecognized descriptor: ${schedule}`;
  const problem = problemOfDuration(schedule.slice('@every '.length));
  return problem === undefined ? undefined : `failed to parse duration ${schedule}: time: ${problem}`;
}

const units = ['ns', 'us', 'µs', 'μs', 'ms', 's', 'm', 'h'];

/** Source: Go documentation, `time.ParseDuration`; messages as observed. */
function problemOfDuration(text: string): string | undefined {
  const shown = JSON.stringify(text);
  let left = text.replace(/^[-+]/, '');
  if (left === '0') return undefined;
  if (left === '') return `invalid duration ${shown}`;
  while (left !== '') {
    const [part, number, unit] = /^([\d.]*)([^\d.]*)/.exec(left) as unknown as [string, string, string];
    if (!/^(?:\d+(?:\.\d*)?|\.\d+)$/.test(number)) return `invalid duration ${shown}`;
    if (unit === '') return `missing unit in duration ${shown}`;
    if (!units.includes(unit)) return `unknown unit ${JSON.stringify(unit)} in duration ${shown}`;
    left = left.slice(part.length);
  }
  return undefined;
}

/** Returns what is wrong with one range of a field, such as `1-5/2`. */
function problemOfRange(text: string, { least, most, names }: FieldRange): string | undefined {
  const [range = '', step, ...moreSteps] = text.split('/');
  const [low = '', high, ...moreBounds] = range.split('-');
  const isAll = low === '*' || low === '?';
  if (!isAll && moreBounds.length > 0) return problemOfNumber(low, names) ?? `too many hyphens: ${text}`;
  const given = [...(isAll ? [] : [low, ...(high === undefined ? [] : [high])])];
  const problem = first(given, (bound) => problemOfNumber(bound, names));
  if (problem !== undefined) return problem;
  if (moreSteps.length > 0) return `too many slashes: ${text}`;
  const problemOfStep = step === undefined ? undefined : problemOfNumber(step);
  if (problemOfStep !== undefined) return problemOfStep;
  const start = isAll ? least : numberOf(low, least, names);
  const end = isAll || (high === undefined && step !== undefined) ? most : high === undefined ? start : numberOf(high, least, names);
  if (start < least) return `beginning of range (${start}) below minimum (${least}): ${text}`;
  if (end > most) return `end of range (${end}) above maximum (${most}): ${text}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${text}`;
  return step !== undefined && Number(step) === 0 ? `step of range should be a positive number: ${text}` : undefined;
}

function numberOf(text: string, least: number, names: readonly string[] = []): number {
  const index = names.indexOf(text.toLowerCase());
  return index < 0 ? Number(text) : index + least;
}

function problemOfNumber(text: string, names: readonly string[] = []): string | undefined {
  if (names.includes(text.toLowerCase())) return undefined;
  const parsing = `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}`;
  if (!/^[-+]?\d+$/.test(text)) return `${parsing}: invalid syntax`;
  if (BigInt.asIntN(64, BigInt(text.replace('+', ''))) !== BigInt(text.replace('+', ''))) return `${parsing}: value out of range`;
  return Number(text) < 0 ? `negative number (${Number(text)}) not allowed: ${text}` : undefined;
}

/** Zones of three letters. `Intl` also knows others, which the time zone database does not have. */
const shortZones = ['CET', 'EET', 'EST', 'GMT', 'HST', 'MET', 'MST', 'PRC', 'ROC', 'ROK', 'UCT', 'UTC', 'WET'];

/** Validates the time zone of a CronJob. Source: as for `scheduleErrors`. */
export function timeZoneErrors(field: string, zone: string): readonly FieldError[] {
  if (zone === '') return [invalidValue(field, zone, 'timeZone must be nil or non-empty string')];
  const problem = zone === 'Local' ? undefined : problemOfZone(zone);
  const explicit = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
  return [
    ...(zone.toLowerCase() === 'local' ? [invalidValue(field, zone, explicit)] : []),
    ...(problem === undefined ? [] : [invalidValue(field, zone, problem)]),
  ];
}

function problemOfZone(zone: string): string | undefined {
  const unknown = `unknown time zone ${zone}`;
  // `Intl` ignores case, the server does not.
  if (/^[^A-Z]/.test(zone) || (zone.length === 3 && !shortZones.includes(zone))) return unknown;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return undefined;
  } catch {
    return unknown;
  }
}
