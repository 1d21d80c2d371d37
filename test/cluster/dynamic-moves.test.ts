import { beforeAll, describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { crdOf } from '../harness/crd.js';
import { eventsOf } from '../harness/events.js';
import type { ProxiedRequest } from '../harness/interception-proxy.js';
import { own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('moves');
const dynamic = { strategy: 'dynamic' };

const deployment = (name: string, { image = 'example.com/api:1', labels = {} }: { image?: string; labels?: object } = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, labels },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'api', image }] } },
  },
});
const ref = (name: string) => testEnvironment.ref('apps/v1', 'Deployment', name);
const memories = (object: ResponseBody) =>
  Object.keys(object.metadata.annotations ?? {}).filter((name) => name.startsWith('applied.fieldwise.dev/'));

/** The content of the object, and the other owners of its fields. */
async function foreign(name: string, manager: string) {
  const live = await testEnvironment.cluster.get(ref(name));
  const others = live.metadata.managedFields
    .filter((entry: ResponseBody) => entry.manager !== manager)
    .map((entry: ResponseBody) => [entry.manager, entry.operation, entry.fieldsV1]);
  return { spec: live.spec, labels: live.metadata.labels, others };
}

async function injected(name: string): Promise<void> {
  const sidecar = { name: 'proxy', image: 'example.com/proxy:1' };
  await testEnvironment.cluster.patch('injector', ref(name), { spec: { template: { spec: { containers: [sidecar] } } } }, 'strategic');
  await testEnvironment.cluster.apply('labeller', {
    ...ref(name),
    metadata: { ...ref(name).metadata, labels: { theirs: 'yes', both: '1' } },
  });
}

function declare(project: Project, object: object, policy?: object): void {
  project.write({ 'main.ts': testEnvironment.text({ main: [own(object, policy)] }) });
}

describe('an object moves', () => {
  test.each([
    { from: undefined, to: dynamic, way: 'server-side to dynamic' },
    { from: dynamic, to: undefined, way: 'dynamic to server-side' },
  ])('$way and back, and nothing of others changes', async ({ from, to, way }) => {
    const name = way.replaceAll(' ', '-');
    const object = deployment(name, { labels: { ours: 'yes', both: '1' } });
    const project = testEnvironment.program({ main: [own(object, from)] });
    await project.deploy();
    const manager = project.manager('main');
    await injected(name);
    const before = await foreign(name, manager);
    for (const [policy, hasMemory] of [
      [to, to === dynamic],
      [from, from === dynamic],
      [to, to === dynamic],
    ] as const) {
      declare(project, object, policy);
      const report = await project.deploy();
      expect(report.only(), String(report)).toMatchObject({ result: 'updated', forcedConflicts: [] });
      expect(await foreign(name, manager)).toEqual(before);
      const live = await testEnvironment.cluster.get(ref(name));
      expect(memories(live)).toHaveLength(hasMemory ? 1 : 0);
      const ours = live.metadata.managedFields.filter((entry: ResponseBody) => entry.manager === manager);
      expect(ours.map(({ operation }: ResponseBody) => operation)).toEqual([hasMemory ? 'Update' : 'Apply']);
      expect((await project.deploy()).only()).toMatchObject({ result: expect.stringMatching(/unchanged/) });
    }
  });

  test.each([
    { from: undefined, to: dynamic, way: 'server-side to dynamic' },
    { from: dynamic, to: undefined, way: 'dynamic to server-side' },
  ])('$way while the intent changes: dropped fields are removed, new ones are set', async ({ from, to, way }) => {
    const name = `${way.replaceAll(' ', '-')}-anew`;
    const project = testEnvironment.program({ main: [own(deployment(name, { labels: { old: '1', both: '1' } }), from)] });
    await project.deploy();
    await injected(name);
    declare(project, deployment(name, { image: 'example.com/api:2', labels: { new: '1' } }), to);
    const report = await project.deploy();
    expect(report.only(), String(report)).toMatchObject({ result: 'updated', forcedConflicts: [] });
    const live = await testEnvironment.cluster.get(ref(name));
    expect(live.metadata.labels).toEqual({ both: '1', theirs: 'yes', new: '1' });
    expect(live.spec.template.spec.containers.map(({ image }: ResponseBody) => image).sort()).toEqual([
      'example.com/api:2',
      'example.com/proxy:1',
    ]);
    declare(project, deployment(name, { image: 'example.com/api:2' }), to);
    await project.deploy();
    expect((await testEnvironment.cluster.get(ref(name))).metadata.labels).toEqual({ both: '1', theirs: 'yes' });
  });
});

