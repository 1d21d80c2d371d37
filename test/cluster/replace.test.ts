import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { eventsOf } from '../harness/events.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('replace');

const labelled = (name: string, app: string) => ({
  ...testEnvironment.ref('apps/v1', 'Deployment', name),
  spec: {
    selector: { matchLabels: { app } },
    template: { metadata: { labels: { app } }, spec: { containers: [{ name: 'api', image: 'registry.example.com/api:1' }] } },
  },
});
/** No controller makes a Deployment ready here. */
const quick = { environment: { FIELDWISE_POLICY: '{"wait":false}' } };
const ref = (name: string) => testEnvironment.ref('apps/v1', 'Deployment', name);
const uidOf = async (name: string) => (await testEnvironment.cluster.get(ref(name))).metadata.uid;
const config = (name: string, data: object, more: object = {}) => ({ ...testEnvironment.ref('v1', 'ConfigMap', name), data, ...more });

/** A deployed program of which the selector then changes. */
async function changed(name: string, policy?: object) {
  const project = testEnvironment.program({ main: [own(labelled(name, 'old'), policy)] }, quick);
  await project.deploy();
  project.write({ 'main.ts': testEnvironment.text({ main: [own(labelled(name, 'new'), policy)] }) });
  return project;
}

const planOf = ({ events }: { events: readonly ResponseBody[] }) => eventsOf(events, 'plan')[0];

describe('a selector changes, which the server does not allow', () => {
  test('without replace: blocked in the plan and failed in the deploy, both with the field', async () => {
    const project = await changed('kept');
    const before = await testEnvironment.cluster.get(ref('kept'));
    const plan = planOf(await project.run(['diff', '-o', 'json']));
    expect(plan).toMatchObject({ action: 'blocked', error: { code: 'field-immutable' } });
    expect(plan?.fields).toMatchObject([{ field: '.spec.selector', change: 'rejected', reason: expect.stringMatching(/immutable/) }]);
    const report = await project.deploy();
    expect(report.exitCode).toBe(4);
    expect(report.only()).toMatchObject({ result: 'failed', error: { code: 'field-immutable' } });
    expect(report.only().error?.message).toContain('.spec.selector');
    expect(await testEnvironment.cluster.get(ref('kept'))).toEqual(before);
  });

  test.each(['intent', 'stack'])('with replace at the %s: created again, the old object in the report', async (level) => {
    const name = `anew-${level}`;
    const project = await changed(name, level === 'intent' ? { replace: true } : undefined);
    if (level === 'stack') {
      const text = testEnvironment.text({ main: [own(labelled(name, 'new'))] });
      project.write({ 'main.ts': text.replace('"main")', '"main", { policy: { replace: true } })') });
    }
    const proxy = await testEnvironment.proxy();
    const before = await testEnvironment.cluster.get(ref(name));
    const plan = planOf(await project.run(['diff', '-o', 'json']));
    expect(plan).toMatchObject({ action: 'recreate', fields: [{ field: '.spec.selector', change: 'change' }] });
    expect(await uidOf(name)).toBe(before.metadata.uid);

    const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only()).toMatchObject({ result: 'recreated', replaced: { spec: before.spec, metadata: { uid: before.metadata.uid } } });
    const { uid, resourceVersion } = before.metadata;
    const deletion = proxy.requests.find(({ method, path }) => method === 'DELETE' && path.endsWith(`/${name}`));
    expect(deletion?.body.preconditions).toEqual({ uid, resourceVersion });
    const live = await testEnvironment.cluster.get(ref(name));
    expect(live.metadata.uid).not.toBe(uid);
    expect(live.spec.selector).toEqual({ matchLabels: { app: 'new' } });
    expect(Object.keys(await testEnvironment.cluster.owners(ref(name)))).toEqual([project.manager('main')]);
    expect((await project.deploy()).only().result).toBe('unchanged');
    expect((await project.destroy()).only().result).toBe('deleted');
  });

  test.each([
    ['an applier', (name: string) => testEnvironment.cluster.apply('other', { ...ref(name), spec: { replicas: 4 } }), 'other'],
    ['an updater', (name: string) => testEnvironment.cluster.patch('other', ref(name), { spec: { replicas: 4 } }), 'other \\(Update\\)'],
  ])('with replace, and %s owns fields of its spec: not replaced', async (what, write, named) => {
    const name = `held-${what.replaceAll(' ', '-')}`;
    const project = await changed(name, { replace: true });
    await write(name);
    const before = await testEnvironment.cluster.get(ref(name));
    expect(planOf(await project.run(['diff', '-o', 'json']))).toMatchObject({ action: 'blocked', reason: expect.stringMatching(named) });
    const report = await project.deploy();
    expect(report.only()).toMatchObject({ result: 'failed', error: { code: 'field-immutable', message: expect.stringMatching(named) } });
    expect(await testEnvironment.cluster.get(ref(name))).toEqual(before);
  });

  test('with replace, and the object was there before the stack: not replaced', async () => {
    await testEnvironment.cluster.create('somebody', labelled('found', 'old'));
    const project = testEnvironment.program({ main: [own(labelled('found', 'new'), { replace: true })] });
    const report = await project.deploy(['--yes']);
    expect(report.only().error).toMatchObject({
      code: 'field-immutable',
      message: expect.stringMatching(/did not create it|lose the fields they own/),
    });
    expect((await testEnvironment.cluster.get(ref('found'))).spec.selector).toEqual({ matchLabels: { app: 'old' } });
  });

  test('with replace, and somebody has scaled it, which leaves no owner: not replaced', async () => {
    const project = await changed('scaled', { replace: true });
    await testEnvironment.cluster.patch('kubectl', ref('scaled'), { spec: { replicas: 4 } }, 'merge', 'scale');
    expect(planOf(await project.run(['diff', '-o', 'json']))).toMatchObject({ action: 'blocked' });
    const report = await project.deploy();
    expect(report.only()).toMatchObject({
      result: 'failed',
      error: { code: 'field-immutable', message: expect.stringMatching(/scaled it to 4/) },
    });
    expect((await testEnvironment.cluster.get(ref('scaled'))).spec.replicas).toBe(4);
  });

  test('somebody writes between the read and the deletion: looked at again, and not replaced', async () => {
    const project = await changed('raced', { replace: true });
    const proxy = await testEnvironment.proxy();
    let written = false;
    proxy.onRequest = async ({ method, path }) => {
      if (written || method !== 'DELETE' || !path.endsWith('/raced')) return undefined;
      written = true;
      await testEnvironment.cluster.apply('other', { ...ref('raced'), spec: { replicas: 4 } }, { force: true });
      return undefined;
    };
    const before = await uidOf('raced');
    const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
    expect(written).toBe(true);
    expect(report.only().error).toMatchObject({ code: 'field-immutable', message: expect.stringMatching(/other/) });
    expect(await uidOf('raced')).toBe(before);
    expect((await testEnvironment.cluster.get(ref('raced'))).spec.replicas).toBe(4);
  });
});

