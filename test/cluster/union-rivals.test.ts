import { describe, expect, test } from 'vitest';
import type { ProxiedRequest } from '../harness/interception-proxy.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('rivals');

const deployment = (name: string, strategy?: object) => ({
  ...testEnvironment.ref('apps/v1', 'Deployment', name),
  spec: {
    ...(strategy ? { strategy } : {}),
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'app', image: 'registry.example.com/app:1' }] } },
  },
});

/** Requests after the server has refused the intent, in their order; locks and inventories aside. */
const moments = [
  { moment: 'the look at the refused object', n: 1 },
  { moment: 'the look for its defaults', n: 2 },
  { moment: 'the claim', n: 3 },
  { moment: 'the end of the other part', n: 4 },
  { moment: 'the intent', n: 5 },
];

const rivals = {
  'a person who updates': (name: string, value: number | string) =>
    testEnvironment.cluster.patch('person', deployment(name), { spec: { strategy: { rollingUpdate: { maxSurge: value } } } }),
  'an applier by force': (name: string, value: number | string) => {
    const { apiVersion, kind, metadata } = deployment(name);
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: value } };
    return testEnvironment.cluster.apply('applier', { apiVersion, kind, metadata, spec: { strategy } }, { force: true });
  },
};

/** Deploys `type: Recreate` onto an object with the default, while somebody else writes before chosen requests of the run. */
async function deployWhile(name: string, write: (nth: number) => Promise<unknown> | undefined) {
  await testEnvironment.cluster.create('script', deployment(name));
  const project = testEnvironment.program({ main: [own(deployment(name))] });
  expect((await project.deploy(['--yes'])).exitCode).toBe(0);
  project.write({ 'main.ts': testEnvironment.text({ main: [own(deployment(name, { type: 'Recreate' }))] }) });
  const proxy = await testEnvironment.proxy();
  let refused = false;
  let requests = 0;
  const isAbout = ({ path, query }: ProxiedRequest) => path.includes('/deployments') && (path.endsWith(`/${name}`) || query.has('dryRun'));
  proxy.onResponse = ({ method, path, query }, { status }) => {
    if (method === 'PATCH' && path.endsWith(`/${name}`) && !query.has('dryRun') && status === 422) refused = true;
  };
  proxy.onRequest = async (request) => {
    if (refused && isAbout(request)) await write(++requests);
    return undefined;
  };
  const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
  return { report, live: await testEnvironment.cluster.get(deployment(name)), requests };
}

describe('a rival writes what stands in the way, before', () => {
  test.each(Object.keys(rivals).flatMap((rival) => moments.map((at) => ({ rival, ...at }))))('$moment: $rival', async ({ rival, n }) => {
    const name = `${rival.startsWith('a person') ? 'updates' : 'applies'}-${n}`;
    let wrote = false;
    const { report, live } = await deployWhile(name, (nth) => {
      if (nth !== n) return undefined;
      wrote = true;
      return rivals[rival as keyof typeof rivals](name, 3);
    });
    expect(wrote).toBe(true);
    expect(report.only(), String(report)).toMatchObject({
      result: 'failed',
      error: {
        code: 'union-member-owned',
        message: expect.stringContaining('.spec.strategy.rollingUpdate of'),
        next: expect.stringContaining('--yes'),
      },
    });
    expect(live.spec.strategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxSurge: 3, maxUnavailable: '25%' } });
    const owners = await testEnvironment.cluster.owners(live);
    const theirs = rival.startsWith('a person') ? owners['person (Update)'] : owners.applier;
    expect(theirs).toContain('.spec.strategy.rollingUpdate.maxSurge');
  });

  test.each(Object.keys(rivals))('every request: %s', async (rival) => {
    const name = rival.startsWith('a person') ? 'updates-always' : 'applies-always';
    let value = 3;
    const { report, live, requests } = await deployWhile(name, () => rivals[rival as keyof typeof rivals](name, ++value));
    expect(report.only(), String(report)).toMatchObject({
      result: 'failed',
      error: { code: 'union-member-owned', next: expect.any(String) },
    });
    expect(live.spec.strategy.rollingUpdate.maxSurge).toBe(value);
    expect(requests).toBeLessThan(60);
  });
});

test.each(moments)('what a rival writes elsewhere before $moment does no harm', async ({ n }) => {
  const name = `elsewhere-${n}`;
  const { report, live } = await deployWhile(name, (nth) =>
    nth === n ? testEnvironment.cluster.patch('person', deployment(name), { metadata: { labels: { theirs: 'yes' } } }) : undefined,
  );
  expect(report.only(), String(report)).toMatchObject({
    result: 'updated',
    forcedConflicts: [{ field: '.spec.strategy.type', from: 'script' }],
  });
  expect(live.spec.strategy).toEqual({ type: 'Recreate' });
  expect(live.metadata.labels).toEqual({ theirs: 'yes' });
});

test('a rival who writes elsewhere before every request: it ends, with what to do', async () => {
  let count = 0;
  const { report, live } = await deployWhile('elsewhere-always', () =>
    testEnvironment.cluster.patch('person', deployment('elsewhere-always'), { metadata: { labels: { theirs: String(++count) } } }),
  );
  expect(report.only(), String(report)).toMatchObject({ result: 'failed', error: { code: 'apply-contended', next: expect.any(String) } });
  expect(live.spec.strategy.type).toBe('RollingUpdate');
});

test.each(moments)('a rival who chooses the same before $moment: both are content', async ({ n }) => {
  const name = `same-${n}`;
  const { report, live } = await deployWhile(name, (nth) =>
    nth === n
      ? testEnvironment.cluster.patch('person', deployment(name), { spec: { strategy: { type: 'Recreate', rollingUpdate: null } } })
      : undefined,
  );
  expect(report.only().result, String(report)).toBe('updated');
  expect(live.spec.strategy).toEqual({ type: 'Recreate' });
});
