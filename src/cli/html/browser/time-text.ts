const units: readonly (readonly [Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** Returns a time (RFC 3339) in the zone of the reader, with its age; a text that is not a time as it is. */
export function timeText(time: string, now: number, timeZone?: string): string {
  const milliseconds = Date.parse(time);
  if (Number.isNaN(milliseconds)) return time;
  const local = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', ...(timeZone ? { timeZone } : {}) });
  return `${local.format(milliseconds)} (${ageText(milliseconds - now)})`;
}

function ageText(milliseconds: number): string {
  const seconds = milliseconds / 1_000;
  const unit = units.find(([, size]) => Math.abs(seconds) >= size);
  if (unit === undefined) return 'just now';
  return new Intl.RelativeTimeFormat('en').format(Math.trunc(seconds / unit[1]), unit[0]);
}
