import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { ResponseBody } from '../harness/api-client.js';
import { eventsOf } from '../harness/events.js';
import { commandLine } from '../harness/fieldwise.js';
import { ctrlC, noTerminal } from '../harness/terminal.js';
import { TestEnvironment, waitForNextSecond } from '../harness/test-environment.js';

const pluginScript = `#!/bin/sh\nexec '${process.execPath}' '${commandLine.replace('main.cjs', 'kubectl-plugin.cjs')}' "$@"\n`;
const testEnvironment = await TestEnvironment.create('documents');
const { cluster, namespace } = testEnvironment;
const ref = (name: string) => testEnvironment.ref('v1', 'ConfigMap', name);
const find = (name: string) => cluster.find(ref(name));

const config = (name: string, data: object = { a: '1' }, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
});
/** A stream of documents. */
const stream = (...objects: readonly object[]) => objects.map((object) => `---\n${stringify(object)}`).join('');
const piped = (...objects: readonly object[]) => ({ stdin: stream(...objects) });
const options = (text: string) => ({ annotations: { 'fieldwise.dev/options': text } });

describe('documents are deployed as a stack', () => {
  const project = testEnvironment.project({
    'web/a.yaml': stream(config('a'), config('b')),
    'web/more/c.json': JSON.stringify(config('c')),
  });
  const web = ['-f', 'web', '--stack', 'web'];

  test('a first deploy creates every object, a second changes nothing, and nothing is written to the directory', async () => {
    const first = await project.deploy(web);
    expect(first.results).toEqual(Object.fromEntries(['a', 'b', 'c'].map((name) => [`ConfigMap ${namespace}/${name}`, 'created'])));
    expect(first.only('c').declaredBy[0]?.source).toBe('web/more/c.json:1');
    await waitForNextSecond();
    expect((await project.deploy(web)).summary.counts).toMatchObject({ unchanged: 3 });
    expect(project.files('.').filter((path) => path.startsWith('dist'))).toEqual([]);
  });

  test('diff, status, drift, owners and rbac read the documents, too', async () => {
    const plan = await project.run(['diff', ...web, '-o', 'json']);
    expect(eventsOf(plan.events, 'plan').map(({ action }) => action)).toEqual(['unchanged', 'unchanged', 'unchanged']);
    const status = await project.run(['status', ...web]);
    expect([status.exitCode, status.stdout.match(/in-sync {5}ConfigMap/g)?.length]).toEqual([0, 3]);
    expect((await project.run(['drift', ...web, '--exit-code'])).exitCode).toBe(0);
    const byFile = await project.run(['owners', '-f', 'web/more', '-o', 'json']);
    const byStack = await project.run(['owners', '--stack', 'web', '-o', 'json']);
    expect(eventsOf(byFile.events, 'owners').map(({ object }) => object)).toEqual([`ConfigMap ${namespace}/c`]);
    expect(eventsOf(byStack.events, 'owners')).toHaveLength(3);
    expect((await project.run(['rbac', ...web])).stdout).toMatch(/configmaps/);
  });

  test('context values of an environment are for programs, and no warning says that documents do not read them', async () => {
    const made = testEnvironment.project({
      'fieldwise.yaml': 'name: documented\nenvironments:\n  staging:\n    context: { tier: small }\n',
      'a.yaml': stream(config('of-an-environment')),
    });
    const { exitCode, stdout, stderr } = await made.run(['diff', '-f', 'a.yaml', '--stack', 'web', '-e', 'staging']);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`create    ConfigMap ${namespace}/of-an-environment`);
  });

  test('owners hides a value that a Secret of the documents declares and no deploy has written', async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'undeployed' }, stringData: { password: 'CANARY-horse-battery' } };
    await cluster.apply('tool', { ...ref('copy'), data: { url: 'https://u:CANARY-horse-battery@host', other: 'shown' } });
    const documents = piped(secret, config('copy'));
    for (const flags of [['-o', 'json'], [], ['--output-file', 'html=owners.html']]) {
      const { exitCode, stdout } = await project.run(['owners', '-f', '-', ...flags], documents);
      expect([exitCode, stdout.includes('CANARY')]).toEqual([0, false]);
      if (!flags.includes('html=owners.html')) expect(stdout).toContain('shown');
    }
    expect(project.read('owners.html')).not.toContain('CANARY');
  });

  test('one object with its namespace and without it, which is the namespace of the kubeconfig, is refused before anything is written', async () => {
    const objects = piped(config('twice', { a: '1' }), config('twice', { b: '2' }, { namespace: 'default' }));
    const both = { ...objects, environment: { FIELDWISE_NAMESPACE: '' } };
    for (const command of ['deploy', 'diff', 'status']) {
      const refused = await project.run([command, '-f', '-', '--stack', 'twice'], both);
      expect([command, refused.exitCode, refused.stderr]).toEqual([command, 2, expect.stringContaining('[intent-repeated]')]);
      expect(refused.stderr).toContain(`Stack twice declares ConfigMap default/twice twice, by`);
    }
    expect(await cluster.find({ ...ref('twice'), namespace: 'default' })).toBeUndefined();
  });

  test('a removed document is pruned when somebody agrees, and a changed one changes', async () => {
    project.write({ 'web/a.yaml': stream(config('a', { a: '2' })) });
    const refused = await project.deploy(web);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('[confirmation-needed]')]);
    expect((await find('a')).data).toEqual({ a: '1' });
    await waitForNextSecond();
    const agreed = await project.deploy([...web, '--yes']);
    expect(agreed.results).toEqual({
      [`ConfigMap ${namespace}/a`]: 'updated',
      [`ConfigMap ${namespace}/b`]: 'deleted',
      [`ConfigMap ${namespace}/c`]: 'unchanged',
    });
    expect(await find('b')).toBeUndefined();
  });

  test('another stack of the same app is never touched', async () => {
    expect((await project.deploy(['-f', '-', '--stack', 'other', '--yes'], piped(config('of-other')))).exitCode).toBe(0);
    expect((await project.deploy([...web, '--yes'])).exitCode).toBe(0);
    expect(await find('of-other')).toBeDefined();
  });

  test('nothing is removed if the command before the pipe fails', async () => {
    const { exitCode, stderr } = await project.deploy(['-f', '-', '--stack', 'web', '--yes'], { stdin: '' });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('[documents-empty]')]);
    expect(await find('a')).toBeDefined();
  });

  test('a destroy needs no documents', async () => {
    expect((await project.destroy(['--stack', 'web'])).summary.counts).toMatchObject({ deleted: 2 });
    expect([await find('a'), await find('c'), (await find('of-other')) !== undefined]).toEqual([undefined, undefined, true]);
    const unknown = await project.destroy(['--stack', 'webb']);
    expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('[stack-unknown]')]);
  });
});

