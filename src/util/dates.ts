/** Returns true for a text that the format `date` allows. */
export function isDate(text: string): boolean {
  const [, year, month, day] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined || month < 1 || month > 12 || day < 1) return false;
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return day <= (month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31);
}

/** Returns true for a text that the format `date-time` allows: also with small letters, and a zone of any hour. Source: observed. */
export function isDateTime(text: string): boolean {
  const [date = '', time, ...more] = text.toLowerCase().split('t');
  const [, hours, minutes, seconds] = /^(\d\d):(\d\d):(\d\d)(?:[.,]\d+)?(?:z|[+-]\d\d:\d\d)$/.exec(time ?? '') ?? [];
  return more.length === 0 && isDate(date) && Number(hours) < 24 && Number(minutes) < 60 && Number(seconds) < 60;
}
