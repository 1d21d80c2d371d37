import { describe, expect, test } from 'vitest';
import { shardName } from '../../src/engine/inventory/stack-identity.js';
import type { ResponseBody } from '../harness/api-client.js';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import { own } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('ids');
const { cluster } = testEnvironment;
const { config, ref, edit } = configMapHelpers(testEnvironment);

/** Two programs of one name, as two repositories have them. */
function programs(name: string, ids: readonly (string | undefined)[]): [Project, Project] {
  const environment = { FIELDWISE_APP_NAME: `${testEnvironment.app}-${name}` };
  return [0, 1].map((index) => {
    const project = testEnvironment.program({ web: [own(config(`${name}-${index}`))] }, { environment });
    project.write({ 'fieldwise.yaml': `app: main.ts\n${ids[index] ? `id: ${ids[index]}\n` : ''}` });
    return project;
  }) as [Project, Project];
}

const exists = async (name: string) => (await cluster.find(ref(name))) !== undefined;
const inventoryOf = async (project: Project) => {
  const manager = project.manager('web');
  const [, app = '', instance = '', stack = ''] = manager.split('/');
  return cluster.get(ref(shardName({ app, instance, stack, manager }, 0)));
};
const idIn = async (project: Project) => (await inventoryOf(project)).metadata.annotations['fieldwise.dev/program'];
const codesOf = (report: { readonly result: { readonly events: readonly ResponseBody[] } }) =>
  report.result.events.filter(({ event }) => event === 'warning').map(({ code }) => code);

describe('two programs of one app, instance and stack', () => {
  test('with two ids: none changes or deletes what the other deploys, whatever is confirmed', async () => {
    const [one, other] = programs('two', ['shop-1111', 'shop-2222']);
    await deployed(one);
    for (const words of [
      ['deploy', '--yes'],
      ['deploy', '--yes', '--prune-stacks'],
      ['destroy', '--yes'],
      ['diff'],
      ['rbac'],
      ['drift', '--repair', '--yes'],
    ]) {
      const refused = await other.run(words);
      expect([words, refused.exitCode]).toEqual([words, 2]);
      expect(refused.stderr).toContain('its id is shop-1111');
      expect(refused.stderr).toContain('--take-over shop-1111');
    }
    expect([await exists('two-0'), await exists('two-1'), await idIn(one)]).toEqual([true, false, 'shop-1111']);
    expect((await other.run(['diff', '--take-over', 'shop-1111'])).exitCode).toBe(0);
    expect((await other.run(['deploy', '--yes', '--take-over', 'shop-3333'])).exitCode, 'of a third program').toBe(2);
    const taken = await other.run(['deploy', '--yes', '--take-over', 'shop-1111']);
    expect(taken.exitCode, taken.stderr).toBe(0);
    expect([await exists('two-0'), await exists('two-1'), await idIn(one)]).toEqual([false, true, 'shop-2222']);
    expect((await one.run(['deploy', '--yes'])).exitCode).toBe(2);
    expect((await other.run(['deploy', '--yes'])).exitCode).toBe(0);
  });

  test('an id against none is one line, once; a program without an id is asked nothing new, and leaves the id', async () => {
    const [one, other] = programs('none', [undefined, 'shop-2222']);
    await deployed(one);
    for (const command of ['diff', 'rbac']) {
      const { exitCode, stderr } = await other.run([command]);
      expect([exitCode, stderr]).toEqual([0, expect.stringContaining('[program-unknown]')]);
    }
    const first = await other.deploy(['--yes']);
    expect([first.exitCode, codesOf(first)], String(first)).toEqual([0, ['program-unknown']]);
    expect(await idIn(other)).toBe('shop-2222');
    expect(codesOf(await deployed(other))).toEqual([]);
    const without = await one.deploy(['--yes']);
    expect([without.exitCode, codesOf(without)], String(without)).toEqual([0, []]);
    expect(await idIn(other)).toBe('shop-2222');
  });

  test('a destroy of what a program without an id deployed says so before it deletes', async () => {
    const [one, other] = programs('unsaid', [undefined, 'shop-2222']);
    await deployed(one);
    const asked = await other.run(['destroy']);
    expect([asked.exitCode, asked.stderr]).toEqual([2, expect.stringContaining('[program-unknown]')]);
    expect(await exists('unsaid-0')).toBe(true);
    expect(codesOf(await other.destroy())).toEqual(['program-unknown']);
  });

  test('the id is in the assembly, for a job that has nothing else', async () => {
    const [one, other] = programs('artifact', ['shop-1111', 'shop-2222']);
    await deployed(one);
    await other.run(['synth', '--outdir', 'artifact']);
    other.write({ 'fieldwise.yaml': '' });
    const refused = await other.run(['deploy', '-a', 'artifact', '--yes']);
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('[stack-of-another-program]') });
  });
});

