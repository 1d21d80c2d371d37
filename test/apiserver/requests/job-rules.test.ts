import { expect, test } from 'vitest';
import { TestEnvironment } from '../../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('job-rules');
const { cluster, namespace } = testEnvironment;

const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] } };
const create = (name: string, spec: object) =>
  cluster.create('author', { apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace }, spec: { template, ...spec } });

const rule = (members: object) => ({ podFailurePolicy: { rules: [members] } });
const rules = 'spec.podFailurePolicy.rules[0]';
const indexed = (members: object) => ({ completionMode: 'Indexed', completions: 3, ...members });
const succeeds = (members: object) => indexed({ successPolicy: { rules: [members] } });
const success = 'spec.successPolicy.rules[0]';
const parsing = (text: string) => `${success}.succeededIndexes: Invalid value: ${JSON.stringify(text)}: error parsing succeededIndexes`;

test.each([
  [indexed({ completions: undefined, parallelism: 1 }), 'spec.completions: Required value: when completion mode is Indexed'],
  [indexed({ maxFailedIndexes: 1 }), 'spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified'],
  [
    indexed({ maxFailedIndexes: 4, backoffLimitPerIndex: 1 }),
    'spec.maxFailedIndexes: Invalid value: 4: must be less than or equal to completions',
  ],
  [{ backoffLimitPerIndex: 1 }, 'spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode'],
  [{ completionMode: 'Other' }, 'spec.completionMode: Unsupported value: "Other": supported values: "NonIndexed", "Indexed"'],
  [{ managedBy: 'other' }, 'spec.managedBy: Invalid value: "other": must be a domain-prefixed path (such as "acme.io/foo")'],
  [
    { podReplacementPolicy: 'Other' },
    'spec.podReplacementPolicy: Unsupported value: "Other": supported values: "Failed", "TerminatingOrFailed"',
  ],
  [
    { ...rule({ action: 'Count', onPodConditions: [{ type: 'Ready', status: 'True' }] }), podReplacementPolicy: 'TerminatingOrFailed' },
    'spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"',
  ],
  [
    rule({}),
    `[${rules}.action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"], ${rules}: Invalid value: specifying one of OnExitCodes and OnPodConditions is required]`,
  ],
  [
    rule({ action: 'FailIndex', onExitCodes: { containerName: 'other', operator: 'In', values: [0, 2, 1] } }),
    `[${rules}.action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set, ${rules}.onExitCodes.containerName: Invalid value: "other": must be one of the container or initContainer names in the pod template, ${rules}.onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator, ${rules}.onExitCodes.values: Invalid value: [0,2,1]: must be ordered]`,
  ],
  [succeeds({}), `${success}: Required value: at least one of succeededCount or succeededIndexes must be specified`],
  [succeeds({ succeededIndexes: '0-9' }), `${parsing('0-9')}: too large index: "9"`],
  [succeeds({ succeededIndexes: '2,1' }), `${parsing('2,1')}: non-increasing order, previous: 2, current: 1`],
  [
    succeeds({ succeededIndexes: '0-1', succeededCount: 3 }),
    `${success}.succeededCount: Invalid value: 3: must be less than or equal to 2 (the number of indexes in the specified succeededIndexes field)`,
  ],
  [
    { template: { ...template, metadata: { labels: { a: 'b c' } } } },
    '[metadata.labels: Invalid value: "b c": a valid label must be an empty string or consist',
  ],
])('a Job is refused %#', async (spec, text) => {
  await expect(create('refused', spec)).rejects.toMatchObject({
    status: 422,
    body: { message: expect.stringContaining(`Job.batch "refused" is invalid: ${text}`) },
  });
});

test('a Job with a policy for failures and a limit for each index has their defaults', async () => {
  const policy = rule({ action: 'FailIndex', onExitCodes: { operator: 'In', values: [1] } });
  await create('limited', indexed({ backoffLimitPerIndex: 1, ...policy }));
  const { spec } = (await cluster.client.call('GET', `/apis/batch/v1/namespaces/${namespace}/jobs/limited`)) as { spec: object };
  expect(spec).toMatchObject({ backoffLimit: 2147483647, podReplacementPolicy: 'Failed' });
});

const image = { containers: [{ name: 'main', image: 'other' }] };
const limits = { containers: [{ name: 'main', resources: { limits: { cpu: '1' } } }] };
const renamed = { containers: [{ name: 'other', image: 'busybox' }] };
const nodeSelectorTerms = [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }];
const nodes = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
const terms = [{ weight: 1, podAffinityTerm: { topologyKey: 'zone', labelSelector: {} } }];
const near = { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: terms } };
let counter = 0;
const stopped = { startTime: '2026-01-01T00:00:00Z', conditions: [{ type: 'Suspended', status: 'True' }] };
const working = { startTime: '2026-01-01T00:00:00Z', active: 1 };

test.each([
  ['of a suspended Job', 'its resources', true, {}, { spec: limits }, undefined],
  ['of a suspended Job', 'where its Pods may run', true, {}, { spec: { nodeSelector: { a: 'b' }, affinity: nodes } }, undefined],
  ['of a suspended Job', 'its metadata', true, {}, { metadata: { annotations: { a: 'b' }, finalizers: ['a/b'] } }, undefined],
  ['of a suspended Job', 'its image', true, {}, { spec: image }, 'spec.template.spec'],
  ['of a suspended Job', 'its containers', true, {}, { spec: renamed }, 'spec.template.spec'],
  ['of a suspended Job', 'the Pods that it avoids', true, {}, { spec: { affinity: near } }, 'spec.template.spec'],
  ['of a Job that was stopped', 'its resources', true, stopped, { spec: limits }, undefined],
  ['of a Job that is being stopped', 'its resources', true, working, { spec: limits }, 'spec.template'],
  ['of a Job that is not suspended', 'its resources', false, {}, { spec: limits }, 'spec.template'],
  ['of a Job that is not suspended', 'its metadata', false, {}, { metadata: { annotations: { a: 'b' } } }, 'spec.template'],
])('the template %s changes in %s: %#', async (_, __, suspend, status, change, refused) => {
  const name = `changed-${counter++}`;
  const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace } };
  await create(name, { suspend });
  if (Object.keys(status).length > 0) await cluster.patch('author', job, { status }, 'merge', 'status');
  // What was suspended may start in the same write.
  const changed = cluster.patch('author', job, { spec: { suspend: false, template: change } }, 'strategic');
  const message = expect.stringContaining(`Job.batch "${name}" is invalid: ${refused}: Invalid value: `);
  if (refused === undefined) await expect(changed).resolves.toMatchObject({ spec: { suspend: false } });
  else await expect(changed).rejects.toMatchObject({ status: 422, body: { message } });
});
