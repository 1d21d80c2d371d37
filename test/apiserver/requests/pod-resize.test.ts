import { expect, test } from 'vitest';
import { ApiCallError, type ResponseBody } from '../../harness/api-client.js';
import { ref } from '../../harness/cluster.js';
import { poll } from '../../harness/poll.js';
import { TestEnvironment } from '../../harness/test-environment.js';

// What the server refuses of a resize: what the Pod may not change, and what its node cannot do or does not have.
const testEnvironment = await TestEnvironment.create('pod-resize');
const { cluster, namespace, app } = testEnvironment;
const pods = `/api/v1/namespaces/${namespace}/pods`;
const half = { requests: { cpu: '500m', memory: '512Mi' } };
const whole = { cpu: '1', memory: '1Gi' };

const nodes: Readonly<Record<string, object>> = {
  linux: { status: { allocatable: { cpu: '2', memory: '2Gi' } } },
  declaring: {
    status: { allocatable: { cpu: '2', memory: '2Gi' }, declaredFeatures: ['InPlacePodLevelResourcesVerticalScaling'] },
  },
  windows: { metadata: { labels: { 'kubernetes.io/os': 'windows' } }, status: { allocatable: { cpu: '8', memory: '8Gi' } } },
};

function nodeNamed(name: string) {
  return ref('v1', 'Node', `${app}-${name}`);
}

for (const [name, node] of Object.entries(nodes)) {
  const one = nodeNamed(name);
  testEnvironment.removeLater(one);
  await cluster.create('test', { ...one, ...node, metadata: { ...one.metadata, ...(node as { metadata?: object }).metadata } });
}

const container = (resources: object, more: object = {}) => ({ name: 'c', image: 'busybox', resources, ...more });
const podOf = (resources: object, more: object = {}) => ({ containers: [container(resources)], ...more });
const to = (resources: object, more: object = {}) => ({ spec: { containers: [{ name: 'c', resources, ...more }] } });

/** Creates a Pod and resizes it; the message of a refusal without the name of the Pod, or the new spec. */
async function resize(node: string | undefined, spec: object, change: object, status?: object): Promise<string | ResponseBody> {
  const body = { metadata: { generateName: 'p-' }, spec: { ...spec, nodeName: node && `${app}-${node}` } };
  const { metadata } = await cluster.client.call('POST', pods, { body });
  const path = `${pods}/${metadata.name}`;
  if (status !== undefined)
    await cluster.client.call('PATCH', `${path}/status`, { body: { status }, contentType: 'application/merge-patch+json' });
  try {
    const patch = { body: change, contentType: 'application/strategic-merge-patch+json' };
    return (await cluster.client.call('PATCH', `${path}/resize`, patch)).spec;
  } catch (error) {
    if (!(error instanceof ApiCallError)) throw error;
    const { message, details } = error.body;
    const cause = error.status === 403 ? (details.causes?.[0].reason ?? 'no cause') : '';
    return `${error.status} ${message.replace(metadata.name, 'NAME').replaceAll(`${app}-`, '')} ${cause}`.trim();
  } finally {
    await cluster.client.call('DELETE', path, { query: { gracePeriodSeconds: '0' } });
  }
}

// The real server reads nodes from an informer, which learns of a new one a moment later.
for (const name of Object.keys(nodes))
  await poll(`the server knows the node ${name}`, async () => {
    const said = await resize(name, podOf(half), to({ requests: { cpu: '900m' } }));
    return typeof said !== 'string' || !said.includes('not found') || undefined;
  });

const podLevel = { containers: [container({})], resources: { requests: whole, limits: whole } };
const initial = { name: 'n', image: 'busybox', resources: { requests: { cpu: '1' } } };
const forbidden = (reason: string) => `403 pods "NAME" is forbidden: ${reason}`;
const invalid = (reason: string) => `422 Pod "NAME" is invalid: ${reason}`;
const lacking = (text: string) => forbidden(`node didn't have enough allocatable resources: ${text} NodeCapacity`);
const features = (names: string) => forbidden(`pod update requires features ${names} which are not available on node "linux" no cause`);
const onlyAmounts = 'Forbidden: only cpu and memory resources are mutable';
const ofWindows = 'pod resize is only supported on linux nodes, node "windows" is "windows"';

