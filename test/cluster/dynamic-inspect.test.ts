import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import { own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('dynseen');
const dynamic = { strategy: 'dynamic' };
const { config } = configMapHelpers(testEnvironment);

async function eventsOf(project: Project, words: readonly string[], event: string) {
  const { events, stderr, exitCode } = await project.run([...words, '-o', 'json']);
  return { events: events.filter((one) => one.event === event), stderr, exitCode };
}

test('status and drift see what a stack merged and what others changed of it', async () => {
  const at = testEnvironment.ref('v1', 'ConfigMap', 'drifting');
  const project = testEnvironment.program({ main: [own(config('drifting', { a: '1', b: '1' }), dynamic)] });
  await project.deploy();
  expect((await eventsOf(project, ['status'], 'status')).events).toMatchObject([{ state: 'in-sync', drift: [] }]);
  await testEnvironment.cluster.patch('them', at, { data: { a: '9', c: '9' } });
  const drift = { field: '.data.a', drift: 'changed', declared: '1', live: '9', owners: [{ manager: 'them' }] };
  expect((await eventsOf(project, ['status'], 'status')).events).toMatchObject([{ state: 'drifted', drift: [drift] }]);
  await project.deploy();
  expect((await eventsOf(project, ['status'], 'status')).events).toMatchObject([{ state: 'in-sync', drift: [] }]);
  expect((await testEnvironment.cluster.get(at)).data).toEqual({ a: '1', b: '1', c: '9' });
});

test('owners names the stack by what it remembers, and not the annotation', async () => {
  const app = { environment: { FIELDWISE_APP_NAME: `${testEnvironment.app}-owned` } };
  const one = testEnvironment.program({ one: [own(config('owned', { a: '1', both: '1' }), dynamic)] }, app);
  const two = testEnvironment.program({ two: [share(config('owned', { both: '1' }))] }, app);
  await one.deploy();
  await two.deploy();
  const { stdout, exitCode, stderr } = await one.run(['owners', 'ConfigMap/owned']);
  expect(exitCode, stderr).toBe(0);
  expect(stdout).not.toContain('applied.fieldwise.dev');
  const line = (field: string) => stdout.split('\n').find((text) => text.includes(field));
  expect(line('.data.a')).toMatch(/\bone\b/);
  expect(line('.data.both')).toMatch(/\bone\b.*\btwo\b/);
});

test('a saved plan is carried out as it was approved, and refused where a field has changed since', async () => {
  const at = testEnvironment.ref('v1', 'ConfigMap', 'saved');
  const project = testEnvironment.program({ main: [own(config('saved', { a: '1', b: '1' }), dynamic)] });
  await project.deploy();
  await testEnvironment.cluster.patch('them', at, { data: { a: '9' } });
  project.write({ 'main.ts': testEnvironment.text({ main: [own(config('saved', { a: '2' }), dynamic)] }) });
  const planned = await project.run(['diff', '--output-file', 'plan=plan.json']);
  expect(planned.exitCode, planned.stderr).toBe(0);
  await testEnvironment.cluster.patch('them', at, { data: { a: '8' } });
  const refused = await eventsOf(project, ['deploy', '--plan', 'plan.json'], 'summary');
  expect(refused.events).toMatchObject([{ ok: false, errors: [{ code: 'plan-outdated' }] }]);
  expect((await testEnvironment.cluster.get(at)).data).toEqual({ a: '8', b: '1' });

  expect((await project.run(['diff', '--output-file', 'plan=plan.json'])).exitCode).toBe(0);
  const done = await eventsOf(project, ['deploy', '--plan', 'plan.json'], 'object');
  expect(done.events, done.stderr).toMatchObject([
    { result: 'updated', forcedConflicts: [{ field: '.data.a', oldValue: '8', from: 'them' }] },
  ]);
  expect((await testEnvironment.cluster.get(at)).data).toEqual({ a: '2' });
});

test('a user with no rights but those that `rbac` prints can plan, deploy and destroy', async () => {
  const app = { environment: { FIELDWISE_APP_NAME: `${testEnvironment.app}-granted` } };
  const stacks = { main: [own(config('granted', { a: '1' }), dynamic)] };
  const printed = await testEnvironment.program(stacks, app).run(['rbac']);
  const role = parseAllDocuments(printed.stdout)
    .map((document) => document.toJS())
    .find(({ kind }) => kind === 'Role');
  const project = testEnvironment.program(stacks, { ...app, kubeconfig: await testEnvironment.account('granted', role.rules) });
  for (const words of [['diff'], ['deploy'], ['deploy'], ['destroy', '--yes']]) {
    const { exitCode, stdout, stderr } = await project.run(words);
    expect(exitCode, `${words.join(' ')}: ${stdout}${stderr}`).toBe(0);
  }
  expect(await testEnvironment.cluster.find(testEnvironment.ref('v1', 'ConfigMap', 'granted'))).toBeUndefined();
});