test('a stack of another program is neither pruned nor named; one under the former name of the app is pruned where it has the id', async () => {
  const name = `${testEnvironment.app}-renamed`;
  const environment = { FIELDWISE_APP_NAME: name };
  const before = testEnvironment.program({ web: [own(config('renamed-web'))], gone: [own(config('renamed-gone'))] }, { environment });
  const foreign = testEnvironment.program({ theirs: [own(config('renamed-theirs'))] }, { environment });
  before.write({ 'fieldwise.yaml': 'app: main.ts\nid: shop-1111\n' });
  foreign.write({ 'fieldwise.yaml': 'app: main.ts\nid: shop-2222\n' });
  await deployed(before);
  await deployed(foreign);
  const after = testEnvironment.program({ web: [own(config('renamed-web'))] }, { environment: { FIELDWISE_APP_NAME: `${name}-new` } });
  const text = testEnvironment.text({ web: [own(config('renamed-web'))] });
  after.write({
    'main.ts': text.replace('new App()', `new App({ renamedFrom: '${name}' })`),
    'fieldwise.yaml': 'app: main.ts\nid: shop-1111\n',
  });
  const diff = await after.run(['diff']);
  expect(diff.stderr).toContain('[stack-undeclared]');
  expect(diff.stderr).not.toContain('theirs');
  const asked = await after.run(['deploy', '--prune-stacks']);
  expect([asked.exitCode, asked.stderr]).toEqual([2, expect.stringContaining('renamed-gone')]);
  expect(asked.stderr, 'the stack under its former name is nobody else').not.toMatch(/declares it, too|fieldwise adopt/);
  for (const words of [
    ['destroy', 'gone'],
    ['rollback', '1', 'gone'],
    ['rollback', '1', `${name}/default/gone`],
  ]) {
    const refused = await after.run(words);
    expect([words, refused.exitCode, refused.stderr]).toEqual([
      words,
      2,
      expect.stringContaining(`a former name of the program: app ${name}, instance default`),
    ]);
    expect(refused.stderr).toContain(
      `Declare it once more and deploy: it comes under the new name. \`fieldwise history ${name}/default/gone\``,
    );
  }
  expect((await after.run(['history', 'gone'])).stdout).toContain('1 created');
  const report = await after.run(['deploy', '--yes', '--prune-stacks']);
  expect(report.exitCode, report.stderr).toBe(0);
  expect([await exists('renamed-web'), await exists('renamed-gone'), await exists('renamed-theirs')]).toEqual([true, false, true]);
  edit(foreign, { theirs: [own(config('renamed-theirs'))] });
  await deployed(foreign);
});

test('a former name that another program has by now: nothing of it is taken over, and one line says so', async () => {
  const name = `${testEnvironment.app}-freed`;
  const of = (app: string, id: string, text: string) => {
    const project = testEnvironment.program({}, { environment: { FIELDWISE_APP_NAME: app } });
    project.write({ 'fieldwise.yaml': `app: main.ts\nid: ${id}\n`, 'main.ts': text });
    return project;
  };
  const text = testEnvironment.text({ web: [own(config('freed-ours'))] });
  await deployed(of(name, 'shop-1111', text));
  const renamed = of(`${name}-new`, 'shop-1111', text.replace('new App()', `new App({ renamedFrom: '${name}' })`));
  await deployed(renamed);
  const other = of(name, 'shop-2222', testEnvironment.text({ web: [own(config('freed-theirs'))] }));
  await deployed(other);
  const again = await renamed.deploy(['--yes']);
  expect([again.exitCode, codesOf(again)], String(again)).toEqual([0, ['former-name-taken']]);
  expect([await exists('freed-ours'), await exists('freed-theirs')]).toEqual([true, true]);
  expect((await renamed.destroy()).exitCode).toBe(0);
  expect([await exists('freed-ours'), await exists('freed-theirs'), await idIn(other)]).toEqual([false, true, 'shop-2222']);
  expect((await other.run(['history', '-o', 'json'])).events.filter(({ event }) => event === 'revision')).toHaveLength(1);
});