describe('a run that ends in the middle of a move', () => {
  test.each([
    { from: dynamic, to: undefined, way: 'to-server-side' },
    { from: undefined, to: dynamic, way: 'to-dynamic' },
  ])('$way: each request may be the last', async ({ from, to, way }) => {
    const proxy = await testEnvironment.proxy();
    for (let last = 1; ; last++) {
      const name = `${way}-killed-${last}`;
      const project = testEnvironment.program(
        { main: [own(deployment(name, { labels: { old: '1' } }), from)] },
        { kubeconfig: proxy.kubeconfig },
      );
      await project.deploy();
      const manager = project.manager('main');
      await injected(name);
      const before = await foreign(name, manager);
      declare(project, deployment(name, { labels: { new: '1' } }), to);
      let writes = 0;
      proxy.onRequest = ({ method, path, query }) => {
        if (method !== 'PATCH' || !path.endsWith(`/${name}`) || query.has('dryRun')) return undefined;
        writes += 1;
        return writes > last ? { status: 403, body: { kind: 'Status', code: 403, reason: 'Forbidden', message: 'killed' } } : undefined;
      };
      const killed = await project.deploy();
      const wasKilled = writes > last;
      proxy.onRequest = () => undefined;
      if (wasKilled) {
        expect(killed.exitCode).toBe(4);
        expect((await foreign(name, manager)).others).toEqual(before.others);
      }
      const report = await project.deploy();
      expect(report.exitCode, String(report)).toBe(0);
      expect(report.only()).toMatchObject({ forcedConflicts: [] });
      const after = await foreign(name, manager);
      expect(after.others).toEqual(before.others);
      expect(after.spec).toEqual(before.spec);
      expect(after.labels).toEqual({ new: '1', theirs: 'yes', both: '1' });
      const live = await testEnvironment.cluster.get(ref(name));
      expect(memories(live)).toHaveLength(to ? 1 : 0);
      const ours = live.metadata.managedFields.filter((entry: ResponseBody) => entry.manager === manager);
      expect(ours.map(({ operation }: ResponseBody) => operation)).toEqual([to ? 'Update' : 'Apply']);
      if (!wasKilled) break;
    }
  });
});

test('a stack that is renamed keeps what it merged under its former name', async () => {
  const object = deployment('renamed', { labels: { kept: '1', dropped: '1' } });
  const app = { environment: { FIELDWISE_APP_NAME: `${testEnvironment.app}-renamed` } };
  const former = testEnvironment.program({ before: [own(object, dynamic)] }, app);
  await former.deploy();
  await injected('renamed');
  const text = testEnvironment
    .text({ after: [own(deployment('renamed', { labels: { kept: '1' } }), dynamic)] })
    .replace(`new Stack(app, "after")`, `new Stack(app, "after", { renamedFrom: "before" })`);
  const renamed = testEnvironment.project({ 'fieldwise.yaml': 'app: main.ts\n', 'main.ts': text }, app);
  const report = await renamed.deploy();
  expect(report.only(), String(report)).toMatchObject({ result: 'updated', forcedConflicts: [], renamedFrom: [former.manager('before')] });
  const live = await testEnvironment.cluster.get(ref('renamed'));
  expect(live.metadata.labels).toEqual({ kept: '1', theirs: 'yes', both: '1' });
  expect(memories(live)).toHaveLength(1);
  expect((await renamed.deploy()).only()).toMatchObject({ result: 'unchanged' });
  const gone = await renamed.run(['destroy', '-o', 'json', '--yes', '--delete', 'shared']);
  expect(gone.exitCode, gone.stderr).toBe(0);
  expect(await testEnvironment.cluster.find(ref('renamed'))).toBeUndefined();
});

