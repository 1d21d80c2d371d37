import { expect, test } from 'vitest';
import { TestEnvironment } from '../harness/test-environment.js';

/** By which words a server refuses objects of built-in kinds whose fields have no rule in their schema. */
const testEnvironment = await TestEnvironment.create('kind-rules');
const { cluster, namespace } = testEnvironment;

const encoded = (text: string) => Buffer.from(text).toString('base64');
const containers = [{ name: 'main', image: 'busybox' }];
const labels = { app: 'web' };
const workload = (spec: object, annotations: object = {}) => ({
  spec: { selector: { matchLabels: labels }, template: { metadata: { labels, annotations }, spec: { containers, ...spec } } },
});
const service = (spec: object) => ({ spec: { ports: [{ port: 80 }], ...spec } });
const balancer = (spec: object) => service({ type: 'LoadBalancer', ...spec });
const policy = (ipBlock: object) => ({ spec: { podSelector: {}, ingress: [{ from: [{ ipBlock }] }] } });
const backend = { defaultBackend: { service: { name: 'a', port: { number: 80 } } } };
const secret = (type: string, data: object = {}) => ({ type: `kubernetes.io/${type}`, data });

const address = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const range = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';
const bits = 'must not have bits set beyond the prefix length';
const seccomp = 'seccomp.security.alpha.kubernetes.io/pod';
const appArmor = 'container.apparmor.security.beta.kubernetes.io/';
const cost = 'controller.kubernetes.io/pod-deletion-cost';
const sources = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const redacted = '"<secret contents redacted>"';

