import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { poll } from '../harness/poll.js';
import { type ProjectRunOptions, Report } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('review-apps');

// The example with an API group of its own, because CustomResourceDefinitions are cluster-wide.
const group = `${testEnvironment.namespace}.example.com`;
const project = testEnvironment.example('review-apps', (text) =>
  text.replaceAll('edge.example.com', group).replaceAll(/^name: shop\n|^namespace: .*\n/gm, ''),
);
const gateway = testEnvironment.ref(`${group}/v1`, 'SharedGateway', 'public');

beforeAll(async () => {
  await testEnvironment.crd(parse(project.read('crd.yaml')));
  const imported = await project.run(['import', 'crd.yaml', '--outdir', 'imports']);
  expect(imported).toMatchObject({ exitCode: 0 });
});

// Several programs at once need a directory each for their assemblies.
const deploy = async (review: number, weight = 100, options: ProjectRunOptions = {}) =>
  new Report(
    await project.run(['deploy', '-o', 'json', '-c', `review=${review}`, '-c', `weight=${weight}`, '--outdir', `dist/${review}`], {
      in: 'review',
      ...options,
    }),
  );
const destroy = async (review: number) =>
  new Report(
    await project.run(['destroy', '-o', 'json', '--yes', '-c', `review=${review}`, '--outdir', `dist/${review}`], { in: 'review' }),
  );
const deployGateway = async () => new Report(await project.run(['deploy', '-o', 'json'], { in: 'gateway' }));
const destroyGateway = async () => new Report(await project.run(['destroy', '-o', 'json', '--yes'], { in: 'gateway' }));

/** Weights of the reviews that route through the gateway, by name. */
async function routed(): Promise<Record<string, number>> {
  const { spec } = await testEnvironment.cluster.get(gateway);
  const services = spec.listeners.find(({ port }: { port: number }) => port === 443).services ?? [];
  return Object.fromEntries(services.map(({ name, weight }: { name: string; weight: number }) => [name, weight]));
}

/** Stacks that own something of the gateway. */
async function owningStacks(): Promise<string[]> {
  return Object.keys(await testEnvironment.cluster.owners(gateway))
    .map((manager) => manager.split('/').at(-1)!)
    .sort();
}

const asDeclared = {
  class: 'nginx',
  listeners: [
    { port: 80, protocol: 'HTTP' },
    { port: 443, protocol: 'HTTPS' },
  ],
};

describe('three programs, deployed, changed and destroyed in any order', () => {
  test.each([
    { deployed: [1, 2, 3], destroyed: [1, 2, 3] },
    { deployed: [3, 1, 2], destroyed: [2, 3, 1] },
    { deployed: [2, 3, 1], destroyed: [3, 2, 1] },
  ])('$deployed, then $destroyed', async ({ deployed, destroyed }) => {
    expect((await deployGateway()).results).toEqual({ [`SharedGateway ${testEnvironment.namespace}/public`]: 'created' });
    const expected: Record<string, number> = {};

    for (const review of deployed) {
      const report = await deploy(review);
      expect(report.exitCode, String(report)).toBe(0);
      expect(report.objects.map(({ stack, forcedConflicts }) => [stack, forcedConflicts])).toEqual([[`review-${review}`, []]]);
      expected[`review-${review}`] = 100;
      expect(await routed()).toEqual(expected);
    }
    expect(await owningStacks()).toEqual(['gateway', 'review-1', 'review-2', 'review-3']);

    for (const review of deployed) {
      expect((await deploy(review, review)).exitCode).toBe(0);
      expected[`review-${review}`] = review;
      expect(await routed()).toEqual(expected);
    }

    // The owner's own deploy neither sees nor touches the entries of others.
    expect((await deployGateway()).only().forcedConflicts).toEqual([]);
    expect(await routed()).toEqual(expected);

    for (const review of destroyed) {
      const report = await destroy(review);
      expect(report.objects.map(({ stack, result }) => [stack, result])).toEqual([[`review-${review}`, 'released']]);
      delete expected[`review-${review}`];
      expect(await routed()).toEqual(expected);
      expect(await owningStacks()).toEqual(['gateway', ...Object.keys(expected)].sort());
    }
    expect((await testEnvironment.cluster.get(gateway)).spec).toEqual(asDeclared);

    expect((await destroyGateway()).only().result).toBe('deleted');
    expect(await testEnvironment.cluster.find(gateway)).toBeUndefined();
  });
});

