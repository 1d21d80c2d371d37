import { expect, test } from 'vitest';
import type { ResponseBody } from '../../harness/api-client.js';
import { TestEnvironment } from '../../harness/test-environment.js';

/** Defaults that depend on what others say beside them. */
const testEnvironment = await TestEnvironment.create('dependent-defaults');
const { cluster, namespace } = testEnvironment;

const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'x' }] } };
const workload = { selector: { matchLabels: { a: 'b' } }, template };
const rolling = (parameters: object) => ({ type: 'RollingUpdate', rollingUpdate: parameters });
const job = { template: { spec: { ...template.spec, restartPolicy: 'Never' } } };
const scaled = { maxReplicas: 2, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' } };
const ports = [{ port: 80 }];
const cpu = [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }];

type Case = readonly [apiVersion: string, kind: string, usual: object, path: string, given: unknown, expected: unknown];

const strategies = (kind: string, path: string, usual: object, named: object, whole: object): readonly Case[] => {
  const [parameter, value] = Object.entries(whole)[0] as [string, unknown];
  const other = typeof value === 'number' ? value + 1 : '50%';
  const cases: readonly (readonly [unknown, unknown])[] = [
    [undefined, rolling(whole)],
    [{}, rolling(whole)],
    [{ type: '' }, rolling(whole)],
    [{ rollingUpdate: {} }, rolling(whole)],
    [{ type: 'RollingUpdate' }, { type: 'RollingUpdate', ...named }],
    [
      { type: 'RollingUpdate', rollingUpdate: null },
      { type: 'RollingUpdate', ...named },
    ],
    [rolling({}), rolling(whole)],
    [rolling({ [parameter]: null }), rolling(whole)],
    [rolling({ [parameter]: other }), rolling({ ...whole, [parameter]: other })],
  ];
  return cases.map(([given, expected]) => ['apps/v1', kind, usual, path, given, expected]);
};

const deployment = { maxUnavailable: '25%', maxSurge: '25%' };
const daemons = { maxUnavailable: 1, maxSurge: 0 };

test.each<Case>([
  ...strategies('Deployment', 'strategy', workload, { rollingUpdate: deployment }, deployment),
  ...strategies('DaemonSet', 'updateStrategy', workload, { rollingUpdate: daemons }, daemons),
  // A StatefulSet that names its strategy gets no parameters.
  ...strategies('StatefulSet', 'updateStrategy', { ...workload, serviceName: 'x' }, {}, { partition: 0 }),
  ['apps/v1', 'Deployment', workload, 'strategy', { type: 'Recreate' }, { type: 'Recreate' }],
  ['apps/v1', 'StatefulSet', { ...workload, serviceName: 'x' }, 'updateStrategy', { type: 'OnDelete' }, { type: 'OnDelete' }],
  ['batch/v1', 'Job', { ...job, completions: 2 }, 'parallelism', undefined, 1],
  ['batch/v1', 'Job', { ...job, parallelism: 2 }, 'completions', undefined, undefined],
  [
    'batch/v1',
    'Job',
    { ...job, completionMode: 'Indexed', completions: 1, backoffLimitPerIndex: 1 },
    'backoffLimit',
    undefined,
    2147483647,
  ],
  ['autoscaling/v2', 'HorizontalPodAutoscaler', scaled, 'metrics', undefined, cpu],
  ['autoscaling/v2', 'HorizontalPodAutoscaler', scaled, 'metrics', [], cpu],
  ['networking.k8s.io/v1', 'NetworkPolicy', { podSelector: {}, egress: [] }, 'policyTypes', undefined, ['Ingress']],
  ['networking.k8s.io/v1', 'NetworkPolicy', { podSelector: {}, egress: [{}] }, 'policyTypes', [], ['Ingress', 'Egress']],
  ['v1', 'Service', { ports, sessionAffinity: 'ClientIP' }, 'sessionAffinityConfig', {}, { clientIP: { timeoutSeconds: 10800 } }],
  [
    'v1',
    'Service',
    { ports, sessionAffinity: 'ClientIP' },
    'sessionAffinityConfig',
    { clientIP: {} },
    { clientIP: { timeoutSeconds: 10800 } },
  ],
  ['v1', 'Service', { ports }, 'sessionAffinityConfig', { clientIP: { timeoutSeconds: 5 } }, undefined],
  ['v1', 'Service', { ports, externalIPs: ['192.0.2.1'] }, 'externalTrafficPolicy', undefined, 'Cluster'],
  ['v1', 'Service', { externalName: 'a.b', type: 'ExternalName' }, 'internalTrafficPolicy', undefined, undefined],
])('%s %s with %j: %s %j becomes %j', async (apiVersion, kind, usual, path, given, expected) => {
  const spec = { ...usual, ...(given === undefined ? {} : { [path]: given }) };
  const named = (name: string) => ({ apiVersion, kind, metadata: { name, namespace }, spec });
  const shown = ({ spec }: ResponseBody) => spec[path];
  const created = await cluster.create('test', named('created'));
  const applied = await cluster.apply('test', named('applied'));
  for (const object of [created, applied]) await cluster.remove(object as never);
  expect([shown(created), shown(applied)]).toEqual([expected, expected]);
});
