import { addressProblem } from '../../../util/address-problem.js';
import { quote } from '../../../util/quote.js';
import { boolType, intType, opaqueType, stringType } from '../types/cel-type.js';
import { CelOpaque, EvaluationError } from '../values/value.js';
import { type Library, method, overload } from './overload.js';

/** An IP address. */
export class Ip extends CelOpaque {
  readonly typeName = 'net.IP';
  readonly family: 4 | 6;
  readonly bits: bigint;

  constructor(family: 4 | 6, bits: bigint) {
    super();
    this.family = family;
    this.bits = bits;
  }

  equals(other: CelOpaque): boolean {
    return other instanceof Ip && other.family === this.family && other.bits === this.bits;
  }

  override get costSize(): number {
    return this.family === 4 ? 4 : 16;
  }
}

/** Returns the first bits of an address as a number. */
export function prefixOf({ family, bits }: Ip, length: number): bigint {
  return bits >> BigInt((family === 4 ? 32 : 128) - length);
}

/** Reads an address in its usual notation, without a zone; returns the problem of another text. */
export function parseIp(text: string): Ip | string {
  const problem = addressProblem(text);
  if (problem !== undefined) return `IP Address ${quote(text)} parse error during conversion from string: ${problem}`;
  if (text.includes('%')) return `IP address ${quote(text)} with zone value is not allowed`;
  if (!text.includes(':'))
    return new Ip(
      4,
      text.split('.').reduce((bits, part) => bits * 256n + BigInt(part), 0n),
    );
  const bits = groupsOf(text).reduce((sum, group) => sum * 65_536n + BigInt(Number.parseInt(group, 16)), 0n);
  return bits >> 32n === 0xffffn ? `IPv4-mapped IPv6 address ${quote(text)} is not allowed` : new Ip(6, bits);
}

/** Returns the eight groups of an IPv6 address. */
function groupsOf(text: string): readonly string[] {
  const [head = '', tail] = new URL(`http://[${text}]`).hostname.slice(1, -1).split('::');
  const split = (part: string) => part.split(':').filter((group) => group !== '');
  const [before, after] = [split(head), split(tail ?? '')];
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => '0'), ...after];
}

/** Writes an address in its canonical form. */
export function formatIp({ family, bits }: Ip): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => String((bits >> shift) & 255n)).join('.');
  const groups = Array.from({ length: 8 }, (_, index) => ((bits >> BigInt(112 - index * 16)) & 65_535n).toString(16));
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

export const ipType = opaqueType('net.IP');

export function ipOf(text: string): Ip {
  const parsed = parseIp(text);
  if (typeof parsed === 'string') throw new EvaluationError(parsed);
  return parsed;
}

function isCanonical(text: string): boolean {
  return formatIp(ipOf(text)) === text;
}

/** Returns true for an address whose first bits are those of a network, by family. */
const within = (network4: bigint, length4: number, network6: bigint, length6: number) => (ip: Ip) =>
  ip.family === 4 ? prefixOf(ip, length4) === network4 : prefixOf(ip, length6) === network6;

const isLoopback = within(127n, 8, 1n, 128);
const isLinkLocalMulticast = within(0xe00000n, 24, 0xff02n, 16);
const isLinkLocalUnicast = within(0xa9fen, 16, 0x3fan, 10);
const isMulticast = within(0xen, 4, 0xffn, 8);
const isUnspecified = ({ bits }: Ip) => bits === 0n;
const isGlobalUnicast = (ip: Ip) =>
  !isUnspecified(ip) && !isLoopback(ip) && !isMulticast(ip) && !isLinkLocalUnicast(ip) && !(ip.family === 4 && ip.bits === 0xffffffffn);

/** Source: Kubernetes documentation "Common Expression Language in Kubernetes", "Kubernetes IP address library". */
export const ips: Library = {
  ip: [overload('string_to_ip', [stringType], ipType, ipOf)],
  isIP: [overload('is_ip', [stringType], boolType, (text: string) => typeof parseIp(text) !== 'string')],
  'ip.isCanonical': [overload('ip_is_canonical', [stringType], boolType, isCanonical)],
  family: [method('ip_family', [ipType], intType, ({ family }: Ip) => BigInt(family))],
  isUnspecified: [method('ip_is_unspecified', [ipType], boolType, isUnspecified)],
  isLoopback: [method('ip_is_loopback', [ipType], boolType, isLoopback)],
  isLinkLocalMulticast: [method('ip_is_link_local_multicast', [ipType], boolType, isLinkLocalMulticast)],
  isLinkLocalUnicast: [method('ip_is_link_local_unicast', [ipType], boolType, isLinkLocalUnicast)],
  isGlobalUnicast: [method('ip_is_global_unicast', [ipType], boolType, isGlobalUnicast)],
  string: [overload('ip_to_string', [ipType], stringType, formatIp)],
};
