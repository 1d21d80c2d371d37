import { BlockList, isIP } from 'node:net';

const privateV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8], // this host
  ['10.0.0.0', 8], // RFC 1918
  ['100.64.0.0', 10], // carrier-grade NAT, RFC 6598
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local, metadata services of clouds
  ['172.16.0.0', 12], // RFC 1918
  ['192.0.0.0', 24], // protocol assignments
  ['192.168.0.0', 16], // RFC 1918
  ['198.18.0.0', 15], // benchmarks
  ['224.0.0.0', 3], // multicast and reserved
];

const privateV6: readonly (readonly [string, number])[] = [
  ['::', 127], // unspecified and loopback
  ['fc00::', 7], // unique local
  ['fe80::', 9], // link-local, and site-local of old
  ['ff00::', 8], // multicast
];

/** IPv6 networks whose addresses carry an IPv4 address, and the 16-bit group where it starts. */
const ipv4EmbeddingNetworks: readonly (readonly [string, number, number])[] = [
  ['::', 96, 6], // IPv4-compatible
  ['::ffff:0:0', 96, 6], // IPv4-mapped
  ['::ffff:0:0:0', 96, 6], // IPv4-translated
  ['64:ff9b::', 96, 6], // NAT64
  ['2002::', 16, 1], // 6to4
];

/**
 * Returns true if an IP address belongs to this host or to a private network: loopback, RFC 1918, link-local, unique local, and IPv6 forms
 * that carry such an IPv4 address. Source: IANA special-purpose address registries.
 */
export function isPrivateAddress(address: string): boolean {
  const plain = address.split('%', 1)[0] as string; // a zone names an interface of this host
  if (isIP(plain) === 4) return blockList(privateV4, 'ipv4').check(plain, 'ipv4');
  if (isIP(plain) !== 6) return false;
  if (blockList(privateV6, 'ipv6').check(plain, 'ipv6')) return true;
  const carrier = ipv4EmbeddingNetworks.find(([net, bits]) => blockList([[net, bits]], 'ipv6').check(plain, 'ipv6'));
  return carrier !== undefined && isPrivateAddress(embeddedIpv4Address(plain, carrier[2]));
}

function blockList(subnets: readonly (readonly [string, number])[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [net, bits] of subnets) list.addSubnet(net, bits, family);
  return list;
}

function embeddedIpv4Address(address: string, first: number): string {
  // A URL writes an IPv6 address in one form: hexadecimal groups, the longest run of zeros as `::`.
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groupsOf = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  const [before, after] = [groupsOf(head), groupsOf(tail)];
  const groups = [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
  return groups
    .slice(first, first + 2)
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
}
