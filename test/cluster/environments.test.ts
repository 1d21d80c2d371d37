import { expect, test } from 'vitest';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import { eventsOf } from '../harness/events.js';
import type { ProxiedRequest } from '../harness/interception-proxy.js';
import { own } from '../harness/program-text.js';
import { noTerminal } from '../harness/terminal.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('environments');
const { config } = configMapHelpers(testEnvironment);
const { metadata } = await testEnvironment.cluster.get({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system' } });
const uid: string = metadata.uid;
const other = '00000000-0000-0000-0000-000000000000';

const main = `
import { App, Stack } from 'fieldwise';
const app = new App();
const name = app.node.tryGetContext('name') ?? app.instance;
new Stack(app, 'main').own({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { environment: process.env.FIELDWISE_ENV ?? 'none' } });
`;
const project = (environments: string) =>
  testEnvironment.project({ 'fieldwise.yaml': `app: main.ts\nenvironments:\n${environments}`, 'main.ts': main });

test('deploys the environment that is chosen, and says which and where', async () => {
  const shop = project('  staging: { context: { name: one } }\n  prod: { instance: live }\n');
  const staging = await shop.run(['deploy', '-e', 'staging']);
  expect(staging.exitCode, staging.stderr).toBe(0);
  expect(staging.stdout).toMatch(/^deploy \S+ \(staging\): main on https:\/\/\S+ \(environment staging, context \S+\)\n/);
  expect(staging.stdout).toContain(`created   ConfigMap ${testEnvironment.namespace}/one`);

  const prod = await shop.deploy([], { environment: { FIELDWISE_ENV: 'prod' } });
  expect(eventsOf(prod.result.events, 'started')).toEqual([expect.objectContaining({ environment: 'prod', instance: 'live' })]);
  expect(prod.results).toEqual({ [`ConfigMap ${testEnvironment.namespace}/live`]: 'created' });
  expect((await testEnvironment.cluster.get(testEnvironment.ref('v1', 'ConfigMap', 'live'))).data).toEqual({ environment: 'prod' });
  expect(shop.files('dist').filter((file) => file.endsWith('manifest.json'))).toEqual(['prod/manifest.json', 'staging/manifest.json']);

  const none = await shop.run(['deploy']);
  expect([none.exitCode, none.stderr]).toEqual([2, expect.stringContaining('Choose one of staging, prod')]);
  const destroyed = await shop.run(['destroy', '--yes', '-e', 'prod']);
  expect(destroyed.stdout).toMatch(/^destroy \S+ \(live\): .*\(environment prod, context \S+\)/);
});

if (noTerminal !== undefined) console.log(`skipped, the question of an adoption: ${noTerminal}`);
test.skipIf(noTerminal !== undefined)('the question of an adoption says where owners would change', async () => {
  await testEnvironment.cluster.apply('them', { ...testEnvironment.ref('v1', 'ConfigMap', 'asked'), data: { environment: 'staging' } });
  const shop = project('  staging: { context: { name: asked } }\n');
  expect((await shop.run(['deploy', '-e', 'staging', '--yes'])).exitCode).toBe(0);
  const { exitCode, screen } = await shop.runAtTerminal(['adopt', '-e', 'staging', '--from', 'them'], ['n\r']);
  expect(exitCode, screen).toBe(2);
  expect(screen.replaceAll(/\s+/g, ' ')).toMatch(
    /These objects change owners on https:\/\/\S+ \(environment staging, context \S+\): ConfigMap \S+\/asked /,
  );
});

test.each<{ what: string; environments: string; chosen: string; refused: RegExp | undefined }>([
  { what: 'the pinned cluster', environments: `  prod: { clusterUid: ${uid} }\n`, chosen: 'prod', refused: undefined },
  {
    what: 'another cluster',
    environments: `  prod:\n    clusterUid: ${other}\n`,
    chosen: 'prod',
    refused: new RegExp(
      `prod is pinned to the cluster with the uid ${other}, but this cluster has the uid ${uid}\\..*fieldwise\\.yaml:4:5`,
    ),
  },
  {
    what: 'the cluster of another environment',
    environments: `  staging: {}\n  prod: { clusterUid: ${uid} }\n`,
    chosen: 'staging',
    refused: new RegExp(`uid ${uid}, to which prod is pinned, and the environment staging is chosen.*-e prod.*clusterUid: ${uid}`),
  },
  {
    what: 'a cluster that nobody is pinned to',
    environments: `  staging: {}\n  prod: { clusterUid: ${other} }\n`,
    chosen: 'staging',
    refused: undefined,
  },
  {
    what: 'one cluster of two environments',
    environments: `  staging: { clusterUid: ${uid} }\n  prod: { clusterUid: ${uid} }\n`,
    chosen: 'staging',
    refused: undefined,
  },
])('compares the pin before anything else: $what', async ({ environments, chosen, refused }) => {
  const pinned = project(environments);
  const proxy = await testEnvironment.proxy();
  const seen: string[] = [];
  proxy.onRequest = async ({ method, path }: ProxiedRequest) => {
    seen.push(`${method} ${path}`);
    return undefined;
  };
  for (const words of [['diff'], ['deploy'], ['destroy', '--yes'], ['list'], ['status'], ['doctor']]) {
    seen.length = 0;
    const run = await pinned.run([...words, '-e', chosen], { kubeconfig: proxy.kubeconfig });
    expect(seen[0], words[0]).toBe('GET /api/v1/namespaces/kube-system');
    if (refused === undefined) {
      expect(run.exitCode, `${words} ${run.stderr}`).toBe(0);
      continue;
    }
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringMatching(refused)]);
    expect(run.stderr).toContain('[cluster-pin-differs]');
    expect(seen, words[0]).toHaveLength(1);
  }
});

