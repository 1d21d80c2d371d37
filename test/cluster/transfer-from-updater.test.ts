import { expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { eventsOf } from '../harness/events.js';
import { own, share } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';
import { watchObject } from '../harness/watch.js';

const testEnvironment = await TestEnvironment.create('updater');

const config = (name: string, data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
const ref = (name: string) => testEnvironment.ref('v1', 'ConfigMap', name);
const live = (name: string) => testEnvironment.cluster.get(ref(name));
const owners = (name: string) => testEnvironment.cluster.owners(ref(name));
const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
const client = 'argocd-controller (Update)';
const fromArgo = (...fields: string[]) => ({
  transferFrom: { from: 'argocd-controller', ...(fields.length > 0 ? { fields } : {}) },
});

/** A sync of Argo CD without server-side apply. */
const updated = (name: string, data: object, metadata: object = {}, manager = 'argocd-controller') =>
  testEnvironment.cluster.create(manager, { ...config(name, data), metadata: { name, namespace: testEnvironment.namespace, ...metadata } });

/** What `kubectl apply` without --server-side leaves behind. */
const appliedByKubectl = (name: string, data: object) =>
  updated(name, data, { annotations: { [annotation]: JSON.stringify(config(name, data)) } }, 'kubectl-client-side-apply');

const lastApplied = async (name: string) => JSON.parse((await live(name)).metadata.annotations?.[annotation] ?? 'null')?.data;
const warned = (events: readonly ResponseBody[]) => eventsOf(events, 'warning').map(({ code }) => code);

test('transferFrom a manager that updates moves the declared fields, with their values; the others stay', async () => {
  await updated('declared', { b: '2', k: '1' });
  const project = testEnvironment.program({ main: [share(config('declared', { b: '2' }), fromArgo())] });
  const transferred = { from: 'argocd-controller', fields: ['.data.b'] };
  expect(eventsOf((await project.run(['diff', '-o', 'json'])).events, 'plan')).toMatchObject([{ action: 'update', transferred }]);
  const report = await project.deploy(['--yes']);
  expect([report.exitCode, report.only()], String(report)).toMatchObject([0, { result: 'updated', transferred }]);
  expect(await owners('declared')).toEqual({ [project.manager('main')]: ['.data.b'], [client]: ['.data.k'] });
  expect((await live('declared')).data).toEqual({ b: '2', k: '1' });
  expect(eventsOf((await project.run(['diff', '-o', 'json'])).events, 'plan')).toMatchObject([{ action: 'unchanged' }]);
  const version = await testEnvironment.cluster.resourceVersion(ref('declared'));
  expect((await project.deploy(['--yes'])).only().transferred).toBeUndefined();
  expect(await testEnvironment.cluster.resourceVersion(ref('declared'))).toBe(version);
});

test('in every state that a watch sees, the field has its value and an owner', async () => {
  await updated('watched', { b: '2', k: '1' });
  const project = testEnvironment.program({ main: [share(config('watched', { b: '2' }), fromArgo())] });
  const watched = await watchObject(testEnvironment.cluster, ref('watched'));
  expect((await project.deploy(['--yes'])).exitCode).toBe(0);
  const ownersOf = ({ object }: ResponseBody) =>
    object.metadata.managedFields
      .filter(({ fieldsV1 }: ResponseBody) => fieldsV1['f:data']?.['f:b'] !== undefined)
      .map(({ manager }: ResponseBody) => manager)
      .sort();
  await watched.until((event) => String(ownersOf(event)) === project.manager('main'));
  watched.stop();
  const main = project.manager('main');
  expect(watched.events.map(ownersOf)).toEqual([['argocd-controller'], ['argocd-controller', main], [main]]);
  for (const { object } of watched.events) expect(object.data).toEqual({ b: '2', k: '1' });
});

test('only the fields that the policy names move, and only of the named manager', async () => {
  await updated('limited', { a: '1', b: '2', k: '1' });
  await testEnvironment.cluster.apply('another-applier', { ...ref('limited'), data: { b: '2' } });
  const project = testEnvironment.program({ main: [share(config('limited', { a: '1', b: '2' }), fromArgo('data.b'))] });
  expect((await project.deploy(['--yes'])).only().transferred).toEqual({ from: 'argocd-controller', fields: ['.data.b'] });
  expect(await owners('limited')).toEqual({
    [project.manager('main')]: ['.data.a', '.data.b'],
    'another-applier': ['.data.b'],
    [client]: ['.data.a', '.data.k'],
  });
});

test('a manager that applies and updates gives up both', async () => {
  await updated('both', { a: '1', b: '2', k: '1' });
  await testEnvironment.cluster.apply('argocd-controller', { ...ref('both'), data: { b: '2', c: '3' } });
  const project = testEnvironment.program({ main: [share(config('both', { a: '1', b: '2' }), fromArgo())] });
  expect((await project.deploy(['--yes'])).only().transferred?.fields.toSorted()).toEqual(['.data.a', '.data.b']);
  expect(await owners('both')).toEqual({
    [project.manager('main')]: ['.data.a', '.data.b'],
    'argocd-controller': ['.data.c'],
    [client]: ['.data.k'],
  });
});

test('a value that differs is refused in plan and deploy, and nothing is changed', async () => {
  await updated('differs', { a: '1', b: '2' });
  const project = testEnvironment.program({ main: [share(config('differs', { a: '1', b: '3' }), fromArgo())] });
  const version = await testEnvironment.cluster.resourceVersion(ref('differs'));
  const [planned] = eventsOf((await project.run(['diff', '-o', 'json'])).events, 'plan');
  expect(planned).toMatchObject({ action: 'blocked', error: { code: 'handoff-value-differs' } });
  const report = await project.deploy(['--yes']);
  expect([report.exitCode, report.only().error?.code]).toEqual([4, 'handoff-value-differs']);
  expect(await testEnvironment.cluster.resourceVersion(ref('differs'))).toBe(version);
});

test('the last-applied annotation loses the fields, too, so that kubectl does not delete them; it does so again', async () => {
  await appliedByKubectl('annotated', { b: '2', k: '1' });
  const policy = { transferFrom: { from: 'kubectl-client-side-apply' } };
  const project = testEnvironment.program({ main: [share(config('annotated', { b: '2' }), policy)] });
  const plan = await project.run(['diff', '-o', 'json']);
  expect(eventsOf(plan.events, 'plan')).toMatchObject([{ transferred: { from: 'kubectl-client-side-apply', fields: ['.data.b'] } }]);
  expect(warned(plan.events)).not.toContain('in-last-applied');
  expect((await project.deploy(['--yes'])).exitCode).toBe(0);
  expect(await lastApplied('annotated')).toEqual({ k: '1' });
  const kubectls = ['.data.k', `.metadata.annotations.${annotation}`];
  expect(await owners('annotated')).toEqual({
    [project.manager('main')]: ['.data.b'],
    'kubectl-client-side-apply (Update)': kubectls,
  });
  // An apply of equal values returns the field to the annotation alone.
  const again = { metadata: { annotations: { [annotation]: JSON.stringify(config('annotated', { b: '2', k: '1' })) } } };
  await testEnvironment.cluster.patch('kubectl-client-side-apply', ref('annotated'), again);
  expect((await project.deploy(['--yes'])).only().transferred).toEqual({ from: 'kubectl-client-side-apply', fields: ['.data.b'] });
  expect(await lastApplied('annotated')).toEqual({ k: '1' });
  expect((await live('annotated')).data).toEqual({ b: '2', k: '1' });
});

test('an own object: the stack is the only owner, and the annotation goes', async () => {
  await appliedByKubectl('owned', { b: '2' });
  const policy = { transferFrom: { from: 'kubectl-client-side-apply' } };
  const project = testEnvironment.program({ main: [own(config('owned', { b: '2' }), policy)] });
  expect((await project.deploy(['--yes'])).exitCode).toBe(0);
  expect(await owners('owned')).toEqual({ [project.manager('main')]: ['.data.b'] });
  expect((await live('owned')).metadata.annotations?.[annotation]).toBeUndefined();
});

test('under the strategy dynamic it is refused', async () => {
  await updated('dynamic', { b: '2' });
  const project = testEnvironment.program({ main: [share(config('dynamic', { b: '2' }), { ...fromArgo(), strategy: 'dynamic' })] });
  const [planned] = eventsOf((await project.run(['diff', '-o', 'json'])).events, 'plan');
  expect([planned?.action, planned?.error?.code]).toEqual(['blocked', 'handoff-dynamic']);
  const report = await project.deploy(['--yes']);
  expect([report.exitCode, report.only().error?.code]).toEqual([4, 'handoff-dynamic']);
  expect(await owners('dynamic')).toEqual({ [client]: ['.data.b'] });
});

test('what a manager owns through a subresource stays with it, and plan and deploy say so', async () => {
  const at = testEnvironment.ref('apps/v1', 'Deployment', 'scaled');
  const labels = { app: 'scaled' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'a:1' }] } };
  await testEnvironment.cluster.create('maker', { ...at, spec: { selector: { matchLabels: labels }, template, replicas: 1 } });
  await testEnvironment.cluster.patch('autoscaler', at, { spec: { replicas: 4 } }, 'merge', 'scale');
  const declared = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'scaled' }, spec: { replicas: 4 } };
  const project = testEnvironment.program({ main: [share(declared, { transferFrom: { from: 'autoscaler' } })] });
  for (const words of [
    ['diff', '-o', 'json'],
    ['deploy', '--yes', '-o', 'json'],
  ]) {
    const { events, exitCode, stderr } = await project.run(words);
    expect(exitCode, stderr).toBe(0);
    const [warning] = eventsOf(events, 'warning').filter(({ code }) => code === 'transfer-from-subresource');
    expect(warning?.message).toContain('autoscaler owns .spec.replicas through the subresource scale, which no transfer ends');
  }
  const owned = await testEnvironment.cluster.owners(at);
  expect(owned['autoscaler (Update, scale)']).toEqual(['.spec.replicas']);
  expect(owned[project.manager('main')]).toEqual(['.spec.replicas']);
});

test.each([
  { what: 'of fields that the policy does not name', fields: ['data.k'], declared: { b: '2', k: '1' } },
  { what: 'of fields that the program does not declare', fields: [], declared: { k: '1' } },
])('nothing is transferred $what', async ({ fields, declared }) => {
  const name = `quiet-${fields.length}`;
  await updated(name, { b: '2' });
  const project = testEnvironment.program({ main: [share(config(name, declared), fromArgo(...fields))] });
  expect(eventsOf((await project.run(['diff', '-o', 'json'])).events, 'plan')[0]?.transferred).toBeUndefined();
  const report = await project.deploy(['--yes']);
  expect([report.exitCode, report.only().transferred], String(report)).toEqual([0, undefined]);
  expect((await owners(name))[client]).toEqual(['.data.b']);
});

test('nor on a new object', async () => {
  const project = testEnvironment.program({ main: [share(config('fresh', { b: '2' }), { ...fromArgo(), ifAbsent: 'create' })] });
  const report = await project.deploy(['--yes']);
  expect([report.exitCode, report.only().result]).toEqual([0, 'created']);
});
