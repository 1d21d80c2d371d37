import { describe, expect, test } from 'vitest';
import { eventsOf } from '../harness/events.js';
import { poll } from '../harness/poll.js';
import { share } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('share');

const config = (name: string, data: object = { ours: 'here' }) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
const ref = (name: string) => testEnvironment.ref('v1', 'ConfigMap', name);
const make = (name: string) => testEnvironment.cluster.apply('owner', { ...ref(name), data: { theirs: 'here' } });
const sharing = (name: string, policy?: object) => testEnvironment.program({ main: [share(config(name), policy)] });

describe('the object is not there', () => {
  test.each([
    { ifAbsent: 'fail', exitCode: 4, shown: { result: 'failed', error: { code: 'share-target-missing' } }, live: false },
    { ifAbsent: 'wait', waitSeconds: 1, exitCode: 4, shown: { result: 'failed', error: { code: 'share-target-missing' } }, live: false },
    { ifAbsent: 'wait', waitSeconds: 0, exitCode: 4, shown: { result: 'failed', error: { code: 'share-target-missing' } }, live: false },
    { ifAbsent: 'create', exitCode: 0, shown: { result: 'created' }, live: true },
  ])('$ifAbsent $waitSeconds → exit code $exitCode', async ({ ifAbsent, waitSeconds, exitCode, shown, live }) => {
    const name = `absent-${ifAbsent}-${waitSeconds ?? 'default'}`;
    const report = await sharing(name, { ifAbsent, ...(waitSeconds === undefined ? {} : { waitSeconds }) }).deploy();
    expect(report.exitCode, String(report)).toBe(exitCode);
    expect(report.only()).toMatchObject(shown);
    expect((await testEnvironment.cluster.find(ref(name))) !== undefined).toBe(live);
  });

  test.each([undefined, 200])('--timeout bounds the wait, with the policy waitSeconds: %s', async (waitSeconds) => {
    const { exitCode, events } = await sharing(`bounded-${waitSeconds}`, { waitSeconds }).run(['deploy', '--timeout', '1', '-o', 'json']);
    expect(exitCode).toBe(4);
    expect(eventsOf(events, 'waiting')).toMatchObject([{ for: 'create', timeoutSeconds: 1 }]);
    expect(eventsOf(events, 'object')).toMatchObject([
      {
        error: { code: 'share-target-missing', message: expect.stringContaining('after 1 s'), next: expect.stringContaining('--timeout') },
      },
    ]);
  });

  test('wait is the default: it joins when the object comes', async () => {
    const proxy = await testEnvironment.proxy();
    const running = sharing('comes').deploy([], { kubeconfig: proxy.kubeconfig });
    await poll('the deploy has looked for the object three times', () => proxy.requestsFor('comes').length > 2);
    expect(await testEnvironment.cluster.find(ref('comes'))).toBeUndefined();
    await make('comes');
    const report = await running;
    expect(report.exitCode, String(report)).toBe(0);
    expect((await testEnvironment.cluster.get(ref('comes'))).data).toEqual({ ours: 'here', theirs: 'here' });
  });
});

test('a share never creates an object again', async () => {
  const project = sharing('deleted', { ifAbsent: 'create', waitSeconds: 0 });
  expect((await project.deploy()).only().result).toBe('created');
  await testEnvironment.cluster.remove(ref('deleted'));
  const report = await project.deploy();
  expect(report.only()).toMatchObject({ result: 'failed', error: { code: 'share-target-missing' } });
  expect(await testEnvironment.cluster.find(ref('deleted'))).toBeUndefined();
});

test('a share whose object was deleted long ago says how long it has waited', async () => {
  await make('long-gone');
  const project = sharing('long-gone', { waitSeconds: 1 });
  await project.deploy();
  await testEnvironment.cluster.remove(ref('long-gone'));
  expect((await project.deploy()).only().error?.message).toBe(
    'The shared object was deleted, none has come within 1 s, and a share never creates an object again',
  );
});

