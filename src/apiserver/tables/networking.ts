import type { JsonObject } from '../../util/json.js';
import { at, labelsText, listAt, loadBalancerAddresses, numberAt, or, selectorText, someOf, textAt, textsAt } from './cells.js';
import { ageColumn, kind, type TableKind, text, wide } from './column.js';

function externalAddresses(service: JsonObject): string {
  const declared = textsAt(service, 'spec.externalIPs');
  switch (textAt(service, 'spec.type')) {
    case 'ExternalName':
      return textAt(service, 'spec.externalName');
    case 'LoadBalancer':
      return or([...loadBalancerAddresses(service), ...declared].join(','), '<pending>');
    case 'ClusterIP':
    case 'NodePort':
      return or(declared.join(','), '<none>');
    default:
      return '<unknown>';
  }
}

function portsText(service: JsonObject): string {
  const texts = listAt(service, 'spec.ports').map((port) => {
    const nodePort = numberAt(port, 'nodePort');
    return `${numberAt(port, 'port')}${nodePort > 0 ? `:${nodePort}` : ''}/${textAt(port, 'protocol')}`;
  });
  return or(texts.join(','), '<none>');
}

function hostsText(ingress: JsonObject): string {
  const hosts = listAt(ingress, 'spec.rules')
    .map((rule) => textAt(rule, 'host'))
    .filter((host) => host !== '');
  return or(someOf(hosts, 3), '*');
}

function parametersText(ingressClass: JsonObject): string {
  const parameters = at(ingressClass, 'spec.parameters');
  if (parameters === undefined) return '<none>';
  const group = textAt(parameters, 'apiGroup');
  return `${textAt(parameters, 'kind')}${group === '' ? '' : `.${group}`}/${textAt(parameters, 'name')}`;
}

function parentText(address: JsonObject): string {
  if (at(address, 'spec.parentRef') === undefined) return '<none>';
  const [group, namespace] = [textAt(address, 'spec.parentRef.group'), textAt(address, 'spec.parentRef.namespace')];
  const resource = textAt(address, 'spec.parentRef.resource') + (group === '' ? '' : `.${group}`);
  return [resource, namespace, textAt(address, 'spec.parentRef.name')].filter((part) => part !== '').join('/');
}

function slicePorts(slice: JsonObject): string {
  const ports = listAt(slice, 'ports').map((port) => or(textAt(port, 'port'), or(textAt(port, 'name'), '*')));
  return or(someOf(ports, 3), '<unset>');
}

function sliceAddresses(slice: JsonObject): string {
  const addresses = listAt(slice, 'endpoints').flatMap((endpoint) => textsAt(endpoint, 'addresses'));
  return or(someOf(addresses, 3), '<unset>');
}

export const networkTables: Readonly<Record<string, TableKind>> = {
  '/Service': kind(
    text('Type', 'spec.type'),
    text('Cluster-IP', (service) => or(textAt(service, 'spec.clusterIP'), '<none>')),
    text('External-IP', externalAddresses),
    text('Port(s)', portsText),
    ageColumn,
    ...wide(text('Selector', (service) => labelsText(at(service, 'spec.selector')))),
  ),
  'networking.k8s.io/Ingress': kind(
    text('Class', 'spec.ingressClassName', '<none>'),
    text('Hosts', hostsText),
    text('Address', (ingress) => loadBalancerAddresses(ingress).join(',')),
    text('Ports', (ingress) => (listAt(ingress, 'spec.tls').length > 0 ? '80, 443' : '80')),
    ageColumn,
  ),
  'networking.k8s.io/IngressClass': kind(text('Controller', 'spec.controller'), text('Parameters', parametersText), ageColumn),
  'networking.k8s.io/IPAddress': kind(text('ParentRef', parentText), { ...ageColumn, hidden: true }),
  'networking.k8s.io/NetworkPolicy': kind(
    text('Pod-Selector', (policy) => or(selectorText(at(policy, 'spec.podSelector')), '<none>')),
    ageColumn,
  ),
  'networking.k8s.io/ServiceCIDR': kind(
    text('CIDRs', (range) => textsAt(range, 'spec.cidrs').join(',')),
    ageColumn,
  ),
  'discovery.k8s.io/EndpointSlice': kind(
    text('AddressType', 'addressType'),
    text('Ports', slicePorts),
    text('Endpoints', sliceAddresses),
    ageColumn,
  ),
};
