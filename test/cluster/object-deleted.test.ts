import { join } from 'node:path';
import { Controller, connect, extract, statusOf } from 'fieldwise/controller';
import { deployment, deploymentStatus } from 'fieldwise/k8s/apps/v1';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { ResponseBody } from '../harness/api-client.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('object-deleted');
const { namespace, cluster } = testEnvironment;
const connection = await connect({ kubeconfig: testEnvironment.kubeconfig, namespace });
testEnvironment.onCleanup(() => connection.close());
const controller = new Controller(connection, { manager: 'controller' });

const group = `${namespace}.example.com`;
const project = testEnvironment.example('operator', (text) => text.replaceAll('shop.example.com', group));
const wrongUid = '00000000-0000-0000-0000-000000000000';
const selector = { matchLabels: { app: 'web' } };
const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };

beforeAll(async () => {
  await testEnvironment.crd(parse(project.read('crd.yaml')));
  expect(await project.run(['import', 'crd.yaml', '--outdir', 'imports'])).toMatchObject({ exitCode: 0 });
});

/** A built-in kind and a custom one: of the latter the server drops the metadata of a status before it compares uids. */
const kinds = {
  'a built-in kind': async () => ({
    make: deployment,
    makeStatus: deploymentStatus,
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    spec: { replicas: 2, selector, template },
    change: { replicas: 3, selector, template },
    status: { replicas: 2 },
    otherStatus: { replicas: 5 },
  }),
  'a custom kind': async () => {
    const { shop, shopStatus } = await import(/* @vite-ignore */ join(project.directory, 'imports', group, 'v1.ts'));
    return {
      make: shop,
      makeStatus: shopStatus,
      apiVersion: `${group}/v1`,
      kind: 'Shop',
      spec: { image: 'shop:1', replicas: 2 },
      change: { image: 'shop:1', replicas: 3 },
      status: { address: 'here' },
      otherStatus: { address: 'elsewhere' },
    };
  },
};

