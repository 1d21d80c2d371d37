/** Returns the current time in milliseconds since 1970. */
export type Clock = () => number;

/** The last second that was written, which many requests share. */
let last = { second: Number.NaN, text: '' };

/** Returns the current time as objects hold it: RFC 3339 in UTC, whole seconds. */
export function timestamp(clock: Clock): string {
  const second = Math.floor(clock() / 1000);
  if (second !== last.second) last = { second, text: new Date(second * 1000).toISOString().replace('.000Z', 'Z') };
  return last.text;
}
