import { latest } from '../../util/latest.js';

/** Returns the current time in milliseconds since 1970. */
export type Clock = () => number;

/** Many requests share a second. */
const secondText = latest((second: number) => new Date(second * 1000).toISOString().replace('.000Z', 'Z'), Object.is);

/** Returns the current time as objects hold it: RFC 3339 in UTC, whole seconds. */
export function timestamp(clock: Clock): string {
  return secondText(Math.floor(clock() / 1000));
}
