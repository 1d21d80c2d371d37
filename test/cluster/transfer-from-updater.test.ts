import { expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { share } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('updater');

const config = (name: string, data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
const ref = (name: string) => testEnvironment.ref('v1', 'ConfigMap', name);
const owners = (name: string) => testEnvironment.cluster.owners(ref(name));
const client = 'argocd-controller (Update)';
const next =
  'Deploy the stack, then run `fieldwise adopt --from argocd-controller`, which ends its ownership of all fields that the stack declares (docs/adopt.md).';

/** A sync of Argo CD without server-side apply. */
const updated = (name: string, data: object) =>
  testEnvironment.cluster.create('argocd-controller', { ...config(name, data), metadata: { name, namespace: testEnvironment.namespace } });

const told = (events: readonly ResponseBody[]) =>
  events.filter(({ code }) => code === 'transfer-from-updater').map(({ message, next }) => ({ message, next }));

test('transferFrom a manager that updates: plan and deploy say so, and the command that they name moves the field', async () => {
  await updated('declared', { b: '2', k: '1' });
  const policy = { transferFrom: { from: 'argocd-controller' } };
  const project = testEnvironment.program({ main: [share(config('declared', { b: '2' }), policy)] });
  const object = `ConfigMap ${testEnvironment.namespace}/declared of stack main`;
  const what = 'argocd-controller owns .data.b by updates, and transferFrom ends only the ownership of a manager that applies';
  const expected = [{ message: `${object}: ${what}`, next }];
  expect(told((await project.run(['diff', '-o', 'json'])).events)).toEqual(expected);
  expect(told((await project.run(['deploy', '--yes', '-o', 'json'])).events)).toEqual(expected);
  expect((await owners('declared'))[client]).toEqual(['.data.b', '.data.k']);
  expect((await project.run(['adopt', '--yes', '--from', 'argocd-controller'])).exitCode).toBe(0);
  expect(await owners('declared')).toEqual({ [project.manager('main')]: ['.data.b'], [client]: ['.data.k'] });
  for (const verb of [['diff'], ['deploy', '--yes']]) expect(told((await project.run([...verb, '-o', 'json'])).events)).toEqual([]);
});

test.each([
  { what: 'of fields that the policy does not name', fields: ['data.k'], declared: { b: '2', k: '1' }, others: { b: '2' } },
  { what: 'of fields that the program does not declare', fields: undefined, declared: { k: '1' }, others: { b: '2' } },
  { what: 'of a value that the deploy takes by force', fields: undefined, declared: { b: '3' }, others: { b: '2' } },
])('transferFrom says nothing $what', async ({ fields, declared, others }) => {
  const name = `quiet-${Object.keys(declared).join('-')}-${Object.values(declared).join('-')}`;
  await updated(name, others);
  const policy = { transferFrom: { from: 'argocd-controller', ...(fields === undefined ? {} : { fields }) } };
  const project = testEnvironment.program({ main: [share(config(name, declared), policy)] });
  for (const verb of [['diff'], ['deploy', '--yes']]) {
    const { events, exitCode, stderr } = await project.run([...verb, '-o', 'json']);
    expect([exitCode, told(events)], stderr).toEqual([0, []]);
  }
});

test('nor on a new object', async () => {
  const policy = { transferFrom: { from: 'argocd-controller' }, ifAbsent: 'create' };
  const project = testEnvironment.program({ main: [share(config('fresh', { b: '2' }), policy)] });
  for (const verb of [['diff'], ['deploy', '--yes']]) expect(told((await project.run([...verb, '-o', 'json'])).events)).toEqual([]);
});

test('a handoff from a manager that updates is refused before anything is changed', async () => {
  await updated('handed', { b: '2', k: '1' });
  const project = testEnvironment.program({ main: [share(config('handed', { b: '2' }))] });
  const version = await testEnvironment.cluster.resourceVersion(ref('handed'));
  const words = ['handoff', '--from', 'manager:argocd-controller', '--to', 'main', '--yes'];
  for (const limits of [[], ['ConfigMap/handed'], ['.data.b']]) {
    const { exitCode, stdout, stderr } = await project.run([...words, ...limits]);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
      'argocd-controller owns .data.b by updates, and a handoff ends only the ownership of a manager that applies.',
    );
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(`Nothing was changed. ${next} [handoff-from-updater]`);
  }
  expect(await testEnvironment.cluster.resourceVersion(ref('handed'))).toBe(version);

  await testEnvironment.cluster.apply('argocd-controller', { ...ref('handed'), data: { b: '2' } });
  expect((await project.run(words)).stderr).toContain('[handoff-from-updater]'); // A manager may have both kinds of entries.
  expect((await project.deploy(['--yes'])).exitCode).toBe(0);
  expect((await project.run(['adopt', '--yes', '--from', 'argocd-controller'])).exitCode).toBe(0);
  expect((await project.run(words)).exitCode).toBe(0);
  expect((await owners('handed'))[project.manager('main')]).toEqual(['.data.b']);
});
