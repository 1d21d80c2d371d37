import { describeValue } from './describe.js';
import { ipVersion } from './ip-address.js';

/**
 * Formats that the API server checks in custom resources, as permissive as its parser; other formats are not checked. Source: Kubernetes
 * documentation "CustomResourceDefinitions", "Supported formats".
 */
const checks: Readonly<Record<string, (text: string) => boolean>> = {
  byte: (text) => {
    const code = text.replace(/[\r\n]/g, '');
    return code.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(code);
  },
  cidr: (text) => {
    const [address = '', bits = '', ...rest] = text.split('/');
    const most = { 0: -1, 4: 32, 6: 128 }[versionOf(address)] ?? -1;
    return rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most;
  },
  date: isDate,
  'date-time': isTime,
  datetime: isTime,
  duration: isDuration,
  // The server distinguishes them by a dot and a colon, so that `::ffff:10.0.0.1` is both.
  ipv4: (text) => text.includes('.') && versionOf(text) !== 0,
  ipv6: (text) => text.includes(':') && versionOf(text) !== 0,
};

/** Returns the error in a text of a format, or undefined. */
export function checkFormat(format: string, text: string): string | undefined {
  const check = Object.hasOwn(checks, format) ? checks[format] : undefined;
  return check === undefined || check(text) ? undefined : `${describeValue(text)} is not a valid ${format}`;
}

// The server allows leading zeros in the numbers of an address.
function versionOf(text: string): 0 | 4 | 6 {
  return ipVersion(text.replace(/\b0+(?=[\da-f])/gi, ''));
}

function isDate(text: string): boolean {
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (parts === null) return false;
  const [year, month, day] = parts.slice(1).map(Number) as [number, number, number];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day); // `Date.UTC` maps the years 0 to 99 to 1900 to 1999.
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

function isTime(text: string): boolean {
  const parts = /^([^T]*)T(\d\d):(\d\d):(\d\d)(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d)$/i.exec(text);
  if (parts === null || !isDate(parts[1] as string)) return false;
  return Number(parts[2]) < 24 && Number(parts[3]) < 60 && Number(parts[4]) < 60;
}

// More permissive than a Go duration: `3 days` and `1h 30min` pass, and one readable pair of number and unit is enough.
function isDuration(text: string): boolean {
  if (/^[+-]?0$/.test(text)) return true;
  return [...text.matchAll(/\d\s*([A-Za-z\u00b5\u03bc]+)/g)].some(([, unit = '']) => {
    return /^(?:ns|nano.*|us|\u00b5s|\u03bcs|micro.*|ms|milli.*|s|sec.*|m|min.*|h|hr|hour.*|d|day.*|w|week|wk.*)$/i.test(unit);
  });
}
