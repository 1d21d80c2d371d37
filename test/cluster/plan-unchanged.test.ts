import { expect, test } from 'vitest';
import type { PlannedField } from '../../src/engine/report/plan-types.js';
import { crdOf } from '../harness/crd.js';
import { eventsOf } from '../harness/events.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('plan-unchanged');

const labels = { app: 'web' };
const container = { name: 'web', image: 'nginx:1', volumeMounts: [{ name: 'data', mountPath: '/data', readOnly: false }] };
const template = (more: object) => ({ metadata: { labels }, spec: { hostNetwork: false, containers: [container], ...more } });
const metadata = (name: string) => ({ name, namespace: testEnvironment.namespace });
const volumes = [{ name: 'data', emptyDir: {} }];

const crd = crdOf(`${testEnvironment.namespace}.example.com`, 'Meter', {
  spec: { type: 'object', properties: { limit: { type: 'integer', format: 'int64', maximum: 9223372036854775000 } } },
});

/** Objects whose stored form holds more or less than what was written, by the cause. */
const objects: readonly (readonly [string, object])[] = [
  [
    'zeros that the server does not store',
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: metadata('zeros'),
      spec: {
        paused: false,
        minReadySeconds: 0,
        selector: { matchLabels: labels },
        template: template({
          volumes,
          hostPID: false,
          containers: [{ ...container, resources: { limits: {}, requests: {} }, tty: false }],
        }),
      },
    },
  ],
  [
    'claims of a StatefulSet',
    {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: metadata('claims'),
      spec: {
        serviceName: 'claims',
        selector: { matchLabels: labels },
        template: template({}),
        volumeClaimTemplates: [
          { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
        ],
      },
    },
  ],
  [
    'a CronJob without the network of its host',
    {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: metadata('nightly'),
      spec: { schedule: '0 3 * * *', jobTemplate: { spec: { template: template({ volumes, restartPolicy: 'Never' }) } } },
    },
  ],
  ['a Role without rules', { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: metadata('nothing'), rules: [] }],
  ['a bound beyond 2^53 in a CustomResourceDefinition', crd],
  [
    'an object of such a kind',
    { apiVersion: `${testEnvironment.namespace}.example.com/v1`, kind: 'Meter', metadata: metadata('main'), spec: { limit: 0 } },
  ],
];

const unchanged = ['CronJob', 'CustomResourceDefinition', 'Deployment', 'Meter', 'Role', 'StatefulSet'].map((kind) => [
  kind,
  'unchanged',
  [],
]);

test('what was just deployed is unchanged, whoever plans it', async () => {
  testEnvironment.removeLater({ apiVersion: crd.apiVersion, kind: crd.kind, metadata: crd.metadata } as never);
  const project = testEnvironment.program({ main: objects.map(([, object]) => own(object)) });
  const report = await project.deploy(['--no-wait']);
  expect(report.exitCode, String(report)).toBe(0);
  const snapshot = await project.run(['snapshot']);
  expect(snapshot.exitCode, snapshot.stderr).toBe(0);
  for (const flags of [[], ['--read-only'], ['--offline']]) {
    const { events, exitCode, stderr } = await project.run(['diff', '-o', 'json', ...flags]);
    expect(exitCode, stderr).toBe(0);
    const plans = eventsOf(events, 'plan');
    const changed = plans.map(({ kind, action, fields }) => [kind, action, fields.filter(({ change }: PlannedField) => change !== 'same')]);
    expect(
      changed.sort(([one], [other]) => (one! < other! ? -1 : 1)),
      flags.join(),
    ).toEqual(unchanged);
  }
});
