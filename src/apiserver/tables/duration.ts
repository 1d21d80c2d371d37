import type { Json } from '../../util/json.js';

const second = 1;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

interface Precision {
  /** First duration, in seconds, that is shown with another precision. */
  readonly below: number;
  readonly unit: number;
  readonly mark: string;
  /** The smaller unit that is shown too, unless it is 0. */
  readonly rest?: { readonly unit: number; readonly mark: string };
}

/** The larger a duration, the coarser its text. Source: observed. */
const precisions: readonly Precision[] = [
  { below: 2 * minute, unit: second, mark: 's' },
  { below: 10 * minute, unit: minute, mark: 'm', rest: { unit: second, mark: 's' } },
  { below: 3 * hour, unit: minute, mark: 'm' },
  { below: 8 * hour, unit: hour, mark: 'h', rest: { unit: minute, mark: 'm' } },
  { below: 2 * day, unit: hour, mark: 'h' },
  { below: 8 * day, unit: day, mark: 'd', rest: { unit: hour, mark: 'h' } },
  { below: 2 * year, unit: day, mark: 'd' },
  { below: 8 * year, unit: year, mark: 'y', rest: { unit: day, mark: 'd' } },
  { below: Number.POSITIVE_INFINITY, unit: year, mark: 'y' },
];

/** Formats a duration in milliseconds as tables do: `5s`, `3m2s`, `2d3h`. */
export function durationText(milliseconds: number): string {
  if (milliseconds <= -2000) return '<invalid>';
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const { unit, mark, rest } = precisions.find(({ below }) => seconds < below) as Precision;
  const smaller = rest === undefined ? 0 : Math.floor((seconds % unit) / rest.unit);
  return `${Math.floor(seconds / unit)}${mark}${smaller === 0 ? '' : `${smaller}${rest?.mark}`}`;
}

/** Returns the time since a timestamp as text; `<unknown>` without a timestamp. */
export function ageOf(timestamp: Json | undefined, now: number): string {
  if (typeof timestamp !== 'string' || timestamp === '') return '<unknown>';
  const time = Date.parse(timestamp);
  return Number.isNaN(time) ? '<unknown>' : durationText(now - time);
}