describe('what documents declare', () => {
  const deploy = (stack: string, objects: readonly object[], args: readonly string[] = []) =>
    testEnvironment.project({}).deploy(['-f', '-', '--stack', stack, ...args], piped(...objects));

  test('a List is unfolded, and its items are named by their lines', async () => {
    const list = {
      apiVersion: 'v1',
      kind: 'ConfigMapList',
      items: [{ metadata: { name: 'l1' } }, { metadata: { name: 'l2' }, data: { a: '1' } }],
    };
    const report = await deploy('list', [list]);
    expect(report.objects.map(({ object, declaredBy }) => `${object} ${declaredBy[0]?.source}`).sort()).toEqual([
      `ConfigMap ${namespace}/l1 stdin:5`,
      `ConfigMap ${namespace}/l2 stdin:7`,
    ]);
  });

  test('--share contributes fields and leaves the object when it is destroyed', async () => {
    await cluster.apply('them', { ...ref('shared'), data: { theirs: '1' } });
    const project = testEnvironment.project({});
    const args = ['-f', '-', '--stack', 'shares', '--share'];
    expect((await project.deploy(args, piped(config('shared', { ours: '1' })))).exitCode).toBe(0);
    expect((await find('shared')).data).toEqual({ theirs: '1', ours: '1' });
    expect((await project.destroy(['--stack', 'shares'])).exitCode).toBe(0);
    expect((await find('shared')).data).toEqual({ theirs: '1' });
  });

  test('an annotation decides about conflicts, and is not sent', async () => {
    await cluster.apply('them', { ...ref('contested'), data: { a: 'theirs' } });
    const report = await deploy('yields', [config('contested', { a: 'ours', b: 'ours' }, options('lifecycle=share,conflicts=yield'))]);
    expect(report.only().yielded).toMatchObject([{ field: '.data.a' }]);
    const { data, metadata } = await find('contested');
    expect([data, metadata.annotations]).toEqual([{ a: 'theirs', b: 'ours' }, undefined]);
  });

  test('a map in the annotation sets the policy of a field', async () => {
    await cluster.apply('them', { ...ref('fields'), data: { a: 'theirs', b: 'theirs' } });
    const text = 'conflicts: fail\nfields: { data.a: { conflicts: yield }, data.b: { conflicts: force } }\n';
    const report = await deploy('fields', [config('fields', { a: 'ours', b: 'ours' }, options(text))], ['--yes']);
    expect([report.exitCode, (await find('fields')).data]).toEqual([0, { a: 'theirs', b: 'ours' }]);
  });

  test('an object without a namespace is in that of --namespace, a cluster-scoped one in none', async () => {
    const group = `documents-${testEnvironment.app}.example.com`;
    await testEnvironment.crd(clusterScoped(group));
    const custom = { apiVersion: `${group}/v1`, kind: 'Wide', metadata: { name: 'wide' }, spec: { a: 1 } };
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: testEnvironment.app }, rules: [] };
    testEnvironment.removeLater(role);
    const report = await deploy('namespaces', [custom, role, config('placed')], ['-n', namespace]);
    expect(Object.keys(report.results).sort()).toEqual([
      `ClusterRole ${testEnvironment.app}`,
      `ConfigMap ${namespace}/placed`,
      'Wide wide',
    ]);
    expect(report.exitCode, String(report)).toBe(0);
  });

  test.each(['server-side', 'dynamic'])('whole numbers keep every digit, with the strategy %s', async (strategy) => {
    const group = `numbers-${strategy}-${testEnvironment.app}.example.com`;
    await testEnvironment.crd(clusterScoped(group));
    const textOf = (a: bigint) => `apiVersion: ${group}/v1\nkind: Wide\nmetadata: {name: exact}\nspec: {a: ${a}}\n`;
    const project = testEnvironment.project({ 'exact.yaml': textOf(2n ** 53n + 1n) });
    const args = ['-f', 'exact.yaml', '--stack', `exact-${strategy}`, '--strategy', strategy];
    const path = `/apis/${group}/v1/wides/exact`;
    const stored = async () => (await cluster.client.raw('GET', new URL(path, cluster.client.connection.server), {}, undefined)).text;
    expect((await project.deploy(args)).only().result).toBe('created');
    expect(await stored()).toContain('"a":9007199254740993');
    await waitForNextSecond();
    expect((await project.deploy(args)).only().result).toBe('unchanged');
    expect((await project.run(['diff', ...args])).stdout).toMatch(/1 unchanged/);
    project.write({ 'exact.yaml': textOf(2n ** 53n + 3n) });
    expect((await project.run(['diff', ...args])).stdout).toContain('9007199254740993 → 9007199254740995');
    expect((await project.deploy(args)).exitCode).toBe(0);
    expect(await stored()).toContain('"a":9007199254740995');
  });

  test('an error of the server names the document', async () => {
    const report = await deploy('rejected', [config('fine'), config('bad-key', { 'no key': '' })]);
    expect(report.exitCode).toBe(4);
    expect(report.only('bad-key').declaredBy).toMatchObject([{ source: expect.stringMatching(/^stdin:\d+$/) }]);
    expect((await find('fine')).data).toEqual({ a: '1' });
  });

  test('hooks in their order: before and after the other objects', async () => {
    const hook = (name: string, event: string) => config(name, { a: '1' }, { annotations: { 'helm.sh/hook': event } });
    const objects = [hook('z-after', 'post-install'), config('y-object'), hook('x-before', 'pre-install'), hook('w-test', 'test')];
    const report = await deploy('hooks', objects, ['--helm-hooks', 'order']);
    expect(report.objects.map(({ object }) => object.split('/')[1])).toEqual(['x-before', 'y-object', 'z-after']);
    const refused = await deploy('hooks', objects, ['--helm-hooks', 'refuse']);
    expect([refused.exitCode, refused.stderr.match(/is a Helm hook/g)?.length]).toEqual([2, 3]);
  });

  test('an ordered hook that changes is replaced, and one that does not change runs no second time', async () => {
    const hook = (image: string) => ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'migrate', annotations: { 'helm.sh/hook': 'pre-upgrade', 'helm.sh/hook-delete-policy': 'before-hook-creation' } },
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'migrate', image }] } } },
    });
    const project = testEnvironment.project({});
    const run = (image: string) =>
      project.deploy(['-f', '-', '--stack', 'jobs', '--helm-hooks', 'order', '--yes'], piped(hook(image), config('main')));
    const uid = async () => (await cluster.get(testEnvironment.ref('batch/v1', 'Job', 'migrate'))).metadata.uid;
    expect((await run('registry.example.com/migrate:1')).only('migrate').result).toBe('created');
    const first = await uid();
    expect((await run('registry.example.com/migrate:1')).exitCode).toBe(0);
    expect(await uid()).toBe(first);
    expect((await run('registry.example.com/migrate:2')).only('migrate').result).toBe('recreated');
  });
});

