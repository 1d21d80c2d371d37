import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { crdOf } from '../harness/crd.js';
import { own, share } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('dynamic-whole');
const policy = { strategy: 'dynamic', listKeys: { 'spec.routes': ['host'] } };

const group = `${testEnvironment.app}.example.com`;
const text = { type: 'string' };
const routes = { type: 'array', items: { type: 'object', properties: { host: text, to: text } } };
const labels = { type: 'object', additionalProperties: text, 'x-kubernetes-map-type': 'atomic' };
/** For the server a list and a map that have one owner each. */
await testEnvironment.crd(crdOf(group, 'Router', { spec: { type: 'object', properties: { routes, labels } } }));

const ref = (name: string) => testEnvironment.ref(`${group}/v1`, 'Router', name);
const router = (name: string, spec: object) => ({ ...ref(name), spec });
const spec = async (name: string): Promise<ResponseBody> => (await testEnvironment.cluster.get(ref(name))).spec;

const [h1, h2, h3] = [
  { host: 'h1', to: 'a' },
  { host: 'h2', to: 'b' },
  { host: 'h3', to: 'c' },
];

describe('what another manager applied as a whole stays when this stack no longer declares it', () => {
  test.each([
    { what: 'owned', declare: own },
    { what: 'shared', declare: share },
  ])('an item of a list that it declares, too, $what', async ({ what, declare }) => {
    const name = `item-${what}`;
    await testEnvironment.cluster.apply('human', router(name, { routes: [h1, h2] }));
    const project = testEnvironment.program({ main: [declare(router(name, { routes: [h2, h3] }), policy)] });
    expect((await project.deploy(['--yes'])).only()).toMatchObject({ result: 'updated' });
    expect((await spec(name)).routes).toEqual([h1, h2, h3]);
    project.write({ 'main.ts': testEnvironment.text({ main: [declare(router(name, { routes: [h3] }), policy)] }) });
    const report = await project.deploy();
    expect(report.exitCode, String(report)).toBe(0);
    expect((await spec(name)).routes).toEqual([h1, h2, h3]);
    expect((await project.destroy()).exitCode).toBe(0);
    expect((await spec(name)).routes).toEqual([h1, h2]);
  });

  test('an item that this stack declared alone first, and together with another only later', async () => {
    const name = 'later';
    await testEnvironment.cluster.apply('human', router(name, { routes: [h1, h2] }));
    const project = testEnvironment.program({ main: [share(router(name, { routes: [h2] }), policy)] });
    for (const routes of [[h2], [h2, h3], [h3]]) {
      project.write({ 'main.ts': testEnvironment.text({ main: [share(router(name, { routes }), policy)] }) });
      const report = await project.deploy(['--yes']);
      expect(report.exitCode, String(report)).toBe(0);
    }
    expect((await spec(name)).routes).toEqual([h1, h2, h3]);
  });

  test('an item that another writer changed in between', async () => {
    const name = 'changed';
    await testEnvironment.cluster.apply('human', router(name, { routes: [h1, h2] }));
    const project = testEnvironment.program({ main: [own(router(name, { routes: [h2, h3] }), policy)] });
    expect((await project.deploy(['--yes'])).exitCode).toBe(0);
    const changed = { host: 'h2', to: 'z' };
    await testEnvironment.cluster.patch('human', ref(name), { spec: { routes: [h1, changed, h3] } });
    project.write({ 'main.ts': testEnvironment.text({ main: [own(router(name, { routes: [h3] }), policy)] }) });
    const report = await project.deploy();
    expect(report.exitCode, String(report)).toBe(0);
    expect((await spec(name)).routes).toEqual([h1, changed, h3]);
    expect((await project.destroy(['--yes'])).exitCode).toBe(0);
    expect((await spec(name)).routes).toEqual([h1, changed]);
  });

  test.each(['applied', 'updated'])('a member of a map of one owner, who has %s it', async (how) => {
    const name = `map-${how}`;
    const theirs = router(name, { labels: { zone: 'a', rack: 'b' } });
    if (how === 'applied') await testEnvironment.cluster.apply('human', theirs);
    else {
      await testEnvironment.cluster.apply('creator', router(name, { routes: [h1] }));
      await testEnvironment.cluster.patch('human', ref(name), { spec: theirs.spec });
    }
    const project = testEnvironment.program({ main: [share(router(name, { labels: { zone: 'a', tier: 'c' } }), policy)] });
    expect((await project.deploy(['--yes'])).exitCode).toBe(0);
    project.write({ 'main.ts': testEnvironment.text({ main: [share(router(name, { labels: { tier: 'c' } }), policy)] }) });
    expect((await project.deploy()).exitCode).toBe(0);
    expect((await spec(name)).labels).toEqual({ zone: 'a', rack: 'b', tier: 'c' });
  });

  test('an item that only this stack introduced is removed, also from a list that another applied', async () => {
    const name = 'introduced';
    await testEnvironment.cluster.apply('human', router(name, { routes: [h1] }));
    const project = testEnvironment.program({ main: [share(router(name, { routes: [h2, h3] }), policy)] });
    expect((await project.deploy(['--yes'])).exitCode).toBe(0);
    project.write({ 'main.ts': testEnvironment.text({ main: [share(router(name, { routes: [h3] }), policy)] }) });
    expect((await project.deploy()).exitCode).toBe(0);
    expect((await spec(name)).routes).toEqual([h1, h3]);
  });
});

describe('beside a stack that has the server merge the same list', () => {
  const both = async (name: string) => {
    const app = { environment: { FIELDWISE_APP_NAME: `${testEnvironment.app}-${name}` } };
    const owner = testEnvironment.program({ owner: [own(router(name, { routes: [h1, h2] }))] }, app);
    const sharer = testEnvironment.program({ sharer: [share(router(name, { routes: [h2, h3] }), policy)] }, app);
    expect((await owner.deploy()).exitCode).toBe(0);
    expect((await sharer.deploy(['--yes'])).exitCode).toBe(0);
    expect((await spec(name)).routes).toEqual([h1, h2, h3]);
    return { owner, sharer };
  };

  test('the owner has the proof that the object is its own', async () => {
    const { owner } = await both('proof');
    const { managedFields } = (await testEnvironment.cluster.get(ref('proof'))).metadata;
    expect(managedFields).toContainEqual(expect.objectContaining({ manager: owner.manager('owner'), operation: 'Apply' }));
    const report = await owner.destroy();
    expect(report.only().released ?? [], String(report)).toEqual([]);
    expect(report.only().reason).toContain('still applies fields to it');
  });

  test('the owner still deletes the object that it created after the other is removed together with its items', async () => {
    const { owner, sharer } = await both('gone');
    expect((await sharer.destroy(['--yes'])).exitCode).toBe(0);
    expect((await spec('gone')).routes).toEqual([h1, h2]);
    const report = await owner.destroy();
    expect(report.only(), String(report)).toMatchObject({ result: 'deleted' });
  });

  test('the owner takes the list back and says from whom, and no mark is left or told of', async () => {
    const { owner } = await both('back');
    const report = await owner.deploy();
    expect(report.only(), String(report)).toMatchObject({ result: 'updated', forcedConflicts: [{ field: '.spec.routes' }] });
    expect(report.only().released ?? []).toEqual([]);
    const live = await testEnvironment.cluster.get(ref('back'));
    expect(live.spec.routes).toEqual([h1, h2]);
    expect(JSON.stringify(live.metadata.managedFields)).not.toContain('fieldwise.dev/stack-');
  });
});