test('a former name under which a program of another id deploys: nothing is taken over before --take-over, and then all of it', async () => {
  const name = `${testEnvironment.app}-stranger`;
  const theirs = testEnvironment.program({ web: [own(config('stranger-web'))] }, { environment: { FIELDWISE_APP_NAME: name } });
  theirs.write({ 'fieldwise.yaml': 'app: main.ts\nid: shop-1111\n' });
  await deployed(theirs);
  const renamed = testEnvironment.program({}, { environment: { FIELDWISE_APP_NAME: `${name}-new` } });
  const text = testEnvironment.text({ web: [own(config('stranger-web'))] });
  renamed.write({
    'main.ts': text.replace('new App()', `new App({ renamedFrom: '${name}' })`),
    'fieldwise.yaml': 'app: main.ts\nid: shop-2222\n',
  });
  for (const words of [
    ['deploy', '--yes'],
    ['destroy', '--yes'],
    ['diff'],
    ['rbac'],
    ['status'],
    ['deploy', '--yes', '--take-over', 'shop-3333'],
  ]) {
    const refused = await renamed.run(words);
    expect([words, refused.exitCode]).toEqual([words, 2]);
    expect(refused.stderr).toContain(
      `Stack web of app ${name} (default), a former name of stack web, is deployed by another program: its id is shop-1111`,
    );
    expect(refused.stderr).toContain('--take-over shop-1111');
    expect(refused.stderr).toContain('`renamedFrom`');
  }
  expect(Object.keys(await cluster.owners(ref('stranger-web')))).toEqual([theirs.manager('web')]);
  const taken = await renamed.deploy(['--yes', '--take-over', 'shop-1111']);
  expect([taken.exitCode, codesOf(taken)], String(taken)).toEqual([0, []]);
  expect(Object.keys(await cluster.owners(ref('stranger-web')))).toEqual([renamed.manager('web')]);
  expect(await idIn(renamed)).toBe('shop-2222');
  expect((await renamed.destroy()).exitCode).toBe(0);
  expect(await exists('stranger-web')).toBe(false);
});

test('a run that takes over a former name and is killed is finished by the same command', async () => {
  const name = `${testEnvironment.app}-halfway`;
  const objects = { web: [own(config('halfway-a')), own(config('halfway-b'))] };
  const theirs = testEnvironment.program(objects, { environment: { FIELDWISE_APP_NAME: name } });
  theirs.write({ 'fieldwise.yaml': 'app: main.ts\nid: shop-1111\n' });
  await deployed(theirs);
  const renamed = testEnvironment.program({}, { environment: { FIELDWISE_APP_NAME: `${name}-new` } });
  renamed.write({
    'main.ts': testEnvironment.text(objects).replace('new App()', `new App({ renamedFrom: '${name}' })`),
    'fieldwise.yaml': 'app: main.ts\nid: shop-2222\n',
  });
  const takeOver = ['deploy', '--yes', '--concurrency', '1', '--take-over', 'shop-1111'];
  const isFirst = ({ method, path }: { method: string; path: string }) => method === 'PATCH' && path.includes('/halfway-');
  expect(await testEnvironment.killRun((options) => renamed.run(takeOver, options), isFirst)).toBe(true);
  const finished = await renamed.run(takeOver);
  expect(finished.exitCode, finished.stderr).toBe(0);
  for (const each of ['halfway-a', 'halfway-b']) expect(Object.keys(await cluster.owners(ref(each)))).toEqual([renamed.manager('web')]);
  expect(codesOf(await deployed(renamed))).toEqual([]);
  expect((await renamed.destroy()).exitCode).toBe(0);
  expect([await exists('halfway-a'), await exists('halfway-b')]).toEqual([false, false]);
});

test('--take-over of an id that no stack of the program has is named; --prune-stacks removes the undeclared stacks of one that it names', async () => {
  const [one, other] = programs('unused', ['shop-1111', 'shop-2222']);
  edit(one, { web: [own(config('unused-0'))], gone: [own(config('unused-gone'))] });
  await deployed(one);
  const taken = await other.deploy(['--yes', '--take-over', 'shop-1111', '--prune-stacks']);
  expect([taken.exitCode, codesOf(taken)], String(taken)).toEqual([0, []]);
  expect([await exists('unused-0'), await exists('unused-1'), await exists('unused-gone')]).toEqual([false, true, false]);
  for (const id of ['shop-1111', 'shop-2222']) {
    const idle = await other.deploy(['--yes', '--take-over', id]);
    expect([idle.exitCode, codesOf(idle)], String(idle)).toEqual([0, ['flag-unmatched']]);
    expect((await other.run(['diff', '--take-over', id])).stderr).toContain('[flag-unmatched]');
  }
  const destroyed = await other.run(['destroy', '--yes', '--take-over', 'shop-1111']);
  expect([destroyed.exitCode, destroyed.stderr]).toEqual([0, expect.stringContaining('[flag-unmatched]')]);
});
