import { isIP } from 'node:net';
import { urlProblem } from '../../cel/functions/url.js';
import { nameTexts } from '../../util/name-text.js';

const hex = '[0-9a-f]';
const uuid = (third: string, fourth: string) => new RegExp(`^${hex}{8}-?${hex}{4}-?${third}-?${fourth}-?${hex}{12}$`, 'i');
const any = `${hex}{4}`;
const letter = '[a-zA-Z0-9\\p{S}\\p{L}]';
const hostname = new RegExp(
  `^(?:${letter}(?:-?${letter}{0,62})?|(?:${letter}(?:[-a-zA-Z0-9\\p{S}\\p{L}]{0,61}${letter})?\\.)+[a-zA-Z\\p{L}]{2,63})$`,
  'u',
);
const creditCard =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;
const rgb = '(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])';
const goDuration = /^[-+]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const wordDuration =
  /\d+\s*(?:ns|nano\p{L}*|us|µs|micro\p{L}*|ms|milli\p{L}*|s|sec\p{L}*|m|min\p{L}*|h|hr|hour\p{L}*|d|day\p{L}*|w|week|wk\p{L}*)(?!\p{L})/iu;

function isDate(text: string): boolean {
  const [, year, month, day] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined || month < 1 || month > 12 || day < 1) return false;
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return day <= (month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31);
}

function isDateTime(text: string): boolean {
  const [date = '', time, ...more] = text.toLowerCase().split('t');
  const [, hours, minutes, seconds] = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|[+-]\d\d:\d\d)$/.exec(time ?? '') ?? [];
  return more.length === 0 && isDate(date) && Number(hours) < 24 && Number(minutes) < 60 && Number(seconds) < 60;
}

function isNetwork(text: string): boolean {
  const [address = '', length, ...more] = text.split('/');
  const family = address.includes('%') ? 0 : isIP(address);
  return more.length === 0 && family > 0 && /^\d+$/.test(length ?? '') && Number(length) <= (family === 4 ? 32 : 128);
}

function isHardwareAddress(text: string): boolean {
  const bytes = [6, 8, 20];
  const isSplit = (separator: string) =>
    bytes.some((count) => new RegExp(`^(?:${hex}{2}${separator}){${count - 1}}${hex}{2}$`, 'i').test(text));
  return isSplit(':') || isSplit('-') || bytes.some((count) => new RegExp(`^(?:${hex}{4}\\.){${count / 2 - 1}}${hex}{4}$`, 'i').test(text));
}

function isBookNumber(text: string, lengths: readonly number[]): boolean {
  const digits = text.replace(/[\s-]/g, '');
  if (!lengths.includes(digits.length)) return false;
  if (/^\d{9}[\dX]$/.test(digits))
    return [...digits].reduce((sum, digit, at) => sum + (digit === 'X' ? 10 : Number(digit)) * (10 - at), 0) % 11 === 0;
  return /^\d{13}$/.test(digits) && [...digits].reduce((sum, digit, at) => sum + Number(digit) * (at % 2 === 0 ? 1 : 3), 0) % 10 === 0;
}

function isCardNumber(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, '');
  const weighed = [...digits].toReversed().map((digit, at) => Number(digit) * (at % 2 === 0 ? 1 : 2));
  return creditCard.test(digits) && weighed.reduce((sum, each) => sum + (each > 9 ? each - 9 : each), 0) % 10 === 0;
}

/** The formats of strings, by their names without hyphens. */
const stringFormats: Readonly<Record<string, (text: string) => boolean>> = {
  bsonobjectid: (text) => /^[0-9a-f]{24}$/i.test(text),
  uri: (text) => urlProblem(text) === undefined,
  email: (text) => /^(?:[^<>@]*<\s*)?[^\s<>@,;:()[\]]+@[^\s<>@,;:()[\]]+\s*>?$/.test(text) && /^[^<>]*$|<.*>$/.test(text),
  hostname: (text) =>
    hostname.test(text) && Buffer.byteLength(text) <= 255 && text.split('.').every((part) => Buffer.byteLength(part) <= 63),
  ipv4: (text) => !text.includes('%') && isIP(text) > 0 && text.includes('.'),
  ipv6: (text) => !text.includes('%') && isIP(text) > 0 && text.includes(':'),
  cidr: isNetwork,
  mac: isHardwareAddress,
  uuid: (text) => uuid(any, any).test(text),
  uuid3: (text) => uuid(`3${hex}{3}`, any).test(text),
  uuid4: (text) => uuid(`4${hex}{3}`, `[89ab]${hex}{3}`).test(text),
  uuid5: (text) => uuid(`5${hex}{3}`, `[89ab]${hex}{3}`).test(text),
  isbn: (text) => isBookNumber(text, [10, 13]),
  isbn10: (text) => isBookNumber(text, [10]),
  isbn13: (text) => isBookNumber(text, [13]),
  creditcard: isCardNumber,
  ssn: (text) => /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  hexcolor: (text) => /^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text),
  rgbcolor: (text) => new RegExp(`^rgb\\(\\s*${rgb}\\s*,\\s*${rgb}\\s*,\\s*${rgb}\\s*\\)$`).test(text),
  // An empty string is not valid base64 here. Source: observed.
  byte: (text) => /^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.length % 4 === 0,
  password: () => true,
  date: isDate,
  duration: (text) => goDuration.test(text) || wordDuration.test(text),
  datetime: isDateTime,
  k8sshortname: (text) => nameTexts.label.pattern.test(text) && text.length <= nameTexts.label.length,
  k8slongname: (text) => nameTexts.subdomain.pattern.test(text) && text.length <= nameTexts.subdomain.length,
};

function formatNamed(format: string): ((text: string) => boolean) | undefined {
  const name = format.replaceAll('-', '');
  return Object.hasOwn(stringFormats, name) ? stringFormats[name] : undefined;
}

/** Returns false for a string that has not the format that its schema names. Source: Kubernetes documentation "CustomResourceDefinitions"; observed. */
export function hasFormat(format: string, text: string): boolean {
  return formatNamed(format)?.(text) ?? true;
}

/** Returns true for a format that is validated for values of a type; others have no effect, and are warned of. */
export function isKnownFormat(format: string, type: string): boolean {
  if (type === 'integer') return format === 'int32' || format === 'int64';
  if (type === 'number') return format === 'float' || format === 'double';
  return (type === '' || type === 'string') && formatNamed(format) !== undefined;
}
