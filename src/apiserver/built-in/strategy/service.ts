import { isIP } from 'node:net';
import { metadataOf, nameOf } from '../../../fields/object.js';
import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import { type FieldError, invalidValue } from '../../api/field-error.js';
import { listOf, structOf } from '../../api/json-access.js';
import { invalid } from '../../api/status-error.js';
import { isInsideRange } from '../validation/address-rules.js';
import { hash, hasNodePorts, healthCheckPort, newNodePorts, updatedNodePorts, withoutNodePorts } from './node-ports.js';

/** Allocates cluster addresses, IP families and node ports for a Service. Source: Kubernetes documentation "Service". */
export function prepareService(object: JsonObject, live: JsonObject | undefined): JsonObject {
  if (object.kind !== 'Service' || object.apiVersion !== 'v1' || !isJsonObject(object.spec)) return object;
  const spec: Record<string, Json | undefined> = { ...object.spec };
  const before = (live?.spec ?? {}) as Record<string, Json>;
  const loses = needsTrafficPolicy(before) && !needsTrafficPolicy(spec as JsonObject);
  if (loses && jsonSame(spec.externalTrafficPolicy, before.externalTrafficPolicy)) delete spec.externalTrafficPolicy;
  if (before.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    for (const name of balancerMembers) if (jsonSame(spec[name], before[name])) delete spec[name];
  }
  if (Array.isArray(spec.ports)) spec.ports = withPorts(object, spec as JsonObject, live && before) as Json;
  if (isLocalBalancer(spec)) spec.healthCheckNodePort ||= before.healthCheckNodePort || healthCheckPort(nameOf(object), spec as JsonObject);
  else if (isLocalBalancer(before) && jsonSame(spec.healthCheckNodePort, before.healthCheckNodePort)) delete spec.healthCheckNodePort;
  if (spec.type === 'ExternalName') {
    for (const name of addressMembers) if (live !== undefined && jsonSame(spec[name], before[name])) delete spec[name];
    delete spec.internalTrafficPolicy;
    return { ...object, spec: spec as JsonObject };
  }
  const hadAddress = live !== undefined && before.type !== 'ExternalName';
  if (hadAddress) for (const name of addressMembers) spec[name] ??= before[name] as Json;
  // A client that knows one address only changes that one.
  const isOtherAddress = hadAddress && spec.clusterIP !== before.clusterIP && jsonSame(spec.clusterIPs, before.clusterIPs);
  if (isOtherAddress) spec.clusterIPs = [spec.clusterIP as Json];
  const [first] = Array.isArray(spec.clusterIPs) ? (spec.clusterIPs as string[]) : [];
  // A new Service with `clusterIPs` alone is refused.
  if (hadAddress) spec.clusterIP ??= first;
  else if (first === undefined || live !== undefined) spec.clusterIP ??= first ?? addressFor(object);
  if (spec.clusterIP !== undefined) spec.clusterIPs ??= [spec.clusterIP];
  addFamilies(spec);
  for (const name of Object.keys(spec)) if (spec[name] === undefined) delete spec[name];
  return { ...object, spec: spec as JsonObject };
}

/** Refuses a new Service without a name, because an address cannot be allocated for it. @throws StatusError 422 */
export function refuseNamelessService(object: JsonObject): void {
  const { clusterIP, type } = structOf(object.spec);
  if (object.kind !== 'Service' || object.apiVersion !== 'v1' || structOf(object.metadata).name || type === 'ExternalName') return;
  if (clusterIP === 'None') return;
  const reason = `IPAddress.networking.k8s.io ${JSON.stringify(clusterIP ?? addressFor(object))} is invalid: spec.parentRef.name: Required value`;
  throw invalid('Service', '', '', [invalidValue('spec.clusterIPs', [clusterIP ?? ''], `failed to allocate IP: ${reason}`)]);
}

const addressRange = '10.96.0.0/16';

/** Validates that the address of a new Service is one that the cluster may allocate. */
export function allocationErrors({ clusterIP, clusterIPs }: JsonObject): readonly FieldError[] {
  const address = String(clusterIP ?? 'None');
  if (isIP(address) !== 4 || isInsideRange(`${address}/32`, addressRange)) return [];
  const text = `failed to allocate IP ${address}: the provided network does not match the current range`;
  return [invalidValue('spec.clusterIPs', clusterIPs, text)];
}

function withPorts(object: JsonObject, spec: JsonObject, before: JsonObject | undefined): readonly JsonObject[] {
  const name = nameOf(object);
  if (hasNodePorts(spec)) return before === undefined ? newNodePorts(name, spec) : updatedNodePorts(name, spec, before);
  const ports = listOf(spec.ports);
  return before !== undefined && hasNodePorts(before) ? withoutNodePorts(ports, before) : ports;
}

const balancerMembers = ['allocateLoadBalancerNodePorts', 'loadBalancerClass'];
const addressMembers = ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'];

/** Sets the IP families. The cluster has IPv4 only, but a headless Service without a selector may have both families. */
function addFamilies(spec: Record<string, Json | undefined>): void {
  const isHeadless = spec.clusterIP === 'None' && Object.keys(structOf(spec.selector)).length === 0;
  spec.ipFamilyPolicy ??= isHeadless ? 'RequireDualStack' : 'SingleStack';
  const families = Array.isArray(spec.ipFamilies) && spec.ipFamilies.length > 0 ? (spec.ipFamilies as string[]) : ['IPv4'];
  const isDual = isHeadless && families.length === 1 && spec.ipFamilyPolicy !== 'SingleStack';
  spec.ipFamilies = isDual ? [...families, families[0] === 'IPv4' ? 'IPv6' : 'IPv4'] : families;
}

function needsTrafficPolicy({ type, externalIPs }: JsonObject): boolean {
  return type === 'NodePort' || type === 'LoadBalancer' || (Array.isArray(externalIPs) && externalIPs.length > 0);
}

function isLocalBalancer({ type, externalTrafficPolicy }: Readonly<Record<string, Json | undefined>>): boolean {
  return type === 'LoadBalancer' && externalTrafficPolicy === 'Local';
}

function addressFor(object: JsonObject): string {
  const number = hash(nameKey(object));
  return `10.96.${(number >>> 8) % 256}.${(number % 254) + 1}`;
}

function nameKey(object: JsonObject): string {
  const { namespace, name } = metadataOf(object);
  return `${namespace}/${name}`;
}

function jsonSame(left: Json | undefined, right: Json | undefined): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
