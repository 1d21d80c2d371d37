import { describe, expect, test } from 'vitest';
import { historyName } from '../../src/engine/history/history-secrets.js';
import { labelOf } from '../../src/engine/inventory/stack-identity.js';
import type { ResponseBody } from '../harness/api-client.js';
import type { Project, ProjectRunOptions } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('inputs');
const { cluster } = testEnvironment;

/** A program whose ConfigMap has the context value `image`, and that reads `token` only to make a Secret. */
const program = (name: string) => `import { App, Stack, fromEnv } from 'fieldwise';
const app = new App();
const read = (key: string, other: string) => app.node.tryGetContext(key) ?? other;
const stack = new Stack(app, 'main');
stack.own({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '${name}' }, data: { image: read('image', 'web:1') } });
stack.own({ apiVersion: 'v1', kind: 'Secret', metadata: { name: '${name}' }, stringData: { token: read('token', 'none') }, data: { key: fromEnv('KEY') } });
`;

const projectOf = (name: string, config = '') =>
  testEnvironment.project(
    { 'fieldwise.yaml': `app: main.ts\n${config}`, 'main.ts': program(name) },
    { environment: { KEY: 'battery-staple' } },
  );

async function deployed(project: Project, ...args: string[]) {
  const report = await project.deploy(args);
  expect(report.exitCode, String(report)).toBe(0);
  return report.result;
}

/** What a command says of the inputs of the last deploy. */
async function said(project: Project, args: readonly string[], options: ProjectRunOptions = {}): Promise<string | undefined> {
  const { events } = await project.run([...args, '-o', 'json'], options);
  const found = events.filter(({ code }) => code === 'input-differs');
  expect(found.length).toBeLessThanOrEqual(1);
  return found[0]?.message;
}

async function inventoryOf(project: Project): Promise<ResponseBody> {
  const all = await cluster.list('v1', 'ConfigMap', testEnvironment.namespace);
  const label = labelOf(project.manager('main'));
  return all.find(({ metadata }) => metadata.labels?.['fieldwise.dev/inventory'] === label) as ResponseBody;
}

const revisionsOf = async (project: Project) => {
  const { data } = await cluster.get(testEnvironment.ref('v1', 'Secret', historyName(project.manager('main'))));
  return Buffer.from(data.revisions, 'base64').toString('utf8');
};

const hadNot = 'the last deploy had `-c image=web:2`; this one has not';

test('drift, diff and deploy say that a context value of the last deploy is missing, until it is deployed without', async () => {
  const project = projectOf('missing');
  await deployed(project, '-c', 'image=web:2');
  for (const args of [['drift'], ['diff'], ['diff', '--read-only'], ['drift', '--repair'], ['deploy']]) {
    expect(await said(project, args), args.join(' ')).toContain(hadNot);
  }
  for (const args of [['drift'], ['diff'], ['deploy']]) expect(await said(project, args), args.join(' ')).toBeUndefined();
});

test('nothing is said with the value of the last deploy, and of one that the command chooses', async () => {
  const project = projectOf('same');
  await deployed(project, '-c', 'image=web:2');
  for (const args of [['drift'], ['diff'], ['deploy']]) expect(await said(project, [...args, '-c', 'image=web:2'])).toBeUndefined();
  for (const args of [['diff'], ['deploy']]) expect(await said(project, [...args, '-c', 'image=web:3'])).toBeUndefined();
});

test('a value of the configuration that hides another one of the last deploy', async () => {
  const project = projectOf('configured', 'context: { image: "web:4" }\n');
  await deployed(project, '-c', 'image=web:2');
  for (const args of [['drift'], ['diff'], ['deploy']]) {
    expect(await said(project, args)).toContain('the last deploy had `-c image=web:2`; this one has `-c image=web:4`');
  }
});

test('values of an environment count as those of a flag', async () => {
  const project = projectOf('environment', 'environments: { prod: { context: { image: "web:2" } } }\n');
  await deployed(project, '-e', 'prod');
  project.write({ 'fieldwise.yaml': 'app: main.ts\nenvironments: { prod: {} }\n' });
  expect(await said(project, ['drift', '-e', 'prod'])).toContain(hadNot);
});