test('without an environment, does not meet the cluster of one', async () => {
  const pinned = project(`  prod: { clusterUid: ${uid} }\n`);
  const run = await pinned.run(['deploy', '--instance', 'review']);
  expect([run.exitCode, run.stderr]).toEqual([2, expect.stringMatching(/to which prod is pinned, and no environment is chosen/)]);
});

test('refuses a pinned environment if the uid cannot be read, and `rbac` grants that', async () => {
  const pinned = project(`  prod: { clusterUid: ${uid} }\n  staging: {}\n`);
  const limited = await testEnvironment.account('limited', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]);
  const refused = await pinned.run(['diff', '-e', 'prod'], { kubeconfig: limited });
  expect([refused.exitCode, refused.stderr]).toEqual([
    2,
    expect.stringMatching(/cannot be read: .*forbidden.*\[cluster-pin-unverified\]/s),
  ]);
  // Another environment has no pin that could be violated knowingly.
  const staging = await pinned.run(['diff', '-e', 'staging'], { kubeconfig: limited });
  expect(staging.exitCode, staging.stderr).toBe(0);
  const { stdout } = await pinned.run(['rbac', '-e', 'prod']);
  expect(stdout).toMatch(/namespace: kube-system[\s\S]*resources:\n +- namespaces\n +resourceNames:\n +- kube-system\n +verbs:\n +- get/);
});

test.each([
  { what: 'no uid', body: { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'kube-system' } } },
  { what: 'an empty uid', body: { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'kube-system', uid: '' } } },
  { what: 'another object', body: { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'default', uid } } },
  { what: 'a uid of another type', body: { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'kube-system', uid: [uid] } } },
])('writes nothing to a server that answers with $what', async ({ body }) => {
  const pinned = project(`  prod: { clusterUid: ${uid} }\n`);
  const proxy = await testEnvironment.proxy();
  const seen: string[] = [];
  proxy.onRequest = async ({ method, path }: ProxiedRequest) => {
    seen.push(`${method} ${path}`);
    return path === '/api/v1/namespaces/kube-system' ? { status: 200, body } : undefined;
  };
  const run = await pinned.run(['deploy', '-e', 'prod'], { kubeconfig: proxy.kubeconfig });
  expect(run.exitCode, run.stderr).toBeGreaterThanOrEqual(2);
  expect(new Set(seen)).toEqual(new Set(['GET /api/v1/namespaces/kube-system']));
});