test('the object is deleted between reading its uid and the apply: it is not created again', async () => {
  await make('vanishing');
  const proxy = await testEnvironment.proxy();
  let vanished = false;
  proxy.onRequest = async ({ method, path }) => {
    if (vanished || method !== 'PATCH' || !path.endsWith('/vanishing')) return undefined;
    vanished = true;
    await testEnvironment.cluster.remove(ref('vanishing'));
    return undefined;
  };
  const report = await sharing('vanishing', { waitSeconds: 0 }).deploy([], { kubeconfig: proxy.kubeconfig });
  expect(vanished).toBe(true);
  expect(report.exitCode, String(report)).toBe(4);
  expect(await testEnvironment.cluster.find(ref('vanishing'))).toBeUndefined();
});

test('the owner deletes and makes it again: the share joins the new one and says so', async () => {
  await make('again');
  const project = sharing('again');
  await project.deploy();
  await testEnvironment.cluster.remove(ref('again'));
  await make('again');
  const report = await project.deploy();
  expect(report.exitCode, String(report)).toBe(0);
  expect(report.only()).toMatchObject({ rejoined: true });
  expect((await testEnvironment.cluster.get(ref('again'))).data).toEqual({ ours: 'here', theirs: 'here' });
});

test('the new object disagrees with the share: the share joins it and takes, with a report', async () => {
  await make('disagrees');
  const project = sharing('disagrees');
  await project.deploy();
  await testEnvironment.cluster.remove(ref('disagrees'));
  await testEnvironment.cluster.apply('owner', { ...ref('disagrees'), data: { theirs: 'here', ours: 'theirs now' } });
  const report = await project.deploy(['--yes']);
  expect(report.exitCode, String(report)).toBe(0);
  expect(report.only()).toMatchObject({
    rejoined: true,
    forcedConflicts: [{ field: '.data.ours', oldValue: 'theirs now', from: 'owner' }],
  });
});

test('the object is deleted between the refusal and the read: it is not created again', async () => {
  await make('gone-between');
  const project = sharing('gone-between', { waitSeconds: 0 });
  await project.deploy();
  await testEnvironment.cluster.apply('owner', { ...ref('gone-between'), data: { ours: 'contested' } }, { force: true });
  const proxy = await testEnvironment.proxy();
  proxy.onRequest = async ({ method, path }) => {
    if (method === 'GET' && path.endsWith('/gone-between') && (await testEnvironment.cluster.find(ref('gone-between')))) {
      await testEnvironment.cluster.remove(ref('gone-between'));
    }
    return undefined;
  };
  const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
  expect(report.only()).toMatchObject({ result: 'failed', error: { code: 'share-target-missing' } });
  expect(await testEnvironment.cluster.find(ref('gone-between'))).toBeUndefined();
});

describe('release', () => {
  test('destroy sends an empty intent: the object stays with the fields of others', async () => {
    await make('released');
    const project = sharing('released');
    await project.deploy();
    expect((await project.destroy()).only()).toMatchObject({ result: 'released' });
    expect((await testEnvironment.cluster.get(ref('released'))).data).toEqual({ theirs: 'here' });
    expect(Object.keys(await testEnvironment.cluster.owners(ref('released')))).toEqual(['owner']);
  });

  test('of an object that is gone: it stays gone', async () => {
    await make('gone');
    const project = sharing('gone');
    await project.deploy();
    await testEnvironment.cluster.remove(ref('gone'));
    expect((await project.destroy()).only()).toMatchObject({ result: 'absent' });
    expect(await testEnvironment.cluster.find(ref('gone'))).toBeUndefined();
  });

  test('of an object that another has replaced: the new one is not touched', async () => {
    await make('replaced');
    const project = sharing('replaced');
    await project.deploy();
    await testEnvironment.cluster.remove(ref('replaced'));
    await make('replaced');
    const before = await testEnvironment.cluster.resourceVersion(ref('replaced'));
    const report = await project.destroy();
    expect(report.exitCode, String(report)).toBe(0);
    expect(await testEnvironment.cluster.resourceVersion(ref('replaced'))).toBe(before);
  });

  test('a share that made its object leaves it: it never answered for its life', async () => {
    const project = sharing('made', { ifAbsent: 'create' });
    await project.deploy();
    expect((await project.destroy()).only().result).toBe('released');
    expect(await testEnvironment.cluster.find(ref('made'))).toBeDefined();
  });
});
