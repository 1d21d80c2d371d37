import { isDate, isDateTime } from '../util/dates.js';
import { goDuration } from '../util/go-duration.js';
import { ipVersion } from '../util/ip-address.js';
import { nameTexts } from '../util/name-text.js';
import { urlProblem } from '../util/url-parts.js';
import { wordDuration } from '../util/word-duration.js';
import { isEmailAddress } from './email-address.js';

/** The longest duration, in nanoseconds. */
const maxDuration = 2 ** 63;

/** The numbers of digits of payment cards, by the digits that they begin with. */
const cards: readonly { readonly prefixes: readonly string[]; readonly digits: readonly number[] }[] = [
  { prefixes: ['4'], digits: [13, 16] },
  { prefixes: ['51', '52', '53', '54', '55', '6011', '65', '35'], digits: [16] },
  { prefixes: ['34', '37', '2131', '1800'], digits: [15] },
  { prefixes: ['300', '301', '302', '303', '304', '305', '36', '38'], digits: [14] },
];

function isGoDuration(text: string): boolean {
  const size = goDuration(text);
  return size !== undefined && Math.abs(size) < maxDuration;
}

/** Returns true for a duration of Go, and for a text with numbers and units in words in it. */
function isDuration(text: string): boolean {
  return isGoDuration(text) || wordDuration(text) !== undefined;
}

/** Returns 4 or 6 for an address, whose numbers may have leading zeros, and 0 for another text. */
function familyOf(address: string): number {
  return address.includes('%') ? 0 : ipVersion(address.replace(/\b0+(?=[\da-f])/gi, ''));
}

function isNetwork(text: string): boolean {
  const [address = '', length, ...more] = text.split('/');
  const family = familyOf(address);
  return more.length === 0 && family > 0 && /^\d+$/.test(length ?? '') && Number(length) <= (family === 4 ? 32 : 128);
}

/** Returns true for 6, 8 or 20 bytes with nothing, colons or hyphens between them, or with dots after each second one. */
function isHardwareAddress(text: string): boolean {
  const bytes = [6, 8, 20];
  const isSplit = (separator: string, part: RegExp, perPart: number) => {
    const parts = text.split(separator);
    return bytes.includes(parts.length * perPart) && parts.every((each) => part.test(each));
  };
  const isPlain = /^[0-9a-f]+$/i.test(text) && bytes.includes(text.length / 2);
  return isPlain || isSplit(':', /^[0-9a-f]{2}$/i, 1) || isSplit('-', /^[0-9a-f]{2}$/i, 1) || isSplit('.', /^[0-9a-f]{4}$/i, 2);
}

/** Returns true for one label, or for several of which the last consists of letters. */
function isHostname(text: string): boolean {
  const labels = text.split('.');
  if (Buffer.byteLength(text) > 255 || labels.some((label) => Buffer.byteLength(label) > 63)) return false;
  // biome-ignore lint/complexity/useRegexLiterals: a literal with classes of Unicode takes time while the file is read, which all builders load
  if (labels.length === 1) return new RegExp('^[a-zA-Z0-9\\p{S}\\p{L}](?:-?[a-zA-Z0-9\\p{S}\\p{L}]{0,62})?$', 'u').test(text);
  // biome-ignore lint/complexity/useRegexLiterals: see above
  const label = new RegExp('^[a-zA-Z0-9\\p{S}\\p{L}](?:[-a-zA-Z0-9\\p{S}\\p{L}]{0,61}[a-zA-Z0-9\\p{S}\\p{L}])?$', 'u');
  return labels.slice(0, -1).every((each) => label.test(each)) && /^[a-zA-Z\p{L}]{2,63}$/u.test(labels.at(-1) as string);
}

/** Returns true for three numbers of at most 255, without leading zeros. */
function isRgbColor(text: string): boolean {
  const found = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(text);
  return found?.slice(1).every((number) => Number(number) <= 255 && String(Number(number)) === number) === true;
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
  const isCard = cards.some((card) => card.digits.includes(digits.length) && card.prefixes.some((prefix) => digits.startsWith(prefix)));
  return isCard && weighed.reduce((sum, each) => sum + (each > 9 ? each - 9 : each), 0) % 10 === 0;
}

/** The formats of strings, by their names without hyphens. */
const stringFormats: Readonly<Record<string, (text: string) => boolean>> = {
  bsonobjectid: (text) => /^[0-9a-f]{24}$/i.test(text),
  uri: (text) => urlProblem(text) === undefined,
  email: isEmailAddress,
  hostname: isHostname,
  ipv4: (text) => familyOf(text) > 0 && text.includes('.'),
  // Leading zeros are not allowed here. Source: observed.
  ipv6: (text) => !text.includes('%') && ipVersion(text) > 0 && text.includes(':'),
  cidr: isNetwork,
  mac: isHardwareAddress,
  uuid: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
  uuid3: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
  uuid4: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text),
  uuid5: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text),
  isbn: (text) => isBookNumber(text, [10, 13]),
  isbn10: (text) => isBookNumber(text, [10]),
  isbn13: (text) => isBookNumber(text, [13]),
  creditcard: isCardNumber,
  ssn: (text) => /^\d{3}[- ]\d{2}[- ]\d{4}$/.test(text),
  hexcolor: (text) => /^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text),
  rgbcolor: isRgbColor,
  // An empty string is not valid base64 here. Source: observed.
  byte: (text) => /^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.length % 4 === 0,
  password: () => true,
  date: isDate,
  duration: isDuration,
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