test('plans several environments, each under its heading, with the highest exit code', async () => {
  const several = project(`  a: {}\n  b: { clusterUid: ${other} }\n  c: {}\n`);
  await several.deploy(['-e', 'a']);
  const same = await several.run(['diff', '-e', 'a', '--exit-code']);
  expect(same.exitCode, same.stderr).toBe(0);
  const two = await several.run(['diff', '-e', 'a, c', '--exit-code']);
  expect(two.exitCode, two.stderr).toBe(1);
  expect(two.stdout).toMatch(/^environment a\nplan: 1 unchanged\n\nenvironment c\ncreate .*[\s\S]*plan: 1 create\n$/);
  const all = await several.run(['diff', '-e', 'a', '--env', 'b,c', '-o', 'json']);
  expect([all.exitCode, all.stderr]).toEqual([2, expect.stringMatching(/^environment b\nerror: .*\[cluster-pin-differs\]\n$/)]);
  expect(all.events.map(({ environment, event }) => [environment, event])).toEqual([
    ['a', 'plan'],
    ['a', 'plan-summary'],
    ['c', 'plan'],
    ['c', 'plan-summary'],
  ]);
  for (const flag of [['--output-file', 'plan=plan.json'], ['--offline']]) {
    const refused = await several.run(['diff', '-e', 'a,c', ...flag]);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(`\`${flag.join(' ')}\` is for one environment`)]);
  }
  const unknown = await several.run(['diff', '-e', 'a,nope']);
  expect([unknown.exitCode, unknown.stdout, unknown.stderr]).toEqual([2, '', expect.stringContaining('The environments are a, b, c')]);
});

test('applies a plan of an environment, and not to another one', async () => {
  const planned = project(`  first: { clusterUid: ${uid} }\n  second: { clusterUid: ${uid} }\n`);
  await planned.run(['diff', '-e', 'first', '--output-file', 'plan=plan.json']);
  const wrong = await planned.run(['deploy', '-e', 'second', '--plan', 'plan.json']);
  expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('[plan-of-another]')]);
  const right = await planned.deploy(['-e', 'first', '--plan', 'plan.json']);
  expect(right.results).toEqual({ [`ConfigMap ${testEnvironment.namespace}/first`]: 'created' });
});

test('refuses an assembly of another environment, and a program that sets another instance', async () => {
  const two = project('  staging: {}\n  prod: {}\n');
  await two.run(['synth', '-e', 'staging']);
  const finished = await two.run(['deploy', '-e', 'prod', '-a', 'dist/staging']);
  expect([finished.exitCode, finished.stderr]).toEqual([
    2,
    expect.stringMatching(/environment prod is prod, but the assembly is of the instance staging/),
  ]);
  expect((await two.deploy(['-e', 'staging', '-a', 'dist/staging'])).exitCode).toBe(0);
  two.write({ 'main.ts': main.replace('new App()', "new App({ instance: 'mine' })") });
  const own = await two.run(['diff', '--instance', 'prod']);
  expect([own.exitCode, own.stderr]).toEqual([2, expect.stringMatching(/instance is prod, but the program sets the instance mine/)]);
  const implied = await two.run(['diff', '-e', 'prod']);
  expect(implied.exitCode, implied.stderr).toBe(0);
});

test('reports a variable that replaces the namespace of the environment', async () => {
  const replaced = project('  staging: { namespace: elsewhere }\n');
  const run = await replaced.run(['diff', '-e', 'staging']);
  expect(run.stderr).toContain('FIELDWISE_NAMESPACE replaces `namespace` of the environment staging. [environment-overridden]');
});

test('`-c instance=prod` is not the instance, and says so', async () => {
  const plain = testEnvironment.program({ main: [own(config('plain', { a: '1' }))] });
  const run = await plain.run(['deploy', '-c', 'instance=prod']);
  expect(run.exitCode, run.stderr).toBe(0);
  expect(run.stderr).toMatch(
    /^warning: Nothing in the program reads the context value "instance".* pass --instance\. \[context-unread\]\n/,
  );
  const meant = await plain.deploy(['--instance', 'prod', '--yes']);
  expect(eventsOf(meant.result.events, 'started')[0]).toMatchObject({ instance: 'prod' });
});
