import { expect, test } from 'vitest';
import { Ground } from '../harness/ground.js';

const ground = await Ground.fresh('large');
const deployments = 500;
const variables = 100;

/** One line makes them all: a program of 500 literals takes longer to read than to run. */
const program = (count: number, value: string) => `
import { App, Stack } from 'fieldwise';
const app = new App();
const stack = new Stack(app, 'main');
for (let index = 0; index < ${count}; index++) {
  const labels = { app: 'web-' + index };
  const env = Array.from({ length: ${variables} }, (_, number) => ({ name: 'V' + ((number * 7919) % 10007) + '_OF_A_NAME_AS_LONG_AS_THEY_ARE', value: '${value}' }));
  stack.own({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web-' + index },
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'web:1', env }] } },
    },
  });
}
`;

test(`${deployments} Deployments with ${variables} environment variables each: deployed, unchanged, changed, pruned and destroyed`, async () => {
  const project = ground.project({ 'fieldwise.yaml': 'app: main.ts\n', 'main.ts': program(deployments, 'a') });
  const shards = async () => {
    const all = await ground.cluster.list('v1', 'ConfigMap', ground.namespace);
    return all.filter(({ metadata }) => metadata.labels?.['fieldwise.dev/inventory']);
  };
  const first = await project.deploy();
  expect(first.exitCode, first.stderr).toBe(0);
  expect(first.summary.counts).toEqual({ created: deployments });
  const written = await shards();
  expect(written.length).toBeGreaterThan(1);
  for (const { data } of written) expect(Buffer.byteLength(data.entries)).toBeLessThan(800 * 1024);

  const again = await project.deploy();
  expect(again.summary.counts).toEqual({ unchanged: deployments });
  const versions = (found: Awaited<ReturnType<typeof shards>>) => found.map(({ metadata }) => metadata.resourceVersion);
  expect(versions(await shards())).toEqual(versions(written));

  project.write({ 'main.ts': program(10, 'b') });
  const fewer = await project.deploy(['--yes']);
  expect(fewer.exitCode, fewer.stderr).toBe(0);
  expect(fewer.summary.counts).toEqual({ updated: 10, deleted: deployments - 10 });
  expect(await shards()).toHaveLength(1);

  expect((await project.destroy()).summary.counts).toEqual({ deleted: 10 });
  expect(await shards()).toEqual([]);
}, 300_000);