test.each([
  ['more than the node has', 'linux', podOf(half), to({ requests: { cpu: '4' } }), lacking('cpu, requested: 4000, allocatable: 2000')],
  [
    'more of both than the node has',
    'linux',
    podOf(half),
    to({ requests: { cpu: '2500m', memory: '4294967296500m' } }),
    lacking('cpu, requested: 2500, allocatable: 2000; memory, requested: 4294967297, allocatable: 2147483648'),
  ],
  [
    'less, which the node still has not',
    'linux',
    podOf({ requests: { cpu: '8' } }),
    to({ requests: { cpu: '4' } }),
    lacking('cpu, requested: 4000, allocatable: 2000'),
  ],
  [
    'more, with a sidecar',
    'linux',
    podOf(half, { initContainers: [{ ...initial, restartPolicy: 'Always' }] }),
    to({ requests: { cpu: '1500m' } }),
    lacking('cpu, requested: 2500, allocatable: 2000'),
  ],
  ['more, on Windows', 'windows', podOf(half), to({ requests: { cpu: '1' } }), forbidden(`${ofWindows} UnsupportedPlatform`)],
  ['more, on an absent node', 'absent', podOf(half), to({ requests: { cpu: '1' } }), forbidden('node "absent" not found no cause')],
  [
    'the whole Pod, on a node that cannot',
    'linux',
    podLevel,
    { spec: { resources: { requests: { cpu: '2' }, limits: { cpu: '2' } } } },
    features('InPlacePodLevelResourcesVerticalScaling'),
  ],
  [
    'a container that has ended, on a node that cannot',
    'linux',
    podOf(half, { initContainers: [initial] }),
    { spec: { initContainers: [{ name: 'n', resources: { requests: { cpu: '1500m' } } }] } },
    features('InPlacePodVerticalScalingInitContainers'),
  ],
  [
    'the whole Pod, beyond a node that can',
    'declaring',
    podLevel,
    { spec: { resources: { requests: { cpu: '4' }, limits: { cpu: '4' } } } },
    lacking('cpu, requested: 4000, allocatable: 2000'),
  ],
  ['other resources', undefined, podOf(half), to({ requests: { 'ephemeral-storage': '1Gi' } }), invalid(`spec: ${onlyAmounts}`)],
  [
    'other resources of the whole Pod',
    undefined,
    { ...podLevel, resources: { requests: { ...whole, 'hugepages-2Mi': '2Mi' }, limits: { ...whole, 'hugepages-2Mi': '2Mi' } } },
    { spec: { resources: { requests: { 'hugepages-2Mi': '4Mi' }, limits: { 'hugepages-2Mi': '4Mi' } } } },
    invalid(`spec: ${onlyAmounts} at pod-level`),
  ],
  [
    'a limit of the whole Pod away',
    undefined,
    { containers: [container({})], resources: { requests: whole, limits: { cpu: '2', memory: '2Gi' } } },
    { spec: { resources: { limits: { cpu: null } } } },
    invalid('spec.resources.limits: Forbidden: pod-level resource limits cannot be removed'),
  ],
  [
    'the policy',
    undefined,
    podOf(half),
    to({}, { resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] }),
    invalid(`spec: ${onlyAmounts}`),
  ],
  [
    'a Pod for Windows',
    undefined,
    podOf(half, { os: { name: 'windows' } }),
    to({ requests: { cpu: '-1' } }),
    invalid('[]: Forbidden: windows pods cannot be resized'),
  ],
])('a resize to %s is refused', async (_, node, spec, change, expected) => {
  expect(await resize(node, spec, change)).toBe(expected);
});

test.each([
  ['more', 'linux', podOf(half), to({ requests: { cpu: '1' } })],
  ['the same, on Windows', 'windows', podOf(half), to({ requests: { cpu: '500m' } })],
  ['a limit beyond the node', 'linux', podOf({ requests: { cpu: '1' }, limits: { cpu: '1' } }), to({ limits: { cpu: '9' } })],
  ['the whole Pod', 'declaring', podLevel, { spec: { resources: { requests: { cpu: '2' }, limits: { cpu: '2' } } } }],
])('a resize to %s is accepted', async (_, node, spec, change) => {
  expect(await resize(node, spec, change)).toMatchObject(change.spec);
});

test('a container that runs shows whether its node can resize it', async () => {
  const statusOf = (more: object) => ({
    containerStatuses: [{ name: 'c', image: 'i', imageID: '', ready: true, restartCount: 0, ...more }],
  });
  const running = { state: { running: { startedAt: '2026-01-01T00:00:00Z' } } };
  const change = to({ requests: { cpu: '1' } });
  expect(await resize('linux', podOf(half), change, statusOf(running))).toBe(
    invalid('spec: Forbidden: Pod running on node without support for resize'),
  );
  for (const status of [{}, { ...running, resources: {} }, { state: { waiting: { reason: 'Pulling' } } }])
    expect(await resize('linux', podOf(half), change, statusOf(status))).toMatchObject(change.spec);
});

test('a new node keeps its status, may be filled, and is not ready', async () => {
  const node = nodeNamed('new');
  testEnvironment.removeLater(node);
  const { spec, status, metadata } = await cluster.create('test', { ...node, status: { capacity: { cpu: '2' } } });
  expect(status).toMatchObject({ capacity: { cpu: '2' }, allocatable: { cpu: '2' } });
  expect(spec.taints).toEqual([{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }]);
  expect(metadata.managedFields).toBeUndefined();
});