test.each<readonly [apiVersion: string, kind: string, body: object, message: string]>([
  ['apps/v1', 'ControllerRevision', { revision: 1 }, 'data: Required value: data is mandatory'],
  ['apps/v1', 'ControllerRevision', { revision: 1, data: null }, 'data: Required value: data is mandatory'],
  ['apps/v1', 'ControllerRevision', { revision: 1, data: [1] }, 'data: Required value: data must be a valid JSON object'],
  [
    'apps/v1',
    'ControllerRevision',
    { revision: -1 },
    '[revision: Invalid value: -1: must be greater than or equal to 0, data: Required value: data is mandatory]',
  ],
  ['v1', 'Secret', secret('tls'), '[data[tls.crt]: Required value, data[tls.key]: Required value]'],
  ['v1', 'Secret', secret('basic-auth'), '[data[username]: Required value, data[password]: Required value]'],
  ['v1', 'Secret', secret('ssh-auth', { 'ssh-privatekey': '' }), 'data[ssh-privatekey]: Required value'],
  ['v1', 'Secret', secret('service-account-token'), 'metadata.annotations[kubernetes.io/service-account.name]: Required value'],
  ['v1', 'Secret', secret('dockerconfigjson'), 'data[.dockerconfigjson]: Required value'],
  [
    'v1',
    'Secret',
    secret('dockercfg', { '.dockercfg': encoded('{"a":1,}') }),
    `data[.dockercfg]: Invalid value: ${redacted}: invalid character '}' looking for beginning of object key string`,
  ],
  [
    'v1',
    'Secret',
    secret('dockercfg', { '.dockercfg': encoded('[]') }),
    `data[.dockercfg]: Invalid value: ${redacted}: json: cannot unmarshal array into Go value of type map[string]interface {}`,
  ],
  ['v1', 'Service', service({ externalIPs: ['1.2.3.04'] }), 'spec.externalIPs[0]: Invalid value: "1.2.3.04": must not have leading 0s'],
  ['v1', 'Service', service({ externalIPs: ['fe80::1%eth0'] }), `spec.externalIPs[0]: Invalid value: "fe80::1%eth0": ${address}`],
  [
    'v1',
    'Service',
    balancer({ loadBalancerSourceRanges: ['fe80::%a/64'] }),
    `spec.LoadBalancerSourceRanges[0]: Invalid value: "fe80::%a/64": ${range}`,
  ],
  [
    'v1',
    'Service',
    service({ externalIPs: ['127.0.0.1'] }),
    'spec.externalIPs[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
  ],
  ['v1', 'Service', service({ clusterIP: 'x' }), `spec.clusterIPs[0]: Invalid value: "x": ${address}`],
  [
    'v1',
    'Service',
    service({ clusterIPs: ['10.96.0.77'] }),
    'spec.clusterIPs: Invalid value: ["10.96.0.77"]: must be empty when `clusterIP` is not specified',
  ],
  [
    'v1',
    'Service',
    service({ clusterIP: '1.2.3.4' }),
    'spec.clusterIPs: Invalid value: ["1.2.3.4"]: failed to allocate IP 1.2.3.4: the provided network does not match the current range',
  ],
  [
    'v1',
    'Service',
    service({ clusterIP: 'None', clusterIPs: ['None', 'None'] }),
    `[spec.clusterIPs: Invalid value: ["None","None"]: 'None' must be the first and only value, spec.clusterIPs[1]: Invalid value: "None": ${address}]`,
  ],
  ['v1', 'Service', service({ ipFamilies: ['IPv5'] }), 'spec.ipFamilies[0]: Unsupported value: "IPv5": supported values: "IPv4", "IPv6"'],
  [
    'v1',
    'Service',
    balancer({ loadBalancerSourceRanges: ['10.0.0.0/08', 'x', ' 10.0.0.0/8 '] }),
    `[spec.LoadBalancerSourceRanges[0]: Invalid value: "10.0.0.0/08": must not have leading 0s in IP or prefix length, spec.LoadBalancerSourceRanges[1]: Invalid value: "x": ${range}]`,
  ],
  [
    'v1',
    'Service',
    { metadata: { annotations: { [sources]: '10.0.0.1/8' } }, ...balancer({}) },
    `metadata.annotations[${sources}]: Invalid value: "10.0.0.1/8": ${bits}`,
  ],
  [
    'v1',
    'Service',
    { metadata: { annotations: { [sources]: '10.0.0.0/8' } }, ...service({}) },
    `metadata.annotations[${sources}]: Forbidden: may only be used when \`type\` is 'LoadBalancer'`,
  ],
  [
    'networking.k8s.io/v1',
    'Ingress',
    { metadata: { annotations: { 'kubernetes.io/ingress.class': 'x' } }, spec: { ingressClassName: 'y', ...backend } },
    'annotations.kubernetes.io/ingress.class: Invalid value: "x": must match `ingressClassName` when both are specified',
  ],
  [
    'networking.k8s.io/v1',
    'NetworkPolicy',
    policy({ cidr: '10.0.0.1/8', except: ['10.2.3.4/16', '11.0.0.0/16'] }),
    `[spec.ingress[0].from[0].ipBlock.cidr: Invalid value: "10.0.0.1/8": ${bits}, spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: "10.2.3.4/16": ${bits}, spec.ingress[0].from[0].ipBlock.except[1]: Invalid value: "11.0.0.0/16": must be a strict subset of \`cidr\`]`,
  ],
  [
    'discovery.k8s.io/v1',
    'EndpointSlice',
    { addressType: 'IPv6', endpoints: [{ addresses: ['2001:DB8::1'] }] },
    'endpoints[0].addresses[0]: Invalid value: "2001:DB8::1": must be in canonical form ("2001:db8::1")',
  ],
  ['v1', 'Node', { spec: { podCIDR: '10.0.0.1/24' } }, `spec.podCIDRs[0]: Invalid value: "10.0.0.1/24": ${bits}`],
  [
    'v1',
    'Node',
    { spec: { podCIDRs: ['10.0.0.0/24', '10.1.0.0/24'], podCIDR: '10.0.0.0/24' } },
    'spec.podCIDRs: Invalid value: ["10.0.0.0/24","10.1.0.0/24"]: may specify no more than one CIDR for each IP family',
  ],
  [
    'v1',
    'Node',
    { spec: { taints: [0, 1].map(() => ({ key: 'a', effect: 'NoSchedule' })) } },
    'metadata.taints[1]: Duplicate value: {"Key":"a","Value":"","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair',
  ],
  ['networking.k8s.io/v1', 'ServiceCIDR', { spec: { cidrs: [] } }, 'spec.cidrs: Required value: at least one CIDR required'],
  [
    'networking.k8s.io/v1',
    'ServiceCIDR',
    { spec: { cidrs: ['2001:DB8::/64', '2001:db8::/64'] } },
    '[spec.cidrs[0]: Invalid value: "2001:DB8::/64": must be in canonical form ("2001:db8::/64"), spec.cidrs: Invalid value: ["2001:DB8::/64","2001:db8::/64"]: may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64]',
  ],
  [
    'networking.k8s.io/v1',
    'IPAddress',
    { spec: { parentRef: { resource: 'services', name: 'a', namespace: 'b' } } },
    `metadata.name: Invalid value: "refused": ${address}`,
  ],
  [
    'apps/v1',
    'StatefulSet',
    { metadata: { name: 'a.b' }, spec: { ...workload({}).spec, serviceName: 'web' } },
    'metadata.name: Invalid value: "a.b": must not contain dots',
  ],
  [
    'apps/v1',
    'Deployment',
    workload({ hostAliases: [{ ip: '::ffff:1.2.3.4' }] }),
    'spec.template.spec.hostAliases[0].ip: Invalid value: "::ffff:1.2.3.4": must not be an IPv4-mapped IPv6 address',
  ],
  [
    'apps/v1',
    'Deployment',
    workload({ dnsConfig: { nameservers: ['1.2.3.4', '1.2.3.04', '1.2.3.4', '1.2.3.4'], searches: ['.', 'a.', 'A'], options: [{}] } }),
    `[spec.template.spec.dnsConfig.nameservers: Invalid value: ["1.2.3.4","1.2.3.04","1.2.3.4","1.2.3.4"]: must not have more than 3 nameservers, spec.template.spec.dnsConfig.nameservers[1]: Invalid value: "1.2.3.04": must not have leading 0s, spec.template.spec.dnsConfig.searches[2]: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*'), spec.template.spec.dnsConfig.options[0]: Required value: must not be empty]`,
  ],
  [
    'apps/v1',
    'Deployment',
    workload({}, { [seccomp]: 'x', [`${appArmor}other`]: 'x', [cost]: '05' }),
    `[spec.template.annotations[${cost}]: Invalid value: "05": must be a 32bit integer, spec.template.annotations.${seccomp}: Invalid value: "x": must be a valid seccomp profile, spec.template.annotations[${appArmor}other]: Invalid value: "other": container not found, spec.template.annotations[${appArmor}other]: Invalid value: "x": invalid AppArmor profile name: "x"]`,
  ],
  [
    'apps/v1',
    'Deployment',
    workload({ securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: 'y' } } }, { [seccomp]: 'localhost/x' }),
    'spec.template.spec.securityContext.seccompProfile.localhostProfile: Forbidden: seccomp profile in annotation and field must match',
  ],
  [
    'v1',
    'Pod',
    { spec: { containers: [{ image: 'a' }, { image: 'b' }] } },
    '[spec.containers[0].name: Required value, spec.containers[1].name: Required value, spec.containers[1].name: Duplicate value: ""]',
  ],
  [
    'v1',
    'Pod',
    {
      metadata: { annotations: { [`${appArmor}main`]: 'unconfined', 'kubernetes.io/config.mirror': 'x' } },
      spec: { containers: [{ name: 'main', image: 'busybox', securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } }] },
    },
    '[metadata.annotations[kubernetes.io/config.mirror]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set, spec.containers[0].securityContext.appArmorProfile.type: Forbidden: apparmor type in annotation and field must match]',
  ],
])('%s %s is refused %#', async (apiVersion, kind, body, message) => {
  const { metadata = {}, ...content } = body as { metadata?: object };
  const type = (await cluster.types()).find((each) => each.apiVersion === apiVersion && each.kind === kind);
  const place = type?.namespaced ? { namespace } : {};
  const object = { apiVersion, kind, metadata: { name: 'refused', ...place, ...metadata }, ...content };
  const text = expect.stringMatching(new RegExp(`^${kind}\\S* "[^"]*" is invalid: ${escaped(message)}$`));
  await expect(cluster.create('author', object)).rejects.toMatchObject({ status: 422, body: { message: text } });
});

