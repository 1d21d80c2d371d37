import { BlockList, isIP } from 'node:net';
import { type FieldError, invalidValue } from '../../api/field-error.js';

const addressText = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const rangeText = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';
const mappedStart = '::ffff:';

/** Returns 4 or 6 for an IP address; 0 for another text, also for an address with a zone, which the server does not read. */
function familyOf(text: string): number {
  return text.includes('%') ? 0 : isIP(text);
}

/** Returns an IPv6 address in its one canonical form; undefined for another text and for a mapped IPv4 address. */
export function canonicalAddress(text: string): string | undefined {
  const host = familyOf(text) === 6 ? hostOf(text) : mappedStart;
  return host.startsWith(mappedStart) ? undefined : host;
}

/** Returns true for an IPv4 address that is written as an IPv6 address. */
function isMapped(text: string): boolean {
  return familyOf(text) === 6 && canonicalAddress(text) === undefined;
}

/** Returns a valid IPv6 address as the host of a URL is written. */
function hostOf(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

/** Validates an IP address in its usual notation. Source: Kubernetes API reference; messages as observed. */
export function addressErrors(field: string, text: string): readonly FieldError[] {
  if (familyOf(text) !== 0) return isMapped(text) ? [invalidValue(field, text, 'must not be an IPv4-mapped IPv6 address')] : [];
  return [invalidValue(field, text, familyOf(withoutZeros(text)) === 0 ? addressText : 'must not have leading 0s')];
}

/** Validates that an IPv6 address is written in its one canonical form; no errors for what is not an address. */
export function canonicalErrors(field: string, text: string): readonly FieldError[] {
  const canonical = canonicalAddress(text) ?? text;
  return canonical === text ? [] : [invalidValue(field, text, `must be in canonical form (${JSON.stringify(canonical)})`)];
}

/** Validates that a range is written in its one canonical form; no errors for what is not a range. */
export function canonicalRangeErrors(field: string, text: string): readonly FieldError[] {
  const [address = '', length = ''] = text.split('/');
  const canonical = isRange(text) ? `${canonicalAddress(address) ?? address}/${length}` : text;
  return canonical === text ? [] : [invalidValue(field, text, `must be in canonical form (${JSON.stringify(canonical)})`)];
}

/** Returns true if two of the ranges are of one IP family. */
export function repeatsFamily(ranges: readonly string[]): boolean {
  const families = ranges.map((range) => familyOf(range.split('/')[0] ?? '')).filter((family) => family !== 0);
  return new Set(families).size < families.length;
}

function withoutZeros(text: string): string {
  return text.replaceAll(/(^|[./])0+(?=\d)/g, '$1');
}

/** Validates a range of addresses. Source: as for `addressErrors`. */
export function rangeErrors(field: string, text: string): readonly FieldError[] {
  if (!isRange(text))
    return [invalidValue(field, text, isRange(withoutZeros(text)) ? 'must not have leading 0s in IP or prefix length' : rangeText)];
  const [address, length] = text.split('/') as [string, string];
  if (isMapped(address)) return [invalidValue(field, text, 'must not have an IPv4-mapped IPv6 address')];
  const rest = bitsOf(address).slice(Number(length));
  return rest.includes('1') ? [invalidValue(field, text, 'must not have bits set beyond the prefix length')] : [];
}

/** Returns true for a range of addresses in its usual notation. */
export function isRange(text: string): boolean {
  const [address = '', length = '', ...more] = text.split('/');
  const version = familyOf(address);
  return version !== 0 && more.length === 0 && /^(?:0|[1-9]\d{0,2})$/.test(length) && Number(length) <= (version === 4 ? 32 : 128);
}

/** Returns true if a valid range is part of another, and not all of it. */
export function isInsideRange(range: string, outer: string): boolean {
  const [address = '', length] = range.split('/');
  const [outerAddress = '', outerLength] = outer.split('/');
  const size = Number(outerLength);
  const isSameFamily = familyOf(address) === familyOf(outerAddress);
  return isSameFamily && Number(length) > size && bitsOf(address).slice(0, size) === bitsOf(outerAddress).slice(0, size);
}

/** Returns the bits of a valid address. */
function bitsOf(address: string): string {
  if (familyOf(address) === 4)
    return address
      .split('.')
      .map((part) => Number(part).toString(2).padStart(8, '0'))
      .join('');
  const host = hostOf(address);
  const [head = '', tail] = host.split('::');
  const [before, after] = [head, tail ?? ''].map((part) => part.split(':').filter((each) => each !== '')) as [string[], string[]];
  const groups = [...before, ...Array.from({ length: 8 - before.length - after.length }, () => '0'), ...after];
  return groups.map((group) => Number.parseInt(group, 16).toString(2).padStart(16, '0')).join('');
}

const special: readonly (readonly [text: string, ranges: BlockList])[] = [
  ['may not be in the loopback range (127.0.0.0/8, ::1/128)', listOfRanges('127.0.0.0/8', '::1/128')],
  ['may not be in the link-local range (169.254.0.0/16, fe80::/10)', listOfRanges('169.254.0.0/16', 'fe80::/10')],
  ['may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)', listOfRanges('224.0.0.0/24', 'ff02::/16')],
];

function listOfRanges(...ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', length] = range.split('/');
    list.addSubnet(address, Number(length), familyOf(address) === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

/** Validates that no special address, such as that of the loopback interface, is an endpoint. Source: as for `addressErrors`. */
export function specialAddressErrors(field: string, text: string): readonly FieldError[] {
  const version = familyOf(text);
  // Most addresses are of none of these networks: to look for them in the lists takes a thousand times as long.
  if (version === 0 || (version === 4 && !/^(?:0|127|169|224)\./.test(text))) return [];
  const isIn = (list: BlockList) => list.check(text, version === 4 ? 'ipv4' : 'ipv6');
  return [
    ...(/^[0:.]+$/.test(text) ? [invalidValue(field, text, `may not be unspecified (${text})`)] : []),
    ...special.filter(([, ranges]) => isIn(ranges)).map(([detail]) => invalidValue(field, text, detail)),
  ];
}
