import { expect, test } from 'vitest';
import { causesOf } from '../../harness/causes-of.js';
import { TestEnvironment } from '../../harness/test-environment.js';

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
const budget = (spec: object) => ['policy/v1', 'PodDisruptionBudget', { spec }] as const;
const mounting = (volume: object) => ({ spec: { containers: [{ name: 'main', image: 'busybox', volumeMounts }], volumes: [volume] } });
const volumeMounts = [{ name: 'files', mountPath: '/files' }];
const unmounted = 'spec.containers[0].volumeMounts[0].name: Not found: "files"';
const registration = (spec: object, name = 'v1.rules.example.com') =>
  [
    'apiregistration.k8s.io/v1',
    'APIService',
    { metadata: { name }, spec: { group: 'rules.example.com', version: 'v1', groupPriorityMinimum: 10, versionPriority: 10, ...spec } },
  ] as const;
const volume = (spec: object) =>
  ['v1', 'PersistentVolume', { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], ...spec } }] as const;
const ingressClass = (spec: object) => ['networking.k8s.io/v1', 'IngressClass', { spec }] as const;
const driver = (spec: object) => ['storage.k8s.io/v1', 'CSIDriver', { spec }] as const;
const node = (...drivers: readonly object[]) =>
  ['storage.k8s.io/v1', 'CSINode', { spec: { drivers: drivers.map((each) => ({ name: 'a', nodeID: 'b', ...each })) } }] as const;
const secret = (type: string, data: object = {}) => ({ type: `kubernetes.io/${type}`, data });

