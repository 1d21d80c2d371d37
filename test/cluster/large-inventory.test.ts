import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('large');

/** Few objects of many list items need several shards as well as many objects do; `npm run campaign -- large-inventory` has 20,000. */
const [deployments = 0, variables = 0] = (process.env.LARGE_INVENTORY || '40x1100').split('x').map(Number);
const kept = Math.min(2, deployments);
const seconds = Math.max(240, deployments / 2);

/** One line makes them all: a program of as many literals takes longer to read than to run. */
const program = (count: number, value: string) => `
import { createHash } from 'node:crypto';
import { App, Stack } from 'fieldwise';
const nameOf = (number) => 'V' + createHash('sha256').update(String(number)).digest('hex').slice(0, 40);
const app = new App();
const stack = new Stack(app, 'main');
for (let index = 0; index < ${count}; index++) {
  const labels = { app: 'web-' + index };
  const env = Array.from({ length: ${variables} }, (_, number) => ({ name: nameOf(number), value: '${value}' }));
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

test(
  `${deployments} Deployments with ${variables} environment variables each: deployed, unchanged, changed, pruned and destroyed`,
  async () => {
    const project = testEnvironment.project({ 'fieldwise.yaml': 'app: main.ts\n', 'main.ts': program(deployments, 'a') });
    const shards = async () => {
      const all = await testEnvironment.cluster.list('v1', 'ConfigMap', testEnvironment.namespace);
      return all.filter(({ metadata }) => metadata.labels?.['fieldwise.dev/inventory']);
    };
    const first = await project.deploy();
    expect(first.exitCode, String(first)).toBe(0);
    expect(first.summary.counts).toEqual({ created: deployments });
    const written = await shards();
    expect(written.length).toBeGreaterThan(1);
    const stored = written.map(({ binaryData }) => Buffer.from(binaryData.entries, 'base64'));
    const size = stored.reduce((sum, packed) => sum + gunzipSync(packed).length, 0);
    expect(size).toBeGreaterThan(1024 * 1024); // more than one ConfigMap may hold as text
    for (const packed of stored) expect(packed.length).toBeLessThan(800 * 1024);

    // The first unchanged deploy notes what it has seen, the next one writes nothing.
    const versions = (found: Awaited<ReturnType<typeof shards>>) => found.map(({ metadata }) => metadata.resourceVersion);
    expect((await project.deploy()).summary.counts).toEqual({ unchanged: deployments });
    const noted = versions(await shards());
    expect((await project.deploy()).summary.counts).toEqual({ unchanged: deployments });
    expect(versions(await shards())).toEqual(noted);

    project.write({ 'main.ts': program(kept, 'b') });
    const fewer = await project.deploy(['--yes']);
    expect(fewer.exitCode, fewer.stderr).toBe(0);
    expect(fewer.summary.counts).toEqual({ updated: kept, deleted: deployments - kept });
    expect(await shards()).toHaveLength(1);

    expect((await project.destroy()).summary.counts).toEqual({ deleted: kept });
    expect(await shards()).toEqual([]);
  },
  seconds * 1_000,
);