const { kubectl } = testEnvironment;

describe.skipIf(kubectl === undefined)('as a plugin of kubectl', () => {
  const project = testEnvironment.project({ 'a.yaml': stream(config('by-plugin')), 'bin/kubectl-fieldwise': pluginScript }, {});
  chmodSync(join(project.directory, 'bin/kubectl-fieldwise'), 0o755);
  const plugin = (args: readonly string[]) =>
    spawnSync(kubectl as string, ['fieldwise', ...args], {
      cwd: project.directory,
      encoding: 'utf8',
      env: {
        PATH: `${join(project.directory, 'bin')}:${process.env.PATH}`,
        HOME: project.directory,
        KUBECONFIG: testEnvironment.kubeconfig,
        FIELDWISE_INVENTORY_NAMESPACE: namespace,
      },
    });

  test('documents are deployed', () => {
    const { status, stdout, stderr } = plugin([
      'deploy',
      '-f',
      'a.yaml',
      '--stack',
      'plugin',
      '--name',
      testEnvironment.app,
      '-n',
      namespace,
    ]);
    expect([status, stdout + stderr]).toEqual([0, expect.stringMatching(/created +ConfigMap .*\/by-plugin/)]);
  });

  test('help and usage are those of kubectl fieldwise', () => {
    expect(plugin(['deploy', '--help']).stdout).toContain('Usage: kubectl fieldwise deploy [options]');
    expect(plugin(['nonsense']).stderr).toContain('run kubectl fieldwise --help');
    expect(plugin(['completion', 'bash']).stdout).toContain('complete -o default -F _fieldwise fieldwise');
  });
});

