import { pluralize } from './pluralize.js';

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const; // milliseconds

/** Returns a rounded duration in the largest unit of which it has one, such as `3 days`. @param milliseconds not negative. */
export function durationText(milliseconds: number): string {
  const [unit, size] = units.find(([, length]) => milliseconds >= 0.99 * length) ?? (['second', 1_000] as const);
  return pluralize(Math.round(milliseconds / size), unit);
}
