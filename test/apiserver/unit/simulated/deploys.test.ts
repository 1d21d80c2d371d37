import { describe, expect, test } from 'vitest';
import { App, Stack } from '../../../../src/entry/index.js';
import { type TestCluster, testCluster } from '../../../../src/testing/index.js';
import type { JsonObject } from '../../../../src/util/json.js';

const probe = { httpGet: { path: '/ready', port: 8080 } };

const template = (how: string | undefined, spec: JsonObject = {}) => ({
  metadata: { labels: { app: 'web' }, ...(how === undefined ? {} : { annotations: { 'fieldwise.dev/simulate': how } }) },
  spec: { containers: [{ name: 'web', image: 'web:1', readinessProbe: probe }], ...spec },
});

const workloads = (how?: string): readonly JsonObject[] => [
  { apiVersion: 'apps/v1', kind: 'Deployment', spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template: template(how) } },
  {
    ...{ apiVersion: 'apps/v1', kind: 'StatefulSet' },
    spec: { replicas: 2, serviceName: 'web', selector: { matchLabels: { app: 'web' } }, template: template(how) },
  },
  { apiVersion: 'apps/v1', kind: 'DaemonSet', spec: { selector: { matchLabels: { app: 'web' } }, template: template(how) } },
  { apiVersion: 'batch/v1', kind: 'Job', spec: { backoffLimit: 1, template: template(how, { restartPolicy: 'Never' }) } },
];

function appOf(objects: readonly JsonObject[], options?: Parameters<Stack['own']>[1]): App {
  const app = new App({ name: 'shop' });
  const stack = new Stack(app, 'web', { namespace: 'shop' });
  for (const object of objects) stack.own({ ...object, metadata: { name: String(object.kind).toLowerCase() } } as never, options);
  return app;
}

const simulated = (): Promise<TestCluster> => testCluster({ controllers: 'simulated', namespaces: ['shop'], podReadySeconds: 0.05 });

describe('a deploy waits for simulated workloads', () => {
  test('that become ready', async () => {
    await using cluster = await simulated();
    const report = await cluster.deploy(appOf(workloads()));
    expect(report).toMatchObject({ summary: { ok: true } });
    expect(report.objects.map(({ readiness }) => readiness?.state)).toEqual(['current', 'current', 'current', 'current']);
    expect(await cluster.destroy(appOf(workloads()))).toMatchObject({ summary: { ok: true } });
    expect((await cluster.handle({ method: 'GET', path: '/api/v1/namespaces/shop/pods' })).body).toMatchObject({ items: [] });
  });

  test.each([
    [
      'crash-loop',
      { seconds: 60 },
      /container web ends with exit code 1, \d+ restarts|container web of Pod job-\S+ has ended with exit code 1/,
    ],
    ['image-pull', { seconds: 60 }, /container web cannot pull its image web:1: .*not found/],
    ['unschedulable', { seconds: 60, unschedulableSeconds: 1 }, /no node accepts Pod \S+: 0\/1 nodes are available/],
    // A readiness probe must fail for minutes until the cause is certain.
    ['never-ready', { seconds: 6 }, /container web does not pass its readiness probe: .*503/],
  ] as const)('that fail, with the cause: %s', async (how, wait, cause) => {
    await using cluster = await simulated();
    const report = await cluster.deploy(appOf(workloads(how), { wait }), { failFast: true });
    expect(report.summary.ok).toBe(false);
    for (const { kind, readiness } of report.objects) expect.soft(readiness?.cause?.message, kind).toMatch(cause);
    expect(report.objects).toHaveLength(4);
  });

  test('that fail a readiness probe that they do not have, with the container and the reason', async () => {
    await using cluster = await simulated();
    const [deployment] = workloads('never-ready') as [JsonObject];
    const containers = [{ name: 'web', image: 'web:1' }];
    const spec = { ...(deployment.spec as JsonObject), template: template('never-ready', { containers }) };
    const report = await cluster.deploy(appOf([{ ...deployment, spec }], { wait: { seconds: 6 } }));
    expect(report.objects[0]?.readiness).toMatchObject({
      state: 'in-progress',
      cause: {
        ...{ cause: 'probe', certain: false, container: 'web', object: expect.stringMatching(/^Pod shop\/deployment-/) },
        message: 'container web runs and is not ready: Readiness probe failed: fieldwise.dev/simulate: never-ready',
      },
      notLookedAt: ['logs in namespace shop: simulated containers have no logs and run no commands'],
    });
  });
});
