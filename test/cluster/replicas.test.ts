import { expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { eventsOf } from '../harness/events.js';
import { type Declared, own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';
import { watchObject } from '../harness/watch.js';

const testEnvironment = await TestEnvironment.create('replicas');

const deployment = (name: string, replicas?: number) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    ...(replicas === undefined ? {} : { replicas }),
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'web', image: 'a:1' }] } },
  },
});

/** Acts as an autoscaler: it updates the scale subresource, here twice, so that it owns the replicas as soon as it changed them. */
const autoscale = (object: ReturnType<TestEnvironment['ref']>, replicas: number) =>
  testEnvironment.cluster.patch('autoscaler', object, { spec: { replicas } }, 'merge', 'scale');

/** Deploys, lets the autoscaler scale at two moments, and returns every value that a watch saw. */
async function handedOver(name: string, policy: object | undefined) {
  const at = testEnvironment.ref('apps/v1', 'Deployment', name);
  const program = (...declared: Declared[]) => ({ main: declared });
  const project = testEnvironment.program(program(own(deployment(name, 3), policy)));
  expect((await project.deploy()).exitCode).toBe(0);
  const watched = await watchObject(testEnvironment.cluster, at);
  await autoscale(at, 5);
  const yielded = await project.deploy();
  expect(yielded.exitCode, String(yielded)).toBe(0);
  const owned = await testEnvironment.cluster.owners(at);
  project.write({ 'main.ts': testEnvironment.text(program(own(deployment(name)))) });
  const dropped = await project.deploy();
  expect(dropped.exitCode, String(dropped)).toBe(0);
  await autoscale(at, 6);
  await watched.until(({ object }) => object.spec.replicas === 6);
  watched.stop();
  const values = watched.events.map(({ object }: ResponseBody) => object.spec.replicas);
  return { values, owned, owners: await testEnvironment.cluster.owners(at), manager: project.manager('main') };
}

test('policy yield, then dropped: the autoscaler owns the replicas, which are never the default of 1', async () => {
  const { values, owned, owners, manager } = await handedOver('yielded', { fields: { 'spec.replicas': { conflicts: 'yield' } } });
  expect(owned['autoscaler (Update, scale)']).toEqual(['.spec.replicas']);
  expect(owned[manager]).not.toContain('.spec.replicas');
  expect(owners['autoscaler (Update, scale)']).toEqual(['.spec.replicas']);
  expect(owners[manager]).not.toContain('.spec.replicas');
  expect([...new Set(values)]).toEqual([3, 5, 6]);
});

test('dropped before the autoscaler has written, it would be 1: the plan says so', async () => {
  const project = testEnvironment.program({ main: [own(deployment('early', 3))] });
  await project.deploy();
  project.write({ 'main.ts': testEnvironment.text({ main: [own(deployment('early'))] }) });
  const { events } = await project.run(['diff', '-o', 'json']);
  const plan = eventsOf(events, 'plan')[0];
  const field = plan?.fields.find((one) => one.field === '.spec.replicas');
  expect(field).toMatchObject({ change: 'defaulted', oldValue: 3, newValue: 1 });
});