describe('where values are recorded', () => {
  test('names in the inventory; in the history the values that an object shows, and none of a Secret', async () => {
    const project = projectOf('recorded');
    await deployed(project, '-c', 'image=web:2', '-c', 'token=correct-horse');
    const { inputs } = (await inventoryOf(project)).data;
    expect(JSON.parse(inputs)).toEqual(['context image', 'context token', 'env KEY']);
    const revisions = await revisionsOf(project);
    expect(JSON.parse(revisions).revisions[0].inputs).toEqual([
      { from: 'context', name: 'image', value: 'web:2' },
      { from: 'context', name: 'token' },
      { from: 'env', name: 'KEY' },
    ]);
    for (const text of [JSON.stringify(await inventoryOf(project)), revisions, project.read('dist/manifest.json')]) {
      expect(text).not.toMatch(/correct-horse|Y29ycmVjdC1ob3JzZQ|battery-staple|YmF0dGVyeS1zdGFwbGU/);
    }
  });

  test('a value that a Secret has, too, is none that an object shows', async () => {
    const project = projectOf('both');
    await deployed(project, '-c', 'image=same', '-c', 'token=same');
    expect(await revisionsOf(project)).not.toContain('"same"');
    expect(await said(project, ['drift'])).toContain('the last deploy had `-c image`; this one has not');
  });

  test('a value that is not recorded is perhaps another one, where the intent differs', async () => {
    const project = projectOf('doubt');
    await deployed(project, '-c', 'token=first');
    expect(await said(project, ['drift', '-c', 'token=first'])).toBeUndefined();
    const message = await said(project, ['drift', '-c', 'token=second']);
    expect(message).toContain('the last deploy perhaps had another value of `-c token`');
    expect(message).toContain('perhaps had another value of the environment variable KEY');
    expect(message).not.toMatch(/first|second/);
  });

  test.each(['history: false\n', 'damaged'])('without a history that can be read (%j): by name', async (how) => {
    const project = projectOf(`by-name-${how.length}`, how === 'damaged' ? '' : how);
    await deployed(project, '-c', 'image=web:2');
    const list = testEnvironment.ref('v1', 'Secret', historyName(project.manager('main')));
    if (how === 'damaged') await cluster.patch('attacker', list, { data: { revisions: 'e30=' } });
    for (const args of [['drift'], ['diff'], ['deploy']]) {
      expect(await said(project, args)).toContain('the last deploy had `-c image`; this one has not');
    }
  });
});

test('values of a revision that is older than the last deploy are not those of the last deploy', async () => {
  const project = projectOf('older');
  await deployed(project, '-c', 'image=web:2');
  project.write({ 'fieldwise.yaml': 'app: main.ts\nhistory: false\n' });
  await deployed(project, '-c', 'image=web:3');
  expect(await said(project, ['drift'])).toContain('the last deploy had `-c image`; this one has not');
});

test('an inventory of an earlier version, which has no names: nothing is said', async () => {
  const project = projectOf('nameless');
  await deployed(project, '-c', 'image=web:2');
  const inventory = { ...(await inventoryOf(project)), apiVersion: 'v1', kind: 'ConfigMap' };
  await cluster.patch('test', inventory as never, { data: { inputs: null } });
  expect(await said(project, ['drift'])).toBeUndefined();
});

test('a repair keeps what the last deploy had; a rollback has what its revision had', async () => {
  const project = projectOf('back');
  await deployed(project, '-c', 'image=web:2');
  await deployed(project, '-c', 'image=web:3', '-c', 'token=x');
  const config = testEnvironment.ref('v1', 'ConfigMap', 'back');
  await cluster.patch('kubectl-edit', config, { data: { image: 'edited' } });
  const repaired = await project.run(['drift', '--repair', '-c', 'image=web:3', '-c', 'token=x']);
  expect([repaired.exitCode, (await cluster.get(config)).data.image]).toEqual([0, 'web:3']);
  expect(JSON.parse((await inventoryOf(project)).data.inputs)).toEqual(['context image', 'context token', 'env KEY']);

  expect((await project.run(['rollback', 'main', '1', '--yes'])).exitCode).toBe(0);
  expect((await cluster.get(config)).data.image).toBe('web:2');
  expect(JSON.parse((await inventoryOf(project)).data.inputs)).toEqual(['context image', 'env KEY']);
  expect(await said(project, ['drift'])).toContain(hadNot);
});

test('after a rollback, drift says that, and guesses no other value of an input', async () => {
  const project = projectOf('forward');
  await deployed(project, '-c', 'image=web:2');
  project.write({ 'main.ts': program('forward').replaceAll("name: 'forward' }", "name: 'forward', labels: { version: '2' } }") });
  await deployed(project, '-c', 'image=web:2');
  expect((await project.run(['rollback', '--yes'])).exitCode).toBe(0);
  const rolledBack = 'the last deploy was a rollback to revision 1, and the next one goes forward again';
  expect(await said(project, ['drift', '-c', 'image=web:2'])).toBe(`Stack main is declared otherwise than it was deployed: ${rolledBack}`);
  expect(await said(project, ['drift'])).toBe(`Stack main is declared otherwise than it was deployed: ${rolledBack}; ${hadNot}`);
});

test('a finished assembly says what its program had read', async () => {
  const project = projectOf('assembly');
  expect((await project.run(['synth', '-c', 'image=web:2', '--outdir', 'with'])).exitCode).toBe(0);
  expect((await project.run(['synth', '--outdir', 'without'])).exitCode).toBe(0);
  await deployed(project, '-a', 'with');
  expect(await said(project, ['drift', '-a', 'with'])).toBeUndefined();
  expect(await said(project, ['drift', '-a', 'without'])).toContain(hadNot);
});

test('a renamed stack has what it had under its former name', async () => {
  const project = projectOf('renamed');
  await deployed(project, '-c', 'image=web:2');
  project.write({ 'main.ts': program('renamed').replace("'main')", "'fresh', { renamedFrom: 'main' })") });
  expect(await said(project, ['drift'])).toContain(hadNot);
});
