import { expect, test } from 'vitest';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('race');

const { placed } = configMapHelpers(testEnvironment);
const dataOf = async (name: string) => (await testEnvironment.cluster.get(testEnvironment.ref('v1', 'ConfigMap', name))).data;
const foreign = (manager: string, name: string, data: object) =>
  testEnvironment.cluster.apply(manager, placed(name, data), { force: true });

/** A program that declares a and b, deployed; then `one` takes a, so that the next deploy meets a conflict. */
async function contested(name: string, policy?: object) {
  const proxy = await testEnvironment.proxy();
  const project = testEnvironment.program({ main: [own(placed(name, { a: 'ours', b: 'ours' }), policy)] });
  await project.deploy();
  await foreign('one', name, { a: 'one' });
  return { proxy, project };
}

const applies = (requests: readonly { method: string; query: URLSearchParams }[]) =>
  requests.filter(({ method }) => method === 'PATCH').map(({ query }) => query.get('force') === 'true');

test('without a conflict: one PATCH an object, no GET where the intent is unchanged', async () => {
  const proxy = await testEnvironment.proxy();
  const project = testEnvironment.program({ main: [own(placed('plain-1', { a: '1' })), own(placed('plain-2', { a: '1' }))] });
  for (const [result, ...methods] of [
    ['created', 'GET', 'PATCH'],
    ['unchanged', 'PATCH'],
  ]) {
    proxy.requests.length = 0;
    const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
    expect(report.objects.map((object) => object.result)).toEqual([result, result]);
    for (const name of ['plain-1', 'plain-2']) expect(proxy.requestsFor(name).map(({ method }) => method)).toEqual(methods);
  }
});

test('with a conflict: unforced PATCH, one GET, forced PATCH with uid and resourceVersion of what was read', async () => {
  const { proxy, project } = await contested('passes');
  const { uid, resourceVersion } = (await testEnvironment.cluster.get(testEnvironment.ref('v1', 'ConfigMap', 'passes'))).metadata;
  const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
  expect(report.only().forcedConflicts).toMatchObject([{ field: '.data.a', oldValue: 'one', newValue: 'ours', from: 'one' }]);
  const requests = proxy.requestsFor('passes');
  expect(requests.map(({ method, status }) => `${method} ${status}`)).toEqual(['PATCH 409', 'GET 200', 'PATCH 200']);
  expect(applies(requests)).toEqual([false, true]);
  expect(requests[0]!.body.metadata).not.toHaveProperty('resourceVersion');
  expect(requests[2]!.body.metadata).toMatchObject({ uid, resourceVersion });
});

test('a foreign write of another field lands before the forced pass: it is reported before it is taken', async () => {
  const { proxy, project } = await contested('between');
  let written = false;
  proxy.onRequest = async ({ method, path, query }) => {
    if (written || method !== 'PATCH' || !path.endsWith('/between') || query.get('force') !== 'true') return undefined;
    written = true;
    await foreign('two', 'between', { b: 'two' });
    return undefined;
  };
  const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
  expect(written).toBe(true);
  expect(report.exitCode, String(report)).toBe(0);
  expect(report.only().forcedConflicts).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ field: '.data.a', oldValue: 'one', from: 'one' }),
      expect.objectContaining({ field: '.data.b', oldValue: 'two', from: 'two' }),
    ]),
  );
  expect(report.only().forcedConflicts).toHaveLength(2);
  expect(await dataOf('between')).toEqual({ a: 'ours', b: 'ours' });
});

test('the same where that field may not be forcedConflicts: nothing is', async () => {
  const { proxy, project } = await contested('guarded', { fields: { 'data.b': { conflicts: 'fail' } } });
  let written = false;
  proxy.onRequest = async ({ method, path, query }) => {
    if (written || method !== 'PATCH' || !path.endsWith('/guarded') || query.get('force') !== 'true') return undefined;
    written = true;
    await foreign('two', 'guarded', { b: 'two' });
    return undefined;
  };
  const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
  expect(written).toBe(true);
  expect(report.exitCode).toBe(5);
  expect(report.only()).toMatchObject({ result: 'conflict', forcedConflicts: [] });
  expect(await dataOf('guarded')).toEqual({ a: 'one', b: 'two' });
});

test('a foreign write between the unforced pass and the read: every field taken is reported', async () => {
  const { proxy, project } = await contested('unseen');
  let written = false;
  proxy.onRequest = async ({ method, path }) => {
    if (written || method !== 'GET' || !path.endsWith('/unseen')) return undefined;
    written = true;
    await foreign('two', 'unseen', { b: 'two' });
    return undefined;
  };
  const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
  expect(written).toBe(true);
  expect(await dataOf('unseen')).toEqual({ a: 'ours', b: 'ours' });
  expect(
    report
      .only()
      .forcedConflicts.map(({ field }) => field)
      .sort(),
  ).toEqual(['.data.a', '.data.b']);
});

test('the contested field is written once more before the forced pass: the reported old value is the one taken', async () => {
  const { proxy, project } = await contested('newer');
  let written = false;
  proxy.onRequest = async ({ method, path, query }) => {
    if (written || method !== 'PATCH' || !path.endsWith('/newer') || query.get('force') !== 'true') return undefined;
    written = true;
    await foreign('one', 'newer', { a: 'newest' });
    return undefined;
  };
  const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
  expect(report.only().forcedConflicts).toMatchObject([{ field: '.data.a', oldValue: 'newest', from: 'one' }]);
});

test('somebody who writes each time: gives up after a bounded number of rounds, nothing taken', async () => {
  const { proxy, project } = await contested('endless');
  let writes = 0;
  proxy.onRequest = async ({ method, path, query }) => {
    if (method !== 'PATCH' || !path.endsWith('/endless') || query.get('force') !== 'true') return undefined;
    writes += 1;
    await foreign('one', 'endless', { a: `one-${writes}` });
    return undefined;
  };
  const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
  expect(report.exitCode).toBe(4);
  expect(report.only()).toMatchObject({ result: 'failed', forcedConflicts: [], error: { code: 'apply-contended' } });
  expect(writes).toBe(8);
  expect(await dataOf('endless')).toEqual({ a: `one-${writes}`, b: 'ours' });
});

test('the object is replaced by another of its name between the passes: nothing of the new one is taken', async () => {
  const { proxy, project } = await contested('replaced');
  let replaced = false;
  proxy.onRequest = async ({ method, path, query }) => {
    if (replaced || method !== 'PATCH' || !path.endsWith('/replaced') || query.get('force') !== 'true') return undefined;
    replaced = true;
    await testEnvironment.cluster.remove(testEnvironment.ref('v1', 'ConfigMap', 'replaced'));
    await foreign('two', 'replaced', { a: 'two', c: 'two' });
    return undefined;
  };
  const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
  expect(replaced).toBe(true);
  expect(report.only()).toMatchObject({ result: 'failed', forcedConflicts: [], error: { code: 'force-unconfirmed' } });
  expect(await dataOf('replaced')).toEqual({ a: 'two', c: 'two' });
});