test.each<readonly [apiVersion: string, kind: string, content: object, isNeeded: boolean]>([
  ['policy/v1', 'PodDisruptionBudget', { spec: { minAvailable: 1 } }, true],
  ['node.k8s.io/v1', 'RuntimeClass', { handler: 'x' }, true],
  ['storage.k8s.io/v1', 'CSIDriver', { spec: {} }, true],
  ['storage.k8s.io/v1', 'StorageClass', { provisioner: 'x' }, false],
  ['admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', { webhooks: [] }, true],
  ['v1', 'LimitRange', { spec: { limits: [] } }, false],
])('an update of %s %s without resourceVersion is refused: %#', async (apiVersion, kind, content, isNeeded) => {
  const isNamespaced = (await cluster.types()).find((each) => each.apiVersion === apiVersion && each.kind === kind)?.namespaced;
  const object = { apiVersion, kind, metadata: { name: namespace, ...(isNamespaced ? { namespace } : {}) }, ...content };
  if (!isNamespaced) testEnvironment.removeLater(object);
  await cluster.create('author', object);
  const updated = cluster.client.call('PUT', await cluster.path(object), { body: object });
  const message = expect.stringContaining('metadata.resourceVersion: Invalid value: 0: must be specified for an update');
  if (isNeeded) await expect(updated).rejects.toMatchObject({ status: 422, body: { message } });
  else await expect(updated).resolves.toMatchObject({ kind });
});

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
