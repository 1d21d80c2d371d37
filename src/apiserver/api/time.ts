import type { Json } from '../../util/json.js';

const elements: readonly (readonly [name: string, pattern: RegExp, range?: readonly [what: string, least: number, most: number]])[] = [
  ['2006', /^\d{4}/],
  ['-', /^-/],
  ['01', /^\d\d/, ['month', 1, 12]],
  ['-', /^-/],
  ['02', /^\d\d/],
  ['T', /^T/],
  ['15', /^\d\d/, ['hour', 0, 23]],
  [':', /^:/],
  ['04', /^\d\d/, ['minute', 0, 59]],
  [':', /^:/],
  ['05', /^\d\d/, ['second', 0, 59]],
];

/** Members of built-in kinds that hold a MicroTime; all other times are whole seconds. Source: Kubernetes API reference. */
const micro = new Set(['acquireTime', 'eventTime', 'lastObservedTime', 'pingTime', 'renewTime']);

/** Matches most timestamps without a full parse: whole seconds in UTC, on a day that every month has. */
const plain = /^(?!0001)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

/**
 * Parses a timestamp as its Go struct does. Returns the error message, or the canonical text: in UTC, `null` for the zero time.
 * Source: Kubernetes API conventions, "Units" (RFC 3339); messages and edge cases as observed.
 */
export function parseTime(text: string, member: string): { readonly issue: string } | { readonly shown: string | null } {
  const isMicro = micro.has(member);
  if (!isMicro && plain.test(text)) return { shown: text };
  const layout = `2006-01-02T15:04:05${isMicro ? '.000000' : ''}Z07:00`;
  const timeError = (reason: string) => ({ issue: `parsing time ${JSON.stringify(text)}${reason}` });
  let rest = text;
  const found: string[] = [];
  const parts = [
    ...elements,
    isMicro ? (['.000000', /^[.,]\d{6}/] as const) : (['', /^(?:[.,]\d+)?/] as const),
    ['Z07:00', /^(?:Z|[+-]\d\d:\d\d)/] as const,
  ];
  for (const [name, pattern, range] of parts) {
    const part = pattern.exec(rest)?.[0];
    if (part === undefined) return timeError(` as "${layout}": cannot parse ${JSON.stringify(rest)} as "${name}"`);
    if (range !== undefined && (Number(part) < range[1] || Number(part) > range[2])) return timeError(`: ${range[0]} out of range`);
    rest = rest.slice(part.length);
    found.push(part);
  }
  if (rest !== '') return timeError(`: extra text: ${JSON.stringify(rest)}`);
  const [fraction = '', zone = ''] = found.slice(-2);
  const [hours = 0, minutes = 0] = zone.slice(1).split(':').map(Number);
  if (hours > 24) return timeError(': time zone offset hour out of range');
  if (minutes > 60) return timeError(': time zone offset minute out of range');
  const local = Date.parse(`${found.slice(0, -2).join('')}Z`);
  if (Number.isNaN(local) || new Date(local).getUTCDate() !== Number(found[4])) return timeError(': day out of range');
  const utc = new Date(local - (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000).toISOString().slice(0, 19);
  if (utc === '0001-01-01T00:00:00' && !/[1-9]/.test(fraction)) return { shown: null };
  return { shown: `${utc}${isMicro ? fraction.replace(',', '.') : ''}Z` };
}

/** Formats a timestamp; other values are returned unchanged. */
export function formatTime(value: Json, member: string): Json {
  const time = typeof value === 'string' ? parseTime(value, member) : undefined;
  return time !== undefined && 'shown' in time ? time.shown : value;
}
