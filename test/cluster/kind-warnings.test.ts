import { generateKeyPairSync } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('kind-warnings');
const { cluster, namespace } = testEnvironment;

const clustered: Readonly<Record<string, true>> = {
  PersistentVolume: true,
  StorageClass: true,
  CSIDriver: true,
  RuntimeClass: true,
  Node: true,
};

interface Written {
  readonly status: number;
  readonly warnings: readonly string[];
  readonly object: Readonly<Record<string, unknown>> & { readonly metadata: object };
}

async function write(method: string, path: string, body: object): Promise<Written> {
  const url = new URL(cluster.client.connection.server.replace(/\/$/, '') + path);
  const bytes = Buffer.from(JSON.stringify(body));
  const headers = { 'content-type': 'application/json', 'content-length': String(bytes.length), accept: 'application/json' };
  const response = await cluster.client.raw(method, url, headers, bytes);
  return { status: response.status, warnings: textsOf(response.headers.warning), object: JSON.parse(response.text) as Written['object'] };
}

function textsOf(header: string | readonly string[] | undefined): readonly string[] {
  const all = [header ?? []].flat().join(', ');
  const texts = [...all.matchAll(/299 - ("(?:[^"\\]|\\.)*")/g)];
  const warnings = texts.map(([, quoted = '""']) => Buffer.from(JSON.parse(quoted) as string, 'latin1').toString());
  // Only the embedded server warns of what it does not enforce.
  return warnings.filter((warning) => !warning.includes('is not enforced by the embedded API server'));
}

const written: string[] = [];

function collectionOf(apiVersion: string, kind: string): string {
  const plural = /(s|x)$/.test(kind) && kind !== 'Endpoints' ? `${kind}es` : kind.replace(/y$/, 'ie') + (kind === 'Endpoints' ? '' : 's');
  const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  return `${root}${clustered[kind] ? '' : `/namespaces/${namespace}`}/${plural.toLowerCase()}`;
}

afterAll(async () => {
  for (const path of written) await write('DELETE', path, { propagationPolicy: 'Background', gracePeriodSeconds: 0 });
});

const containers = [{ name: 'main', image: 'busybox' }];
const labels = { app: 'a' };
const template = (spec: object, annotations?: object) => ({ metadata: { labels, annotations }, spec: { containers, ...spec } });
const replicas = (pod: object, annotations?: object) => ({
  spec: { replicas: 0, selector: { matchLabels: labels }, template: template(pod, annotations) },
});
const job = (members: object = {}) => ({ suspend: true, template: { spec: { restartPolicy: 'Never', containers } }, ...members });
const claim = (amounts: object) => ({ accessModes: ['ReadWriteOnce'], resources: amounts });
const volume = (members: object, metadata?: object) => ({
  metadata,
  spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], ...members },
});
const service = (members: object, metadata?: object) => ({ metadata, spec: { ports: [{ port: 80 }], ...members } });
const base64 = (text: string) => Buffer.from(text).toString('base64');
const tls = (certificate: string, key: string) => ({
  type: 'kubernetes.io/tls',
  data: { 'tls.crt': base64(certificate), 'tls.key': base64(key) },
});
const certificate = `-----BEGIN CERTIFICATE-----
MIIBMDCB46ADAgECAhQZ
-----END CERTIFICATE-----
`;
const { privateKey } = generateKeyPairSync('ed25519', {
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

const fraction = (path: string, amount = '500m') => `${path}: fractional byte value "${amount}" is invalid, must be an integer`;
const shortest = 'should be in RFC 5952 canonical format';
const longAddress = (path: string) => `${path}: IPv6 address "2001:DB8::1" ${shortest} ("2001:db8::1")`;
const dots = (use = 'Pod names and hostnames') =>
  `metadata.name: this is used in ${use}, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]`;
const externalIgnored = 'spec.externalIPs is ignored when spec.type is "ExternalName"';
const recycle =
  'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.';
const mountable = 'kubernetes.io/enforce-mountable-secrets';
const manyIndexes =
  'spec: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail';
const oldEndpoints = 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice';
const history = 'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended';
const oldOs = 'deprecated since v1.14; use "kubernetes.io/os" instead';
const osTerm = { matchExpressions: [{ key: 'beta.kubernetes.io/os', operator: 'In', values: ['linux'] }] };
const spec = 'spec.template.spec';
const annotations = 'spec.template.metadata.annotations';
const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
const nullSelector = 'labelSelector: a null labelSelector results in matching no pod';
const hides = (index: number) =>
  `${spec}.containers[0].env[${index}]: hides previous definition of "A", which may be dropped when using apply`;

type Row = readonly [apiVersion: string, kind: string, body: object, create: readonly string[], update: readonly string[] | 'same'];

const rows: readonly Row[] = [
  [
    'networking.k8s.io/v1',
    'Ingress',
    {
      metadata: { annotations: { 'kubernetes.io/ingress.class': 'x' } },
      spec: { defaultBackend: { service: { name: 'a', port: { number: 80 } } } },
    },
    [`annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`],
    [],
  ],
  [
    'networking.k8s.io/v1',
    'NetworkPolicy',
    { spec: { podSelector: {}, egress: [{ to: [{ ipBlock: { cidr: '2001:DB8::/32', except: ['2001:db8:0::/48'] } }] }] } },
    [
      `spec.egress[0].to[0].ipBlock.cidr: IPv6 CIDR value "2001:DB8::/32" ${shortest} ("2001:db8::/32")`,
      `spec.egress[0].to[0].ipBlock.except[0]: IPv6 CIDR value "2001:db8:0::/48" ${shortest} ("2001:db8::/48")`,
    ],
    'same',
  ],
  [
    'v1',
    'ServiceAccount',
    { metadata: { annotations: { [mountable]: 'false' } } },
    [`metadata.annotations[${mountable}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`],
    [],
  ],
  [
    'v1',
    'Service',
    service({ clusterIP: 'None', sessionAffinity: 'ClientIP', externalIPs: ['1.2.3.4'] }),
    ['spec.externalIPs is ignored for headless services', 'spec.SessionAffinity is ignored for headless services'],
    'same',
  ],
  [
    'v1',
    'Service',
    service({ type: 'ExternalName', externalName: 'a.b', externalIPs: ['2001:DB8::1'] }),
    [longAddress('spec.externalIPs[0]'), externalIgnored],
    'same',
  ],
  [
    'v1',
    'Service',
    service({ externalName: 'a.b' }, { annotations: { 'service.kubernetes.io/topology-aware-hints': 'auto' } }),
    [
      'annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead',
      'spec.externalName is ignored when spec.type is not "ExternalName"',
    ],
    'same',
  ],
  [
    'v1',
    'PersistentVolumeClaim',
    {
      metadata: { annotations: { 'volume.beta.kubernetes.io/storage-class': 'x' } },
      spec: claim({ requests: { storage: '0.5' }, limits: { storage: '1500m' } }),
    },
    [
      'metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead',
      fraction('spec.resources.requests[storage]'),
      fraction('spec.resources.limits[storage]', '1500m'),
    ],
    'same',
  ],
  [
    'v1',
    'PersistentVolumeClaim',
    { spec: claim({ requests: { storage: '10Pi' }, limits: { storage: '100E' } }) },
    [fraction('spec.resources.requests[storage]', '10Pi')],
    'same',
  ],
  ['v1', 'PersistentVolume', volume({ hostPath: { path: '/x' }, persistentVolumeReclaimPolicy: 'Recycle' }), [recycle], 'same'],
  [
    'v1',
    'PersistentVolume',
    volume(
      { cephfs: { monitors: ['a'] }, nodeAffinity: { required: { nodeSelectorTerms: [osTerm] } } },
      { annotations: { 'volume.beta.kubernetes.io/mount-options': 'x' } },
    ),
    [
      'metadata.annotations[volume.beta.kubernetes.io/mount-options]: deprecated since v1.31; use "mountOptions" attribute instead',
      `spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: beta.kubernetes.io/os is ${oldOs}`,
      'spec.cephfs: deprecated in v1.28, non-functional in v1.31+',
    ],
    'same',
  ],
  [
    'v1',
    'PersistentVolume',
    volume({ storageos: { volumeName: 'a', volumeNamespace: 'b' } }),
    ['spec.storageOS: deprecated in v1.22, non-functional in v1.25+'],
    'same',
  ],
  [
    'storage.k8s.io/v1',
    'StorageClass',
    { provisioner: 'a', allowedTopologies: [{ matchLabelExpressions: [{ key: 'beta.kubernetes.io/os', values: ['x'] }] }] },
    [`allowedTopologies[0].matchLabelExpressions[0].key: ${oldOs}`],
    'same',
  ],
  [
    'storage.k8s.io/v1',
    'CSIStorageCapacity',
    { storageClassName: 'a', nodeTopology: { ...osTerm, matchLabels: { 'beta.kubernetes.io/os': 'x' } } },
    [`nodeTopology.matchExpressions[0].key: beta.kubernetes.io/os is ${oldOs}`, `nodeTopology.matchLabels.beta.kubernetes.io/os: ${oldOs}`],
    'same',
  ],
  [
    'storage.k8s.io/v1',
    'CSIDriver',
    { spec: { tokenRequests: [{ audience: 'a' }] } },
    [
      'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes',
    ],
    [],
  ],
  [
    'node.k8s.io/v1',
    'RuntimeClass',
    { handler: 'x', scheduling: { nodeSelector: { 'beta.kubernetes.io/os': 'linux' } } },
    [`scheduling.nodeSelector: ${oldOs}`],
    'same',
  ],
  [
    'batch/v1',
    'CronJob',
    { metadata: { name: '.' }, spec: { schedule: '* * * * *', suspend: true, jobTemplate: { spec: job() } } },
    [dots()],
    [],
  ],
  ['batch/v1', 'Job', { metadata: { name: '.' }, spec: job() }, [dots()], []],
  ['batch/v1', 'Job', { spec: job({ completionMode: 'Indexed', completions: 200_000, parallelism: 20_000 }) }, [manyIndexes], []],
  ['apps/v1', 'Deployment', { metadata: { name: '.' }, ...replicas({}) }, [dots()], []],
  ['apps/v1', 'ReplicaSet', { metadata: { name: '.' }, ...replicas({}) }, [dots()], []],
  [
    'v1',
    'ReplicationController',
    { metadata: { name: '.' }, spec: { replicas: 0, selector: labels, template: template({}) } },
    [dots()],
    [],
  ],
  ['v1', 'Pod', { metadata: { name: '.' }, spec: { containers } }, [dots("the Pod's hostname")], []],
  [
    'apps/v1',
    'StatefulSet',
    {
      spec: {
        ...replicas({}).spec,
        serviceName: 'a',
        revisionHistoryLimit: -1,
        volumeClaimTemplates: [{ metadata: { name: 'x' }, spec: claim({ requests: { storage: '0.5' } }) }],
      },
    },
    [fraction('spec.volumeClaimTemplates[0].resources.requests[storage]'), history],
    [fraction('spec.volumeClaimTemplates[0].Spec.resources.requests[storage]'), history],
  ],
  ['v1', 'Node', { spec: { externalID: 'x' } }, ['spec.externalID: this field is deprecated, and is unused by Kubernetes'], 'same'],
  [
    'discovery.k8s.io/v1',
    'EndpointSlice',
    { addressType: 'FQDN', endpoints: [{ addresses: ['a.b'] }] },
    ['spec.addressType: FQDN endpoints are deprecated'],
    [],
  ],
  [
    'v1',
    'Endpoints',
    { subsets: [{ addresses: [{ ip: '2001:DB8::1' }], ports: [{ port: 80 }] }] },
    [oldEndpoints, longAddress('subsets[0].addresses[0].ip')],
    'same',
  ],
  [
    'v1',
    'ResourceQuota',
    { spec: { hard: { 'requests.cpu': '2', 'limits.cpu': '1', memory: '2Gi', 'limits.memory': '1Gi' } } },
    [
      'ResourceQuota requests.cpu (2) should be less than limits.cpu (1)',
      'ResourceQuota memory (2Gi) should be less than limits.memory (1Gi)',
    ],
    [],
  ],
  ['v1', 'Secret', tls('', ''), ['tls: failed to find any PEM data in certificate input'], 'same'],
  ['v1', 'Secret', tls(certificate, ''), ['tls: failed to find any PEM data in key input'], 'same'],
  ['v1', 'Secret', tls(certificate, privateKey), ['x509: malformed certificate'], 'same'],
  [
    'v1',
    'Secret',
    tls(privateKey, certificate),
    ['tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched'],
    'same',
  ],
  [
    'v1',
    'Secret',
    tls('a'.repeat(400_000), '-----BEGIN A-----\nA:\n'.repeat(18_000)),
    ['tls: failed to find any PEM data in certificate input'],
    'same',
  ],
  [
    'apps/v1',
    'Deployment',
    replicas({
      affinity: {
        nodeAffinity: {
          [required]: { nodeSelectorTerms: [osTerm] },
          [preferred]: [{ weight: 1, preference: { matchExpressions: [{ key: 'node-role.kubernetes.io/master', operator: 'Exists' }] } }],
        },
        podAffinity: { [required]: [{ topologyKey: 'a' }] },
        podAntiAffinity: { [preferred]: [{ weight: 1, podAffinityTerm: { topologyKey: 'a' } }] },
      },
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'beta.kubernetes.io/os', whenUnsatisfiable: 'DoNotSchedule' }],
    }),
    [
      `${spec}.affinity.nodeAffinity.${required}.nodeSelectorTerms[0].matchExpressions[0].key: beta.kubernetes.io/os is ${oldOs}`,
      `${spec}.affinity.nodeAffinity.${preferred}[0].preference.matchExpressions[0].key: node-role.kubernetes.io/master is use "node-role.kubernetes.io/control-plane" instead`,
      `${spec}.topologySpreadConstraints[0].topologyKey: beta.kubernetes.io/os is ${oldOs}`,
      `${spec}.topologySpreadConstraints[0].${nullSelector}`,
      `${spec}.affinity.podAffinity.${required}[0].${nullSelector}`,
      `${spec}.affinity.podAntiAffinity.${preferred}[0].podAffinityTerm.${nullSelector}`,
    ],
    [],
  ],
  [
    'apps/v1',
    'Deployment',
    replicas(
      { terminationGracePeriodSeconds: -1, nodeSelector: { 'beta.kubernetes.io/os': 'x' }, imagePullSecrets: [{ name: 'a' }, {}, {}] },
      {
        'security.alpha.kubernetes.io/sysctls': 'a=b',
        'seccomp.security.alpha.kubernetes.io/pod': 'runtime/default',
        'container.seccomp.security.alpha.kubernetes.io/main': 'unconfined',
        'container.apparmor.security.beta.kubernetes.io/main': 'unconfined',
      },
    ),
    [
      `${spec}.nodeSelector[beta.kubernetes.io/os]: ${oldOs}`,
      `${annotations}[security.alpha.kubernetes.io/sysctls]: non-functional in v1.11+; use the "sysctls" field instead`,
      `${spec}.imagePullSecrets[2].name: duplicate name ""`,
      `${spec}.imagePullSecrets[1].name: invalid empty name ""`,
      `${spec}.imagePullSecrets[2].name: invalid empty name ""`,
      `${annotations}[seccomp.security.alpha.kubernetes.io/pod]: non-functional in v1.27+; use the "seccompProfile" field instead`,
      `${annotations}[container.seccomp.security.alpha.kubernetes.io/main]: non-functional in v1.27+; use the "seccompProfile" field instead`,
      `${annotations}[container.apparmor.security.beta.kubernetes.io/main]: deprecated since v1.30; use the "appArmorProfile" field instead`,
      `${spec}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
    ],
    [],
  ],
  [
    'apps/v1',
    'Deployment',
    replicas({
      volumes: [
        { name: 'a', gitRepo: { repository: 'x' } },
        { name: 'b', ephemeral: { volumeClaimTemplate: { spec: claim({ requests: { storage: '0.5' } }) } } },
        {
          name: 'c',
          configMap: {
            name: 'x',
            items: ['a', 'a/b', 'ab', 'a/', 'a', 'ä☃', 'ä☃'].map((path, index) => ({ key: `k${index}`, path })),
          },
        },
        {
          name: 'd',
          projected: {
            sources: [
              { configMap: { name: 'x', items: [{ key: 'a', path: 'a/b' }] } },
              {},
              { secret: { name: 'y', items: [{ key: 'a', path: 'a' }] } },
            ],
          },
        },
      ],
      hostAliases: ['1.2.3.4', '2001:DB8::1', '1.2.3.4'].map((ip) => ({ ip, hostnames: ['a'] })),
      overhead: { memory: '0.5' },
      runtimeClassName: 'x',
      dnsConfig: { nameservers: ['2001:DB8::1'] },
    }),
    [
      `${spec}.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+`,
      fraction(`${spec}.volumes[1].ephemeral.volumeClaimTemplate.spec.resources.requests[storage]`),
      'volume "c" (ConfigMap "x"): overlapping paths: "a/b" with "a"',
      'volume "c" (ConfigMap "x"): overlapping paths: "a" with "a"',
      'volume "c" (ConfigMap "x"): overlapping paths: "a" with "a/b"',
      'volume "c" (ConfigMap "x"): overlapping paths: "ä☃" with "ä☃"',
      'volume "d" (Projected) has no sources provided',
      'volume "d" (Projected): overlapping paths: "a" (Secret "y") with "a/b" (ConfigMap "x")',
      `${spec}.hostAliases[2].ip: duplicate ip "1.2.3.4"`,
      fraction(`${spec}.overhead[memory]`),
      longAddress(`${spec}.dnsConfig.nameservers[0]`),
      longAddress(`${spec}.hostAliases[1].ip`),
    ],
    [],
  ],
  [
    'apps/v1',
    'Deployment',
    replicas({
      containers: [
        {
          ...containers[0],
          env: ['1', '$(A)2', '$(A)', 'x'].map((value) => ({ name: 'A', value })),
          resources: { requests: { memory: '0.5' }, limits: { 'ephemeral-storage': '0.5', memory: '0.5' } },
          ports: [{ containerPort: 80, hostIP: '1.2.3.4' }],
        },
      ],
    }),
    [
      fraction(`${spec}.containers[0].resources.limits[memory]`),
      fraction(`${spec}.containers[0].resources.requests[memory]`),
      fraction(`${spec}.containers[0].resources.limits[ephemeral-storage]`),
      hides(2),
      hides(3),
      `${spec}.containers[0].ports[0]: hostIP set without hostPort: {Name: HostPort:0 ContainerPort:80 Protocol:TCP HostIP:1.2.3.4}`,
    ],
    [],
  ],
];

test.each(rows.map((row, index) => [index, ...row] as const))(
  'write %i warns about %s %s',
  async (index, apiVersion, kind, body, create, update) => {
    const { metadata = {} } = body as { readonly metadata?: { readonly name?: string } };
    const name = `${namespace}-${index}${metadata.name === undefined ? '' : '.x'}`;
    const collection = collectionOf(apiVersion, kind);
    const created = await write('POST', collection, { apiVersion, kind, ...body, metadata: { ...metadata, name } });
    expect([created.status, created.warnings]).toEqual([201, create]);
    written.push(`${collection}/${name}`);
    const { metadata: shown, ...content } = created.object;
    const { resourceVersion, managedFields: _, ...unchanged } = shown as Readonly<Record<string, unknown>>;
    // Some kinds need a version; of others, a controller may have written the next one.
    const same = /^(storage|node)\./.test(apiVersion) ? { ...unchanged, resourceVersion } : unchanged;
    const updated = await write('PUT', `${collection}/${name}`, { ...content, metadata: same });
    expect([updated.status, updated.warnings]).toEqual([200, update === 'same' ? create : update]);
  },
);
