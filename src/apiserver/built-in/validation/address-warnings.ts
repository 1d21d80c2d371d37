import type { Json, JsonObject } from '../../../util/json.js';
import { listOf, memberAt, structOf } from '../../api/json-access.js';
import { canonicalAddress } from './address-rules.js';
import { eachAt } from './warning-parts.js';

/** Returns a warning about an IPv6 address that is not in its shortest form; the rules refuse other uncanonical forms. Source: observed. */
export function addressWarnings(address: Json | undefined, path: string): readonly string[] {
  const text = String(address);
  const canonical = canonicalAddress(text);
  if (canonical === undefined || canonical === text) return [];
  return [`${path}: IPv6 address ${JSON.stringify(text)} should be in RFC 5952 canonical format (${JSON.stringify(canonical)})`];
}

/** Returns a warning about an IPv6 range, as for `addressWarnings`. */
export function rangeWarnings(range: Json | undefined, path: string): readonly string[] {
  const text = String(range);
  const [address = '', length = ''] = text.split('/');
  const canonical = canonicalAddress(address);
  if (canonical === undefined || canonical === address) return [];
  const advice = `should be in RFC 5952 canonical format (${JSON.stringify(`${canonical}/${length}`)})`;
  return [`${path}: IPv6 CIDR value ${JSON.stringify(text)} ${advice}`];
}

/** Returns warnings about a list of addresses, each of which is the text itself or a member of it. */
export function addressListWarnings(list: Json | undefined, path: string, member?: string): readonly string[] {
  if (!Array.isArray(list)) return [];
  return eachAt(list as readonly Json[], path, (each, at) =>
    member === undefined ? addressWarnings(each, at) : addressWarnings(structOf(each)[member], `${at}.${member}`),
  );
}

/** Returns warnings about the ranges of a NetworkPolicy. */
export function networkPolicyWarnings({ spec }: JsonObject): readonly string[] {
  const blocksOf = (rules: string, peers: string) =>
    eachAt(listOf(structOf(spec)[rules]), `spec.${rules}`, (rule, at) => eachAt(listOf(rule[peers]), `${at}.${peers}`, blockWarnings));
  return [...blocksOf('ingress', 'from'), ...blocksOf('egress', 'to')];
}

function blockWarnings({ ipBlock }: JsonObject, path: string): readonly string[] {
  if (!ipBlock) return [];
  const { cidr, except } = structOf(ipBlock);
  return [
    ...rangeWarnings(cidr, `${path}.ipBlock.cidr`),
    ...eachAt(Array.isArray(except) ? (except as readonly Json[]) : [], `${path}.ipBlock.except`, rangeWarnings),
  ];
}

/** Returns warnings about the addresses of Endpoints, unless the controller wrote them. */
export function endpointsWarnings(object: JsonObject): readonly string[] {
  const manager = structOf(memberAt(object, 'metadata.labels'))['endpoints.kubernetes.io/managed-by'];
  if (manager === 'endpoint-controller') return [];
  return eachAt(listOf(object.subsets), 'subsets', ({ addresses, notReadyAddresses }, path) => [
    ...addressListWarnings(addresses, `${path}.addresses`, 'ip'),
    ...addressListWarnings(notReadyAddresses, `${path}.notReadyAddresses`, 'ip'),
  ]);
}
