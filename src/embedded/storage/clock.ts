/** Returns the current time in milliseconds since 1970. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** Returns the current time as objects hold it: RFC 3339 in UTC, whole seconds. */
export function timestamp(clock: Clock): string {
  return new Date(Math.floor(clock() / 1000) * 1000).toISOString().replace('.000Z', 'Z');
}
