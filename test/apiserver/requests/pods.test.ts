import { expect, test } from 'vitest';
import { ApiCallError, type ResponseBody } from '../../harness/api-client.js';
import { TestEnvironment } from '../../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('pods');
const { namespace, cluster } = testEnvironment;
const { client } = cluster;
const pods = `/api/v1/namespaces/${namespace}/pods`;
const jobs = `/apis/batch/v1/namespaces/${namespace}/jobs`;
const main = { name: 'main', image: 'busybox:1' };

let number = 0;

/** Creates a Pod with members of its spec over the usual ones. */
function create(spec: object = {}, metadata: object = {}): Promise<ResponseBody> {
  number += 1;
  const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: `pod-${number}`, ...metadata }, spec: { containers: [main], ...spec } };
  return client.call('POST', pods, { body: object });
}

const merge = { contentType: 'application/merge-patch+json' };
const patch = (pod: ResponseBody, body: object, part = '') =>
  client.call('PATCH', `${pods}/${pod.metadata.name}${part}`, { body, ...merge });
const remove = (pod: ResponseBody, query = {}) => client.call('DELETE', `${pods}/${pod.metadata.name}`, { query });
const get = (pod: ResponseBody) => client.call('GET', `${pods}/${pod.metadata.name}`);

/** The text of a refusal, without the words before it and what is printed of a change. */
const refusal = (attempt: Promise<ResponseBody>) =>
  attempt.then(
    () => 'accepted',
    (error) => {
      if (!(error instanceof ApiCallError)) throw error;
      return error.message.replace(/^.* is (?:invalid|forbidden): /, '').split('\n')[0];
    },
  );

test('a new Pod has the defaults of the server, of its admission plugins and of its strategy', async () => {
  const { spec, status, metadata } = await create({ containers: [{ ...main, resources: { limits: { cpu: '1', memory: '1Gi' } } }] });
  expect(metadata.generation).toBe(1);
  expect(spec).toMatchObject({
    priority: 0,
    preemptionPolicy: 'PreemptLowerPriority',
    enableServiceLinks: true,
    containers: [{ resources: { requests: { cpu: '1', memory: '1Gi' } } }],
    tolerations: [
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
    ],
  });
  expect(status).toEqual({ phase: 'Pending', qosClass: 'Guaranteed' });
});

test('fields that admission gives a Pod have no owner', async () => {
  const { metadata } = await create();
  const owned = Object.keys(metadata.managedFields[0].fieldsV1['f:spec']);
  expect(owned).toContain('f:enableServiceLinks');
  expect(owned).not.toContain('f:priority');
  expect(owned).not.toContain('f:tolerations');
});

test.each([
  ['no class of that name', { priorityClassName: 'none' }, 'no PriorityClass with name none was found'],
  [
    'a priority without a class',
    { priority: 7 },
    'the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
  ],
  ['no RuntimeClass', { runtimeClassName: 'none' }, 'pod rejected: RuntimeClass "none" not found'],
  ['two containers of one name', { containers: [main, main] }, 'spec.containers[1].name: Duplicate value: "main"'],
  ['no container', { containers: [] }, 'spec.containers: Required value'],
  [
    'a mount of no volume',
    { containers: [{ ...main, volumeMounts: [{ name: 'data', mountPath: '/data' }] }] },
    'spec.containers[0].volumeMounts[0].name: Not found: "data"',
  ],
  [
    'a request above its limit',
    { containers: [{ ...main, resources: { requests: { memory: '2Gi' }, limits: { memory: '1Gi' } } }] },
    'spec.containers[0].resources.requests: Invalid value: "2Gi": must be less than or equal to memory limit of 1Gi',
  ],
  [
    'a port out of range',
    { containers: [{ ...main, ports: [{ containerPort: 70000 }] }] },
    'spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive',
  ],
  [
    'a probe without a handler',
    { containers: [{ ...main, livenessProbe: {} }] },
    'spec.containers[0].livenessProbe: Required value: must specify a handler type',
  ],
])('refuses %s', async (_, spec, text) => {
  expect(await refusal(create(spec))).toBe(text);
});

test.each([
  ['image', { containers: [{ ...main, image: 'busybox:2' }] }, 'accepted'],
  ['activeDeadlineSeconds', { activeDeadlineSeconds: 5 }, 'accepted'],
  [
    'containers',
    { containers: [main, { ...main, name: 'more' }] },
    'spec.containers: Forbidden: pod updates may not add or remove containers',
  ],
  ['tolerations', { tolerations: [] }, 'spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds'],
  [
    'schedulingGates',
    { schedulingGates: [{ name: 'example.com/gate' }] },
    "spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'example.com/gate'",
  ],
  [
    'hostname',
    { hostname: 'other' },
    'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
  ],
])('an update of %s', async (_, spec, text) => {
  const pod = await create({ tolerations: [{ key: 'own', operator: 'Exists' }] });
  expect(await refusal(patch(pod, { spec }))).toBe(text);
});