test('a Secret that is created again: its old values are masked', async () => {
  const secret = (value: string) => ({
    ...testEnvironment.ref('v1', 'Secret', 'sealed'),
    immutable: true,
    data: { password: Buffer.from(value).toString('base64') },
  });
  const project = testEnvironment.program({ main: [own(secret('old-is-hidden'), { replace: true })] });
  await project.deploy();
  project.write({ 'main.ts': testEnvironment.text({ main: [own(secret('new-is-hidden'), { replace: true })] }) });
  const report = await project.deploy();
  expect(report.only(), String(report)).toMatchObject({ result: 'recreated', replaced: { data: { password: '***' }, immutable: true } });
  for (const value of ['old-is-hidden', 'new-is-hidden']) {
    expect(String(report)).not.toContain(value);
    expect(String(report)).not.toContain(Buffer.from(value).toString('base64'));
  }
});

test('an owned object that somebody else created again under its name: joined and reported, not created again, and not deleted', async () => {
  const project = testEnvironment.program({ main: [own(config('again', { ours: 'here' }))] });
  await project.deploy();
  await testEnvironment.cluster.remove(testEnvironment.ref('v1', 'ConfigMap', 'again'));
  await testEnvironment.cluster.apply('other', config('again', { theirs: 'here' }));
  const { uid } = (await testEnvironment.cluster.get(testEnvironment.ref('v1', 'ConfigMap', 'again'))).metadata;
  const report = await project.deploy();
  expect(report.exitCode, String(report)).toBe(0);
  expect(report.only()).toMatchObject({ rejoined: true, adopted: { owners: ['other'] } });
  expect((await project.destroy()).only().result).toBe('released');
  const live = await testEnvironment.cluster.get(testEnvironment.ref('v1', 'ConfigMap', 'again'));
  expect([live.metadata.uid, live.data]).toEqual([uid, { theirs: 'here' }]);
});