const address = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const range = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';
const bits = 'must not have bits set beyond the prefix length';
const seccomp = 'seccomp.security.alpha.kubernetes.io/pod';
const appArmor = 'container.apparmor.security.beta.kubernetes.io/';
const cost = 'controller.kubernetes.io/pod-deletion-cost';
const sources = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const percentage =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
const labelValue =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const label1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
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
    workload({
      dnsConfig: { nameservers: ['1.2.3.4', '1.2.3.04', '1.2.3.4', '1.2.3.4'], searches: ['.', 'a.', 'A'], options: [{}] },
    }),
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
  [
    'apps/v1',
    'Deployment',
    { spec: { ...workload({}).spec, selector: { matchLabels: labels, matchExpressions: [{ key: 'constructor', operator: 'Exists' }] } } },
    'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
  ],
  [...budget({ maxUnavailable: '1' }), `spec.maxUnavailable: Invalid value: "1": ${percentage}`],
  [...budget({ minAvailable: '-5%' }), `spec.minAvailable: Invalid value: "-5%": ${percentage}`],
  [...budget({ minAvailable: -1 }), 'spec.minAvailable: Invalid value: -1: must be greater than or equal to 0'],
  [
    ...budget({ minAvailable: 1, maxUnavailable: '150%' }),
    '[spec: Invalid value: {"MinAvailable":1,"Selector":null,"MaxUnavailable":"150%","UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set, spec.maxUnavailable: Invalid value: "150%": must not be greater than 100%]',
  ],
  [
    ...budget({ minAvailable: 1, selector: { matchExpressions: [{ key: 'a', operator: 'In' }] } }),
    "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
  ],
  [
    ...budget({ minAvailable: 1, selector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b', 'a b'] }] } }),
    `spec.selector.matchExpressions[0].values[1]: Invalid value: "a b": ${labelValue}`,
  ],
  [
    'networking.k8s.io/v1',
    'NetworkPolicy',
    { spec: { podSelector: { matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['a b'] }] } } },
    `spec.podSelector.matchExpressions[0].values[0]: Invalid value: "a b": ${labelValue}`,
  ],
  [
    'v1',
    'Pod',
    mounting({ name: 'files', emptyDir: {}, configMap: { name: 'a' } }),
    `[spec.volumes[0].configMap: Forbidden: may not specify more than 1 volume type, ${unmounted}]`,
  ],
  ['v1', 'Pod', mounting({ name: 'files', configMap: {} }), `[spec.volumes[0].configMap.name: Required value, ${unmounted}]`],
  [
    'apps/v1',
    'Deployment',
    { spec: { ...workload({}).spec, template: { metadata: { labels }, ...mounting({ name: 'files', hostPath: { path: '' } }) } } },
    `[spec.template.spec.volumes[0].hostPath.path: Required value, spec.template.${unmounted}]`,
  ],
  [
    ...registration({ insecureSkipTLSVerify: true, caBundle: 'eA==', service: { name: 'a', namespace: 'b' } }),
    'spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present',
  ],
  [
    ...registration({ insecureSkipTLSVerify: true, caBundle: 'eA==' }),
    '[spec.caBundle: Invalid value: "1 bytes": local APIServices may not have a caBundle, spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify]',
  ],
  [
    ...registration({ groupPriorityMinimum: 0, versionPriority: 1001 }),
    '[spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000, spec.versionPriority: Invalid value: 1001: must be positive and less than 1000]',
  ],
  [
    ...registration({ service: { port: 70000 } }),
    '[spec.service.namespace: Required value, spec.service.name: Required value, spec.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive]',
  ],
  [...registration({ version: 'V1' }, 'V1.rules.example.com'), `spec.version: Invalid value: "V1": ${label1035}`],
  [
    ...volume({ capacity: undefined, accessModes: [] }),
    '[spec.accessModes: Required value, spec.capacity: Required value, spec.capacity: Unsupported value: null: supported values: "storage", spec: Required value: must specify a volume type]',
  ],
  [
    ...volume({ accessModes: ['Shared'], hostPath: { path: '/a' } }),
    'spec.accessModes: Unsupported value: "Shared": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
  ],
  [
    ...volume({ accessModes: ['ReadWriteOncePod', 'ReadWriteOnce'], hostPath: { path: '' }, nfs: { server: 'a', path: '/b' } }),
    '[spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes, spec.hostPath.path: Required value, spec.nfs: Forbidden: may not specify more than 1 volume type]',
  ],
  [
    ...volume({ capacity: { storage: '0' }, hostPath: { path: '/' }, persistentVolumeReclaimPolicy: 'Recycle' }),
    `[spec.capacity[storage]: Invalid value: "0": must be greater than zero, spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/']`,
  ],
  [...volume({ local: { path: '/a' } }), 'spec.nodeAffinity: Required value: Local volume requires node affinity'],
  [...ingressClass({}), 'spec.controller: Required value'],
  [...ingressClass({ controller: 'abc' }), 'spec.controller: Invalid value: "abc": must be a domain-prefixed path (such as "acme.io/foo")'],
  [
    ...ingressClass({ controller: 'a.b/c', parameters: { kind: 'X', name: 'y', scope: 'Namespace' } }),
    "spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'",
  ],
  [
    'scheduling.k8s.io/v1',
    'PriorityClass',
    { value: 2e9 },
    'value: Forbidden: maximum allowed value of a user defined priority is 1000000000',
  ],
  [
    'scheduling.k8s.io/v1',
    'PriorityClass',
    { metadata: { name: 'system-mine' }, value: 1, preemptionPolicy: 'Sometimes' },
    `[metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-mine is not a known system priority class, preemptionPolicy: Unsupported value: "Sometimes": supported values: "PreemptLowerPriority", "Never"]`,
  ],
  [
    'coordination.k8s.io/v1',
    'Lease',
    { spec: { leaseDurationSeconds: 0, leaseTransitions: -1 } },
    '[spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0, spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0]',
  ],
  [
    'node.k8s.io/v1',
    'RuntimeClass',
    { handler: 'a', overhead: { podFixed: { cpu: '-1' } }, scheduling: { tolerations: [{ key: 'a', operator: 'Like' }] } },
    '[overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0, scheduling.tolerations[0].operator: Unsupported value: "Like": supported values: "Equal", "Exists"]',
  ],
  [
    'storage.k8s.io/v1',
    'VolumeAttributesClass',
    { driverName: 'a.b' },
    'parameters: Required value: must contain at least one key/value pair',
  ],
  [
    'storage.k8s.io/v1',
    'VolumeAttachment',
    { spec: { attacher: 'a', nodeName: 'b', source: {} } },
    'spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName',
  ],
  [
    'storage.k8s.io/v1',
    'CSIStorageCapacity',
    { storageClassName: 'a', capacity: '-1' },
    'capacity: Invalid value: "-1": must be greater than or equal to 0',
  ],
  [
    ...driver({ fsGroupPolicy: 'Some' }),
    'spec.fsGroupPolicy: Unsupported value: "Some": supported values: "File", "None", "ReadWriteOnceWithFSType"',
  ],
  [
    ...driver({ tokenRequests: [{ audience: 'a', expirationSeconds: 5 }, { audience: 'a' }] }),
    '[spec.tokenRequests[0].expirationSeconds: Invalid value: 5: may not specify a duration less than 10 minutes, spec.tokenRequests[1].audience: Duplicate value: "a"]',
  ],
  [...node({}, {}), 'spec.drivers[1].name: Duplicate value: "a"'],
  [...node({ topologyKeys: ['a', 'a'] }), 'spec.drivers[0]: Duplicate value: "a"'],
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

test('a changed object is validated, and so is a status', async () => {
  const budgets = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
  await cluster.client.call('POST', budgets, {
    body: { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'changed' }, spec: { minAvailable: 1 } },
  });
  const patch = (path: string, body: object) => cluster.client.call('PATCH', path, { contentType: 'application/merge-patch+json', body });
  const condition = { type: 'A', status: 'No', lastTransitionTime: '2030-01-01T00:00:00Z', reason: '1' };
  const status = { disruptionsAllowed: -1, conditions: [condition, { ...condition, status: 'True', reason: 'B' }] };
  await expect(causesOf(patch(`${budgets}/changed`, { spec: { maxUnavailable: 1 } }))).resolves.toEqual([
    'spec: Invalid value: {"MinAvailable":1,"Selector":null,"MaxUnavailable":1,"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
  ]);
  await expect(causesOf(patch(`${budgets}/changed/status`, { status }))).resolves.toEqual([
    'status.conditions[0].status: Unsupported value: "No": supported values: "False", "True", "Unknown"',
    expect.stringMatching(/^status\.conditions\[0\]\.reason: Invalid value: "1": a condition reason must start with alphabetic character/),
    'status.conditions[1].type: Duplicate value: "A"',
    'status.disruptionsAllowed: Invalid value: -1: must be greater than or equal to 0',
  ]);
});
