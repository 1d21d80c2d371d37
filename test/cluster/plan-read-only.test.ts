import { expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { ref } from '../harness/cluster.js';
import { eventsOf } from '../harness/events.js';
import { own, share } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('plan-read-only');
const labels = { watched: testEnvironment.namespace };
const config = (data: object, name = 'config') => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: testEnvironment.namespace, labels },
  data,
});

test('a plan that only reads calls no webhook, and no webhook of the program blocks it', async () => {
  const webhook = ref('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', testEnvironment.namespace);
  testEnvironment.removeLater(webhook);
  const hook = {
    ...webhook,
    webhooks: [
      {
        name: 'policy.example.com',
        clientConfig: { url: 'https://127.0.0.1:9/' },
        rules: [{ operations: ['UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
        objectSelector: { matchLabels: labels },
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Fail',
      },
    ],
  };
  const project = testEnvironment.program({ main: [own(hook), own(config({ a: '1' }))] });
  const report = await project.deploy();
  expect(report.exitCode, String(report)).toBe(0);
  const asked = await project.run(['diff', '-o', 'json']);
  expect(asked.events[1]).toMatchObject({ kind: 'ConfigMap', source: 'server', action: 'blocked' });
  const { events, exitCode, stdout } = await project.run(['diff', '-o', 'json', '--read-only']);
  expect(exitCode, stdout).toBe(0);
  expect(eventsOf(events, 'plan').map(({ kind, action, source }) => [kind, action, source])).toEqual([
    ['ValidatingWebhookConfiguration', 'unchanged', 'schema'],
    ['ConfigMap', 'unchanged', 'schema'],
  ]);
  await testEnvironment.cluster.remove(webhook);
});

test('several stacks on one object get the same plan from the server, from the schema and offline', async () => {
  const shared = (data: object) => share(config(data, 'several'), { ifAbsent: 'fail' });
  const stacks = (value: string) => ({
    one: [own(config({ a: value, all: 'x' }, 'several'))],
    two: [shared({ b: value, all: 'x' })],
    three: [shared({ c: value })],
    four: [shared({ d: '1' })],
  });
  const project = testEnvironment.program(stacks('1'));
  const report = await project.deploy();
  expect(report.exitCode, String(report)).toBe(0);
  // The fourth stack drops its share, the third its field; the others change theirs.
  project.write({ 'main.ts': testEnvironment.text({ ...stacks('2'), three: [shared({ e: '1' })], four: [] }) });
  const told = async (...flags: readonly string[]) => {
    const { events, exitCode, stdout } = await project.run(['diff', '-o', 'json', ...flags]);
    expect(exitCode, stdout).toBe(0);
    // Owners are in the order of their times, which are whole seconds: that of a dry run may be the next one.
    const inOrder = ({ owners = [], ...field }: ResponseBody) => ({
      ...field,
      owners: owners.map((owner: ResponseBody) => JSON.stringify(owner)).sort(),
    });
    return eventsOf(events, 'plan').map(({ stack, action, fields, adopts }) => ({ stack, action, fields: fields.map(inOrder), adopts }));
  };
  const server = await told();
  expect(server.map(({ stack, action }) => [stack, action])).toEqual([
    ['one', 'update'],
    ['two', 'update'],
    ['three', 'update'],
    ['four', 'release'],
  ]);
  expect(await told('--read-only')).toEqual(server);
  expect((await project.run(['snapshot'])).exitCode).toBe(0);
  expect(await told('--offline')).toEqual(server);
});
