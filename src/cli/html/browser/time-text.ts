const units: readonly (readonly [Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** Returns a time (RFC 3339) in the zone of the reader, with its age; a text that is not a time as it is. */
export function timeText(time: string, now: number, timeZone?: string): string {
  return timeTexts(now, timeZone)(time);
}

/** Returns `timeText` for many times: its formats are made once. */
export function timeTexts(now: number, timeZone?: string): (time: string) => string {
  const local = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', ...(timeZone ? { timeZone } : {}) });
  const age = new Intl.RelativeTimeFormat('en');
  return (time) => {
    const milliseconds = Date.parse(time);
    return Number.isNaN(milliseconds) ? time : `${local.format(milliseconds)} (${ageText(milliseconds - now, age)})`;
  };
}

function ageText(milliseconds: number, age: Intl.RelativeTimeFormat): string {
  const seconds = milliseconds / 1_000;
  const unit = units.find(([, size]) => Math.abs(seconds) >= size);
  if (unit === undefined) return 'just now';
  return age.format(Math.trunc(seconds / unit[1]), unit[0]);
}