describe.each(Object.keys(kinds) as (keyof typeof kinds)[])('%s', (name) => {
  let kind: ResponseBody;
  beforeAll(async () => {
    kind = await kinds[name]();
  });
  const refOf = (object: string) => testEnvironment.ref(kind.apiVersion, kind.kind, object);
  const create = (object: string) => controller.apply(kind.make(object, namespace).withSpec(kind.spec));
  const statusFor = (object: string) => kind.makeStatus(object, namespace).withStatus(kind.status);

  test('applyStatus with a uid writes to that object alone', async () => {
    const { object } = await create('status');
    const { uid } = object.metadata as ResponseBody;
    const before = await cluster.resourceVersion(refOf('status'));
    expect(await controller.applyStatus(statusFor('status'), { uid: wrongUid })).toEqual({ outcome: 'absent' });
    expect(await cluster.resourceVersion(refOf('status'))).toBe(before);
    expect(await controller.applyStatus(statusFor('status'), { uid })).toMatchObject({ outcome: 'updated', forcedConflicts: [] });
    expect(await controller.applyStatus(statusFor('status'), { uid })).toMatchObject({ outcome: 'unchanged', forcedConflicts: [] });
    expect(await controller.applyStatus(statusFor('nobody'), { uid })).toEqual({ outcome: 'absent' });
    expect((await cluster.get(refOf('status'))).status).toMatchObject(kind.status);
  });

  test('applyStatus with a uid reports what it takes, and an object of another uid is left alone however it is contested', async () => {
    const { object } = await create('contested');
    const { uid } = object.metadata as ResponseBody;
    await cluster.patch('other', refOf('contested'), { status: kind.otherStatus }, 'merge', 'status');
    const before = await cluster.resourceVersion(refOf('contested'));
    expect(await controller.applyStatus(statusFor('contested'), { uid: wrongUid })).toEqual({ outcome: 'absent' });
    expect(await cluster.resourceVersion(refOf('contested'))).toBe(before);
    const [field] = Object.keys(kind.status) as [string];
    expect(await controller.applyStatus(statusFor('contested'), { uid })).toMatchObject({
      outcome: 'updated',
      forcedConflicts: [{ field: `.status.${field}`, from: 'other', oldValue: kind.otherStatus[field], newValue: kind.status[field] }],
    });
  });

  test('an extracted status is for the object that it was extracted from', async () => {
    await create('extracted-status');
    await controller.applyStatus(statusFor('extracted-status'));
    const live = await cluster.get(refOf('extracted-status'));
    await cluster.remove(refOf('extracted-status'));
    const ours = extract(kind.makeStatus, live, { manager: 'controller', subresource: 'status' }) as ResponseBody;
    expect(await controller.applyStatus(ours)).toEqual({ outcome: 'absent' });
    await create('extracted-status');
    expect(await controller.applyStatus(ours)).toEqual({ outcome: 'absent' });
    expect(await controller.applyStatus(statusOf(kind.makeStatus, live) as ResponseBody)).toEqual({ outcome: 'absent' });
    const { uid } = (await cluster.get(refOf('extracted-status'))).metadata;
    expect(await controller.applyStatus(ours, { uid })).toEqual({ outcome: 'absent' });
    const now = await cluster.get(refOf('extracted-status'));
    expect(now.status?.address ?? now.status?.replicas).toBeUndefined();
  });

  test('what was extracted never creates a deleted object again', async () => {
    await create('deleted');
    const live = await cluster.get(refOf('deleted'));
    const ours = extract(kind.make, live, { manager: 'controller' }) as ResponseBody;
    expect(ours.build().metadata).toEqual({ name: 'deleted', namespace, uid: live.metadata.uid });
    expect((await controller.apply(ours)).object.metadata).toMatchObject({ resourceVersion: live.metadata.resourceVersion });
    await cluster.remove(refOf('deleted'));
    const changed = ours.withSpec(kind.change).withMetadata({ labels: { team: 'a' } });
    for (const intent of [ours, changed]) {
      await expect(controller.apply(intent)).rejects.toMatchObject({ code: 'object-deleted' });
      expect(await controller.apply(intent, { uid: live.metadata.uid })).toEqual({ outcome: 'absent' });
    }
    expect(await cluster.find(refOf('deleted'))).toBeUndefined();
  });

  test('nor does it reach a later object of the name, not even one whose fields it would take', async () => {
    await create('later');
    const live = await cluster.get(refOf('later'));
    await cluster.remove(refOf('later'));
    await cluster.apply('other', { ...refOf('later'), spec: kind.change });
    const before = await cluster.resourceVersion(refOf('later'));
    const ours = extract(kind.make, live, { manager: 'controller' }) as ResponseBody;
    await expect(controller.apply(ours)).rejects.toMatchObject({ code: 'object-deleted' });
    expect(await controller.apply(kind.make('later', namespace), { uid: live.metadata.uid })).toEqual({ outcome: 'absent' });
    expect(await cluster.resourceVersion(refOf('later'))).toBe(before);
  });

  test('a uid that is right changes nothing of what an apply does', async () => {
    const { object } = await create('right');
    const { uid } = object.metadata as ResponseBody;
    await cluster.patch('other', refOf('right'), { spec: { replicas: 7 } });
    expect(await controller.apply(kind.make('right', namespace).withSpec(kind.change), { uid })).toMatchObject({
      outcome: 'updated',
      forcedConflicts: [{ field: '.spec.replicas', from: 'other', oldValue: 7, newValue: 3 }],
    });
  });
});

test('a finalizer is added beside those of others by an object without its version, and never to a later object', async () => {
  const object = testEnvironment.ref('v1', 'ConfigMap', 'held');
  const live = await cluster.create('test', { ...object, metadata: { ...object.metadata, finalizers: ['example.com/other'] } });
  const bare = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'held', namespace } };
  await controller.addFinalizer(bare, 'example.com/mine');
  expect((await cluster.get(object)).metadata.finalizers).toEqual(['example.com/other', 'example.com/mine']);
  const later = { ...bare, metadata: { ...bare.metadata, uid: wrongUid, finalizers: ['example.com/mine'] } };
  expect(await controller.removeFinalizer(later, 'example.com/mine')).toEqual({ outcome: 'absent' });
  expect(
    await controller.removeFinalizer({ ...bare, metadata: { ...bare.metadata, uid: live.metadata.uid } }, 'example.com/mine'),
  ).toMatchObject({
    outcome: 'updated',
  });
  expect((await cluster.get(object)).metadata.finalizers).toEqual(['example.com/other']);
  await controller.removeFinalizer(bare, 'example.com/other');
});
