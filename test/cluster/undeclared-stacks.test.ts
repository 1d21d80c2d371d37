import { describe, expect, test } from 'vitest';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('undeclared-stacks');

const { config, edit } = configMapHelpers(testEnvironment);

/** A project whose program declared the stacks `kept` and `gone`, and declares only the first now. */
async function given(name: string, configuration: object = {}) {
  const project = testEnvironment.program({ kept: [own(config(`${name}-kept`))], gone: [own(config(`${name}-gone`))] });
  await deployed(project);
  edit(project, { kept: [own(config(`${name}-kept`))] });
  if (Object.keys(configuration).length > 0) project.write({ 'fieldwise.yaml': JSON.stringify({ app: 'main.ts', ...configuration }) });
  return project;
}

const commands = [['diff'], ['diff', '--read-only'], ['deploy'], ['deploy', 'kept'], ['status']] as const;

const warningsIn = (
  events: readonly { readonly event?: string; readonly code?: string; readonly message?: string; readonly next?: string }[],
) => events.filter(({ event }) => event === 'warning').map(({ code, message, next }) => [code, message, next]);

const warning = [
  'stack-undeclared',
  'Stack gone is in the cluster and not in the program',
  expect.stringMatching(/^`fieldwise destroy gone` destroys it, and `fieldwise deploy --prune-stacks` /),
];

describe('a stack that leaves the program', () => {
  test.each(commands.map((command) => [command]))('%j says it in one line', async (command) => {
    const project = await given(command.join('').replace(/\W/g, ''));
    const { events, exitCode } = await project.run([...command, '-o', 'json']);
    expect([exitCode, warningsIn(events)]).toEqual([0, [warning]]);
  });

  test('doctor says it on standard error', async () => {
    const project = await given('doctor');
    const { stderr } = await project.run(['doctor']);
    expect(stderr).toMatch(/^warning: Stack gone is in the cluster and not in the program\. `fieldwise destroy gone`/m);
  });

  test('the command that destroys it ends it', async () => {
    const project = await given('ends');
    expect((await project.run(['destroy', 'gone', '--yes'])).exitCode).toBe(0);
    expect(warningsIn((await project.run(['diff', '-o', 'json'])).events)).toEqual([]);
  });

  test('--prune-stacks destroys it and says nothing else', async () => {
    const project = await given('prunes');
    const report = await deployed(project, '--prune-stacks', '--yes');
    expect(warningsIn(report.result.events)).toEqual([]);
    expect(report.results).toMatchObject({ [`ConfigMap ${testEnvironment.namespace}/prunes-gone`]: 'deleted' });
  });
});

test.each([
  ['its name', 'gone', true],
  ['a pattern', 'g*', true],
  ['a pattern with two stars', '*o*e', true],
  ['the name of another', 'gon', false],
  ['a pattern that is too long', 'gone*e', false],
])('a stack that `independent` names by %s', async (what, pattern, isSilent) => {
  const project = await given(`by-${what.replaceAll(' ', '-')}`, { independent: [pattern] });
  expect(warningsIn((await project.run(['diff', '-o', 'json'])).events)).toEqual(isSilent ? [] : [warning]);
});

test.each([
  ['the stack', ['gone']],
  ['each stack of the program itself', ['kept']],
])('--prune-stacks leaves a stack of a program of its own as it is, where `independent` names %s', async (what, independent) => {
  const name = `independent-${what.length}`;
  const project = await given(name, { independent });
  const report = await deployed(project, '--prune-stacks', '--yes');
  expect(Object.values(report.results)).toEqual(['unchanged']);
  expect(await testEnvironment.cluster.find(testEnvironment.ref('v1', 'ConfigMap', `${name}-gone`))).toBeDefined();
});

test('a program of its own is told nothing of the others', async () => {
  const project = await given('of-its-own', { independent: ['kept'] });
  expect(warningsIn((await project.run(['diff', '-o', 'json'])).events)).toEqual([]);
});

test('a stack that was renamed, another instance, and another app', async () => {
  const project = testEnvironment.program({ a: [own(config('renamed-x'))] });
  await deployed(project);
  await deployed(project, '--instance', 'review-1');
  const text = testEnvironment.text({ b: [own(config('renamed-x'))] });
  project.write({ 'main.ts': text.replace('"b")', '"b", { renamedFrom: "a" })') });
  expect(warningsIn((await project.run(['diff', '-o', 'json'])).events)).toEqual([]);
});

test('a ConfigMap that only claims to be the inventory of a stack is not one', async () => {
  const project = await given('forged');
  await project.run(['destroy', 'gone', '--yes']);
  const inventories = await testEnvironment.cluster.list('v1', 'ConfigMap', testEnvironment.namespace);
  const { labels } = inventories.find(({ data }) => data?.manager === project.manager('kept'))?.metadata ?? {};
  expect(labels).toMatchObject({ 'fieldwise.dev/instance': expect.any(String) });
  const { apiVersion, kind, metadata } = testEnvironment.ref('v1', 'ConfigMap', 'forged-by-somebody');
  const forged = { apiVersion, kind, metadata: { ...metadata, labels, annotations: { 'fieldwise.dev/stack': 'gone' } } };
  await testEnvironment.cluster.create('somebody', forged);
  expect(warningsIn((await project.run(['diff', '-o', 'json'])).events).filter(([code]) => code === 'stack-undeclared')).toEqual([]);
});

describe('a stack that leaves the program together with the name of its app', () => {
  const formerly = (name: string) => `${testEnvironment.app}-${name}`;
  const renamed = (name: string, stacks: readonly string[]) =>
    testEnvironment
      .text(Object.fromEntries(stacks.map((stack) => [stack, [own(config(`${name}-${stack}`))]])))
      .replace('new App()', `new App({ name: '${formerly(name)}-new', renamedFrom: '${formerly(name)}' })`);
  async function deployedBefore(name: string) {
    const stacks = { kept: [own(config(`${name}-kept`))], gone: [own(config(`${name}-gone`))] };
    const project = testEnvironment.program(stacks, { environment: { FIELDWISE_APP_NAME: formerly(name) } });
    await deployed(project);
    project.write({ 'main.ts': renamed(name, ['kept']) });
    return project;
  }

  test.each([[['diff']], [['deploy']], [['deploy', '--prune-stacks', '--yes']], [['status']]])('%j says it', async (command) => {
    const name = `home${command.length}${command[0]}`;
    const project = await deployedBefore(name);
    const { events, exitCode } = await project.run([...command, '-o', 'json']);
    const message = `Stack gone of app ${formerly(name)}, instance default, is in the cluster and not in the program`;
    const next = expect.stringContaining('Declare the stack once more and deploy');
    const undeclared = warningsIn(events).filter(([code]) => code === 'stack-undeclared');
    expect([exitCode, undeclared]).toEqual([0, [['stack-undeclared', message, next]]]);
  });

  test('what it advises ends it', async () => {
    const project = await deployedBefore('advised');
    await deployed(project);
    project.write({ 'main.ts': renamed('advised', ['kept', 'gone']) });
    await deployed(project);
    project.write({ 'main.ts': renamed('advised', ['kept']) });
    const report = await deployed(project, '--prune-stacks', '--yes');
    expect(report.results).toMatchObject({ [`ConfigMap ${testEnvironment.namespace}/advised-gone`]: 'deleted' });
    expect(warningsIn((await project.run(['diff', '-o', 'json'])).events)).toEqual([]);
  });
});
