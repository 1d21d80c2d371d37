import { metadataOf } from '../../../fields/object.js';
import type { JsonObject } from '../../../util/json.js';
import { listOf, memberAt, structOf, valuesOf } from '../../api/json-access.js';
import { addressListWarnings, addressWarnings, rangeWarnings } from './address-warnings.js';
import { eachAt } from './warning-parts.js';

const oldTopology = 'service.kubernetes.io/topology-aware-hints';
const topology = 'service.kubernetes.io/topology-mode';

/** Returns warnings about a Service, in the words and the order of the server. Source: observed. */
export function serviceWarnings(service: JsonObject): readonly string[] {
  const spec = structOf(service.spec);
  const { clusterIP, clusterIPs, loadBalancerIP, loadBalancerSourceRanges, trafficDistribution } = spec;
  return [
    ...(oldTopology in (metadataOf(service).annotations ?? {})
      ? [`annotation ${oldTopology} is deprecated, please use ${topology} instead`]
      : []),
    ...(clusterIP && clusterIP !== 'None' ? addressListWarnings(clusterIPs, 'spec.clusterIPs') : []),
    ...(isHeadless(spec) ? headlessWarnings(spec) : []),
    ...externalAddressWarnings(spec),
    ...(loadBalancerIP ? addressWarnings(loadBalancerIP, 'spec.loadBalancerIP') : []),
    ...eachAt(valuesOf(loadBalancerSourceRanges), 'spec.loadBalancerSourceRanges', rangeWarnings),
    ...ignoredWarnings(spec),
    ...(trafficDistribution === 'PreferClose' ? ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'] : []),
  ];
}

function isHeadless({ type, clusterIP }: JsonObject): boolean {
  return type === 'ClusterIP' && clusterIP === 'None';
}

function headlessWarnings({ loadBalancerIP, externalIPs, sessionAffinity }: JsonObject): readonly string[] {
  const ignored = [
    ...(loadBalancerIP ? ['loadBalancerIP'] : []),
    ...(valuesOf(externalIPs).length > 0 ? ['externalIPs'] : []),
    ...(sessionAffinity === 'None' ? [] : ['SessionAffinity']),
  ];
  return ignored.map((member) => `spec.${member} is ignored for headless services`);
}

function externalAddressWarnings(spec: JsonObject): readonly string[] {
  const addresses = valuesOf(spec.externalIPs);
  const isUsed = addresses.length > 0 && !isHeadless(spec) && spec.type !== 'ExternalName';
  return [
    ...addressListWarnings(addresses, 'spec.externalIPs'),
    ...(isUsed ? ['spec.externalIPs is deprecated and may no longer be implemented in some clusters'] : []),
  ];
}

function ignoredWarnings({ type, externalIPs, externalName }: JsonObject): readonly string[] {
  if (type !== 'ExternalName') return externalName ? ['spec.externalName is ignored when spec.type is not "ExternalName"'] : [];
  return valuesOf(externalIPs).length > 0 ? ['spec.externalIPs is ignored when spec.type is "ExternalName"'] : [];
}

/** Returns warnings about the addresses in the status of a Service or Ingress. */
export function balancerWarnings(object: JsonObject): readonly string[] {
  return eachAt(listOf(memberAt(object, 'status.loadBalancer.ingress')), 'status.loadBalancer.ingress', ({ ip }, path) =>
    ip ? addressWarnings(ip, path) : [],
  );
}
