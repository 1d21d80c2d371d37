import { addressProblem } from '../../../util/address-problem.js';
import { quote } from '../../../util/quote.js';
import { boolType, intType, opaqueType, stringType } from '../types/cel-type.js';
import { CelOpaque, EvaluationError } from '../values/value.js';
import { formatIp, Ip, ipType, parseIp, prefixOf } from './ip.js';
import { type Library, method, overload } from './overload.js';

class Cidr extends CelOpaque {
  readonly typeName = 'net.CIDR';
  readonly address: Ip;
  readonly length: number;

  constructor(address: Ip, length: number) {
    super();
    this.address = address;
    this.length = length;
  }

  equals(other: CelOpaque): boolean {
    return other instanceof Cidr && other.length === this.length && this.address.equals(other.address);
  }

  override get costSize(): number {
    return Math.ceil(this.length / 8);
  }
}

const parseProblem = 'network address parse error during conversion from string: ';

/** Reads a range of addresses; returns the problem of another text. */
function parseCidr(text: string): Cidr | string {
  const slash = text.lastIndexOf('/');
  const problem = (detail: string) => `${parseProblem}netip.ParsePrefix(${quote(text)}): ${detail}`;
  if (slash < 0) return problem("no '/'");
  const written = text.slice(0, slash);
  const unread = addressProblem(written);
  if (unread !== undefined) return problem(unread);
  if (written.includes('%')) return problem('IPv6 zones cannot be present in a prefix');
  const address = parseIp(written);
  if (typeof address === 'string') return `IPv4-mapped IPv6 address ${quote(text)} is not allowed`;
  const length = text.slice(slash + 1);
  if (!/^(0|[1-9]\d{0,17})$/.test(length)) return problem(`bad bits after slash: ${quote(length)}`);
  return Number(length) > (address.family === 4 ? 32 : 128) ? problem('prefix length out of range') : new Cidr(address, Number(length));
}

function read(text: string, prefix = ''): Cidr {
  const parsed = parseCidr(text);
  if (typeof parsed === 'string') throw new EvaluationError(`${prefix}${parsed}`);
  return parsed;
}

function containsIp({ address, length }: Cidr, ip: Ip): boolean {
  return address.family === ip.family && prefixOf(address, length) === prefixOf(ip, length);
}

/** Tells whether a range has an address. The server gives no reason for a text that is not an address. Source: observed. */
function containsText(range: Cidr, text: string): boolean {
  const ip = parseIp(text);
  if (typeof ip === 'string') throw new EvaluationError('no such overload');
  return containsIp(range, ip);
}

function containsCidr(outer: Cidr, inner: Cidr): boolean {
  return inner.length >= outer.length && containsIp(outer, inner.address);
}

function masked({ address, length }: Cidr): Cidr {
  const size = address.family === 4 ? 32 : 128;
  return new Cidr(new Ip(address.family, prefixOf(address, length) << BigInt(size - length)), length);
}

const cidrType = opaqueType('net.CIDR');
const c = cidrType;

/** Source: Kubernetes documentation "Common Expression Language in Kubernetes", "Kubernetes CIDR library". */
export const cidrs: Library = {
  cidr: [overload('string_to_cidr', [stringType], c, (text: string) => read(text, parseProblem))],
  isCIDR: [overload('is_cidr', [stringType], boolType, (text: string) => typeof parseCidr(text) !== 'string')],
  containsIP: [
    method('cidr_contains_ip_string', [c, stringType], boolType, containsText),
    method('cidr_contains_ip_ip', [c, ipType], boolType, containsIp),
  ],
  containsCIDR: [
    method('cidr_contains_cidr_string', [c, stringType], boolType, (range: Cidr, text: string) =>
      containsCidr(range, read(text, parseProblem)),
    ),
    method('cidr_contains_cidr', [c, c], boolType, containsCidr),
  ],
  ip: [method('cidr_ip', [c], ipType, ({ address }: Cidr) => address)],
  prefixLength: [method('cidr_prefix_length', [c], intType, ({ length }: Cidr) => BigInt(length))],
  masked: [method('cidr_masked', [c], c, masked)],
  string: [overload('cidr_to_string', [c], stringType, ({ address, length }: Cidr) => `${formatIp(address)}/${length}`)],
};