test('all at once, the gateway last: shares wait for the object they join', async () => {
  const proxies = await Promise.all([4, 5, 6].map(() => testEnvironment.proxy()));
  const reviews = [4, 5, 6].map((review, index) => deploy(review, 100, { kubeconfig: proxies[index]?.kubeconfig, asProcess: true }));
  const looks = () => proxies.map((proxy) => proxy.requestsFor('public').length);
  await poll('each review has looked for the gateway three times', () => looks().every((times) => times > 2));
  expect(await testEnvironment.cluster.find(gateway)).toBeUndefined();
  const [owner, ...sharers] = await Promise.all([deployGateway(), ...reviews]);
  expect(owner.only().result).toBe('created');
  for (const report of sharers) expect(report.exitCode, String(report)).toBe(0);
  expect(await routed()).toEqual({ 'review-4': 100, 'review-5': 100, 'review-6': 100 });

  await Promise.all([4, 5, 6].map((review) => destroy(review)));
  expect((await testEnvironment.cluster.get(gateway)).spec).toEqual(asDeclared);
  await destroyGateway();
});

test('destroying a review that is gone already harms nobody', async () => {
  await deployGateway();
  await deploy(7);
  await destroy(7);
  const before = await testEnvironment.cluster.resourceVersion(gateway);
  expect((await destroy(7)).exitCode).toBe(0);
  expect(await testEnvironment.cluster.resourceVersion(gateway)).toBe(before);
  await destroyGateway();
});

describe('a gateway whose lists are atomic', () => {
  const atomicGroup = `atomic.${group}`;
  const program = (stack: string, service: string) => `import { App, Stack } from 'fieldwise';
import { sharedGateway, sharedGatewaySpec } from './imports/${atomicGroup}/v1.js';
const app = new App();
new Stack(app, '${stack}').share(
  sharedGateway('public').withSpec(sharedGatewaySpec().withListeners([{ port: 443, protocol: 'HTTP', services: [{ name: '${service}' }] }])),
  { ifAbsent: 'create' },
);
`;

  test('says that one list replaces another, and which schema change cures it', async () => {
    const text = project
      .read('crd.yaml')
      .replaceAll(group, atomicGroup)
      .replaceAll(/^ *x-kubernetes-list-.*\n/gm, '');
    const atomic = testEnvironment.project({ 'fieldwise.yaml': 'app: main.ts\n', 'main.ts': program('review-1', 'one'), 'crd.yaml': text });
    await testEnvironment.crd(parse(text));
    const imported = await atomic.run(['import', 'crd.yaml', '--outdir', 'imports']);
    expect(imported.exitCode, imported.stderr).toBe(0);

    const synth = await atomic.run(['synth']);
    expect(synth.exitCode, synth.stderr).toBe(0);
    expect(synth.stderr).toMatch(/\.spec\.listeners.*atomic.*replaces the whole list/s);
    expect(synth.stderr).toMatch(/Fieldwise knows none for certain: port is required, but nothing says that it is unique/);
    expect((await atomic.deploy()).only().result).toBe('created');

    atomic.write({ 'main.ts': program('review-2', 'two') });
    const second = await atomic.run(['deploy', '--yes']);
    expect(second.exitCode, second.stderr).toBe(0);
    expect(second.stdout).toMatch(/forced\s+\.spec\.listeners.*"one".*review-1/);
    expect(second.stdout).toMatch(/x-kubernetes-list-type: map/);
  });
});