test('the deletion of a Pod on a node waits for its grace period, which only gets shorter', async () => {
  const pod = await create({ nodeName: 'node' });
  expect((await remove(pod)).metadata).toMatchObject({ deletionGracePeriodSeconds: 30, generation: 2 });
  expect((await remove(pod, { gracePeriodSeconds: '60' })).metadata).toMatchObject({ deletionGracePeriodSeconds: 30, generation: 2 });
  expect((await remove(pod, { gracePeriodSeconds: '5' })).metadata).toMatchObject({ deletionGracePeriodSeconds: 5, generation: 2 });
  expect((await patch(pod, { metadata: { labels: { still: 'there' } } })).metadata.labels).toEqual({ still: 'there' });
  await remove(pod, { gracePeriodSeconds: '0' });
  expect(await refusal(get(pod))).toMatch(/not found/);
});

test('a Pod without a node is deleted at once', async () => {
  const pod = await create();
  expect((await remove(pod)).metadata).toMatchObject({ deletionGracePeriodSeconds: 0, generation: 2 });
  expect(await refusal(get(pod))).toMatch(/not found/);
});

test('a binding gives a Pod its node, once', async () => {
  const pod = await create();
  const { name } = pod.metadata;
  const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target: { kind: 'Node', name: 'node' } };
  const bind = () => client.call('POST', `${pods}/${name}/binding`, { body: binding });
  await bind();
  expect(await get(pod)).toMatchObject({ spec: { nodeName: 'node' }, status: { conditions: [{ type: 'PodScheduled', status: 'True' }] } });
  expect(await refusal(bind())).toMatch(`pod ${name} is already assigned to node "node"`);
});

test('an eviction deletes a Pod', async () => {
  const pod = await create();
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod.metadata.name } };
  await client.call('POST', `${pods}/${pod.metadata.name}/eviction`, { body: eviction });
  expect(await refusal(get(pod))).toMatch(/not found/);
});

test('ephemeral containers are added through their subresource, and stay as they are', async () => {
  const pod = await create();
  const container = { name: 'debug', image: 'busybox' };
  const changed = await patch(pod, { spec: { ephemeralContainers: [container], hostname: 'ignored' } }, '/ephemeralcontainers');
  expect(changed.spec.ephemeralContainers).toMatchObject([container]);
  expect(changed.spec.hostname).toBeUndefined();
  const again = patch(pod, { spec: { ephemeralContainers: [{ ...container, image: 'other' }] } }, '/ephemeralcontainers');
  expect(await refusal(again)).toBe('spec.ephemeralContainers: Forbidden: existing ephemeral containers "debug" may not be changed');
});

test('a resize keeps the class of a Pod', async () => {
  const pod = await create({ containers: [{ ...main, resources: { requests: { cpu: '1' } } }] });
  const resize = (resources: object) => patch(pod, { spec: { containers: [{ ...main, resources }] } }, '/resize');
  expect((await resize({ requests: { cpu: '2' } })).spec.containers[0].resources).toEqual({ requests: { cpu: '2' } });
  const text = 'spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed';
  expect(await refusal(resize({ requests: { memory: '1Gi' } }))).toBe(text);
});

test('a Job selects its Pods by labels of the server, and leaves them when it is deleted', async () => {
  const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'job' } };
  const spec = { template: { spec: { containers: [main], restartPolicy: 'Never' } } };
  const { metadata, spec: created } = await client.call('POST', jobs, { body: { ...job, spec } });
  expect(created.selector).toEqual({ matchLabels: { 'batch.kubernetes.io/controller-uid': metadata.uid } });
  expect(created.template.metadata.labels).toEqual(metadata.labels);
  expect(await refusal(client.call('PATCH', `${jobs}/job`, { body: { spec: { completions: 2 } }, ...merge }))).toBe(
    'spec.completions: Invalid value: 2: field is immutable',
  );
  expect(await refusal(client.call('POST', jobs, { body: { ...job, spec: { template: { spec: { containers: [main] } } } } }))).toBe(
    'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
  );
  await client.call('DELETE', `${jobs}/job`, { query: { propagationPolicy: 'Background' } });
});