test('a list that the server takes for one value keeps its object client-side', async () => {
  const group = `${testEnvironment.app}.example.com`;
  const rows = { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } };
  await testEnvironment.crd({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `tables.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: 'Table', plural: 'tables' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { rows } } } } },
        },
      ],
    },
  });
  const at = testEnvironment.ref(`${group}/v1`, 'Table', 'kept');
  const table = (...names: string[]) => ({
    apiVersion: `${group}/v1`,
    kind: 'Table',
    metadata: { name: 'kept' },
    spec: { rows: names.map((name) => ({ name })) },
  });
  const app = { environment: { FIELDWISE_APP_NAME: `${testEnvironment.app}-kept` } };
  const one = testEnvironment.program({ one: [own(table('a'), dynamic)] }, app);
  const two = testEnvironment.program({ two: [share(table('b'), dynamic)] }, app);
  await one.deploy();
  await two.deploy();
  one.write({ 'main.ts': testEnvironment.text({ one: [own(table('a'))] }) });
  for (const args of [[], ['--read-only']]) {
    const plan = await one.run(['diff', '-o', 'json', ...args]);
    const planned = eventsOf(plan.events, 'plan')[0];
    expect(planned).toMatchObject({ action: 'blocked', error: { code: 'strategy-move-loses' } });
    expect(planned?.error?.message).toContain('.spec.rows');
    expect(planned?.error?.message).not.toContain(one.manager('one'));
    expect(planned?.error?.next).toContain('The object stays under `dynamic`');
  }
  const report = await one.deploy();
  expect(report.only(), String(report)).toMatchObject({ result: 'failed', error: { code: 'strategy-move-loses' } });
  expect((await testEnvironment.cluster.get(at)).spec.rows).toEqual([{ name: 'a' }, { name: 'b' }]);
  expect(memories(await testEnvironment.cluster.get(at))).toHaveLength(2);
});

describe('others write a ConfigMap while it moves to the server', () => {
  const config = (name: string, data: object) => ({ ...testEnvironment.ref('v1', 'ConfigMap', name), data });

  /** Deploys the move of a ConfigMap that drops `b`; `write` comes after the merge: before the server's dry run, or before its apply. */
  async function moving(
    name: string,
    policy: object,
    write: (object: ResponseBody) => Promise<unknown>,
    at: 'dry run' | 'apply' = 'dry run',
  ) {
    const project = testEnvironment.program({ main: [own(config(name, { a: '1', b: '1' }), { ...dynamic, ...policy })] });
    expect((await project.deploy()).exitCode).toBe(0);
    declare(project, config(name, { a: '1' }), policy);
    const proxy = await testEnvironment.proxy();
    let [written, tried] = [false, false];
    proxy.onRequest = async ({ method, path, query }) => {
      if (written || method !== 'PATCH' || !path.endsWith(`/${name}`)) return undefined;
      const isMeant = at === 'dry run' ? query.has('dryRun') : tried;
      tried ||= query.has('dryRun');
      if (!isMeant) return undefined;
      written = true;
      await write(config(name, {}));
      return undefined;
    };
    const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
    expect(written).toBe(true);
    return { project, report, object: config(name, {}) };
  }
  const taken = (object: ResponseBody) => testEnvironment.cluster.apply('other', { ...object, data: { a: 'theirs' } }, { force: true });
  const removed = [{ field: '.data.b', change: 'removed', oldValue: '1' }];

  test('a value that came in between is taken by the policy, and the record has what was released', async () => {
    const { project, report, object } = await moving('raced-force', {}, taken);
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only()).toMatchObject({
      result: 'updated',
      forcedConflicts: [{ field: '.data.a', from: 'other', oldValue: 'theirs', newValue: '1' }],
      released: removed,
    });
    const live = await testEnvironment.cluster.get(object);
    expect(live.data).toEqual({ a: '1' });
    expect(memories(live)).toEqual([]);
    expect((await project.deploy()).only()).toMatchObject({ result: 'unchanged' });
  });

  test('under conflicts: fail it is a conflict, and the record has what was released', async () => {
    const { report, object } = await moving('raced-fail', { conflicts: 'fail' }, taken);
    expect(report.exitCode, String(report)).toBe(5);
    expect(report.only()).toMatchObject({ result: 'conflict', conflicts: [{ field: '.data.a', from: 'other' }], released: removed });
    expect((await testEnvironment.cluster.get(object)).data).toEqual({ a: 'theirs' });
  });

  test.each([
    { at: 'dry run', data: { a: 'theirs' } },
    { at: 'dry run', data: { a: '1' } },
    { at: 'apply', data: { a: 'theirs' } },
    { at: 'apply', data: { a: '1' } },
  ] as const)('an object of $data that replaced it before the $at is another one', async ({ at, data }) => {
    const replace = async (object: ResponseBody) => {
      await testEnvironment.cluster.remove(object);
      await testEnvironment.cluster.create('script', { ...object, data });
    };
    const { project, report, object } = await moving(`replaced-${at.replace(' ', '-')}-${data.a}`, {}, replace, at);
    expect(report.exitCode, String(report)).toBe(4);
    expect(report.only()).toMatchObject({ result: 'failed', error: { code: 'object-replaced', next: 'Deploy again.' }, released: removed });
    expect((await testEnvironment.cluster.get(object)).data).toEqual(data);
    const again = await project.deploy(['--yes']);
    expect(again.exitCode, String(again)).toBe(0);
    expect(again.only().forcedConflicts.map(({ oldValue }) => oldValue)).toEqual(data.a === '1' ? [] : ['theirs']);
    expect((await testEnvironment.cluster.get(object)).data).toEqual({ a: '1' });
  });
});

describe('an object without recorded owners moves to the server and is released: only the fields that the stack introduced are removed', () => {
  const group = `${testEnvironment.app}-bare.example.com`;
  const text = { type: 'string' };
  const route = { type: 'object', required: ['host'], properties: { host: text, to: text } };
  const routes = { type: 'array', items: route };
  const weighed = { ...route, properties: { ...route.properties, weight: { type: 'integer', default: 1 } } };
  const keyed = { type: 'array', items: weighed, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['host'] };
  const gateway = (name: string, spec: object = {}) => ({ ...testEnvironment.ref(`${group}/v1`, 'Gateway', name), ...spec });
  beforeAll(() =>
    testEnvironment.crd(crdOf(group, 'Gateway', { spec: { type: 'object', properties: { class: text, mode: text, routes, keyed } } })),
  );

  /** Deploys under `dynamic`, then by the server, then destroys; what is left. */
  async function left(name: string, theirs: object, ours: object) {
    await testEnvironment.cluster.create('them', gateway(name, theirs));
    const live = await testEnvironment.cluster.get(gateway(name));
    const body = { ...live, metadata: { ...live.metadata, managedFields: [{}] } };
    await testEnvironment.cluster.client.call('PUT', await testEnvironment.cluster.path(live), { body });
    const project = testEnvironment.program({ main: [share(gateway(name, ours), dynamic)] });
    expect((await project.deploy(['--yes'])).exitCode).toBe(0);
    expect((await testEnvironment.cluster.get(live)).metadata.managedFields ?? []).toEqual([]);
    project.write({ 'main.ts': testEnvironment.text({ main: [share(gateway(name, ours))] }) });
    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    expect((await project.deploy()).only()).toMatchObject({ result: expect.stringMatching(/unchanged/) });
    const gone = await project.destroy();
    expect(gone.exitCode, String(gone)).toBe(0);
    const after = await testEnvironment.cluster.get(live);
    expect(memories(after)).toEqual([]);
    return after.spec ?? {};
  }

  test('a bare object', async () => {
    const ours = { spec: { class: 'ours', routes: [{ host: 'a', to: 'x' }], keyed: [{ host: 'a', to: 'x' }] } };
    expect(await left('bare', {}, ours)).toEqual({});
  });

  test('a bare object, with a run that was killed between the apply and the end of the memory', async () => {
    const ours = { spec: { class: 'ours' } };
    const name = 'bare-killed';
    await testEnvironment.cluster.create('them', gateway(name));
    const project = testEnvironment.program({ main: [share(gateway(name, ours), dynamic)] });
    expect((await project.deploy()).exitCode).toBe(0);
    project.write({ 'main.ts': testEnvironment.text({ main: [share(gateway(name, ours))] }) });
    const isApply = ({ method, path, query }: ProxiedRequest) =>
      method === 'PATCH' && path.endsWith(`/${name}`) && query.has('force') && !query.has('dryRun');
    expect(await testEnvironment.killRun((options) => project.deploy([], options), isApply)).toBe(true);
    expect(memories(await testEnvironment.cluster.get(gateway(name)))).toHaveLength(1);
    expect((await project.deploy()).exitCode).toBe(0);
    const report = await project.destroy();
    expect(report.only().released, String(report)).toEqual([{ field: '.spec.class', change: 'removed', oldValue: 'ours' }]);
    expect((await testEnvironment.cluster.get(gateway(name))).spec ?? {}).toEqual({});
  });

  test.each([
    { when: 'after a deploy', deploys: ['updated', 'unchanged'] },
    { when: 'at once', deploys: [] },
  ])('a bare object that stays client-side, $when since another had the server begin its record', async ({ when, deploys }) => {
    const name = `bare-record-${when.replaceAll(' ', '-')}`;
    await testEnvironment.cluster.create('them', gateway(name));
    const ours = { class: 'ours', routes: [{ host: 'a', to: 'x' }] };
    const declaring = (spec: object) => ({ main: [share(gateway(name, { spec }), dynamic)] });
    const project = testEnvironment.program(declaring({ ...ours, keyed: [{ host: 'a', to: 'x' }] }));
    expect((await project.deploy()).exitCode).toBe(0);
    await testEnvironment.cluster.apply('human', gateway(name, { spec: { mode: 'theirs' } }));
    for (const result of deploys) expect((await project.deploy()).only()).toMatchObject({ result, forcedConflicts: [] });
    project.write({ 'main.ts': testEnvironment.text(declaring(ours)) });
    const dropped = await project.deploy(['--yes']);
    expect(dropped.only().released, String(dropped)).toMatchObject([{ field: '.spec.keyed[host="a"]', change: 'item-removed' }]);
    const report = await project.destroy();
    expect(report.only().released, String(report)).toEqual([
      { field: '.spec.class', change: 'removed', oldValue: 'ours' },
      { field: '.spec.routes', change: 'removed', oldValue: ours.routes },
    ]);
    expect((await testEnvironment.cluster.get(gateway(name))).spec).toEqual({ mode: 'theirs' });
  });

  test('one that had fields, some of them as the stack declares them', async () => {
    const theirs = { class: 'same', mode: 'theirs', keyed: [{ host: 'b', to: 'y', weight: 1 }], routes: [{ host: 'c' }] };
    const ours = {
      class: 'same',
      keyed: [
        { host: 'b', to: 'y' },
        { host: 'a', to: 'x' },
      ],
      routes: [{ host: 'c' }],
    };
    expect(await left('found', { spec: theirs }, { spec: ours })).toEqual(theirs);
  });
});