describe.skipIf(noTerminal !== undefined)('with documents on standard input, questions are asked at the terminal', () => {
  test.each([
    { pressed: 'y', key: 'y\r', exitCode: 0 },
    { pressed: 'n', key: 'n\r', exitCode: 2 },
    { pressed: 'Ctrl-C', key: ctrlC, exitCode: 130 },
  ])('$pressed → exit code $exitCode', async ({ pressed, key, exitCode }) => {
    const name = `asked-${pressed.toLowerCase()}`;
    const project = testEnvironment.project({});
    const args = ['-f', '-', '--stack', name];
    expect((await project.deploy(args, piped(config(name), config(`${name}-kept`)))).exitCode).toBe(0);
    const run = await project.runAtTerminal(['deploy', ...args], [key], piped(config(`${name}-kept`)));
    expect(run.exitCode, run.screen).toBe(exitCode);
    expect((await find(name)) === undefined, run.screen).toBe(exitCode === 0);
  });
});

function clusterScoped(group: string): ResponseBody {
  const openAPIV3Schema = {
    type: 'object',
    properties: { spec: { type: 'object', properties: { a: { type: 'integer', format: 'int64' } } } },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `wides.${group}` },
    spec: {
      group,
      scope: 'Cluster',
      names: { kind: 'Wide', plural: 'wides', singular: 'wide', listKind: 'WideList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}
