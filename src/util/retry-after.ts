/**
 * Returns the seconds of a header Retry-After, which is a number of seconds or a date. Source: RFC 9110, 10.2.3.
 *
 * @param now milliseconds since 1970
 */
export function retryAfterSeconds(header: string | null | undefined, now: number): number | undefined {
  if (header === undefined || header === null || header.trim() === '') return undefined;
  const seconds = /^\s*\d+\s*$/.test(header) ? Number(header) : (Date.parse(header) - now) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}
