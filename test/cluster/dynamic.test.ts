import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { crdOf } from '../harness/crd.js';
import { eventsOf } from '../harness/events.js';
import { own, share } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('dynamic');
const dynamic = { strategy: 'dynamic' };

const group = `${testEnvironment.app}.example.com`;
const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const text = { type: 'string' };
const routes = {
  type: 'array',
  items: {
    type: 'object',
    properties: { name: text, host: text, path: text, to: text, weight: { type: 'integer' }, note: { ...text, nullable: true } },
  },
};

/** A kind as many are: no list types anywhere. */
await testEnvironment.crd(
  crdOf(group, 'Gateway', {
    spec: {
      type: 'object',
      properties: { class: text, routes, pairs: routes, tags: { type: 'array', items: text }, template: anything },
    },
  }),
);

const ref = (name: string) => testEnvironment.ref(`${group}/v1`, 'Gateway', name);
const gateway = (name: string, spec: object) => ({ apiVersion: `${group}/v1`, kind: 'Gateway', metadata: { name }, spec });
const spec = async (name: string): Promise<ResponseBody> => (await testEnvironment.cluster.get(ref(name))).spec;
const memories = (object: ResponseBody) =>
  Object.entries((object.metadata.annotations ?? {}) as Record<string, string>)
    .filter(([name]) => name.startsWith('applied.fieldwise.dev/'))
    .map(([, memory]) => JSON.parse(memory));

const deployment = (name: string, extra: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'api', image: 'example.com/api:1', ports: [{ containerPort: 80 }] }] },
    },
    ...extra,
  },
});

test('created, unchanged, updated: the words of every deploy, and the intent remembered on the object', async () => {
  const project = testEnvironment.program({ main: [own(deployment('words', { replicas: 2 }), dynamic)] });
  const first = await project.deploy();
  expect(first.only(), String(first)).toMatchObject({ result: 'created', forcedConflicts: [] });
  expect((await project.deploy()).only()).toMatchObject({ result: 'unchanged' });
  project.write({ 'main.ts': testEnvironment.text({ main: [own(deployment('words', { replicas: 3 }), dynamic)] }) });
  expect((await project.deploy()).only()).toMatchObject({ result: 'updated', forcedConflicts: [] });
  const live = await testEnvironment.cluster.get(testEnvironment.ref('apps/v1', 'Deployment', 'words'));
  expect(live.spec.replicas).toBe(3);
  expect(memories(live)).toMatchObject([{ manager: project.manager('main'), created: true, intent: { spec: { replicas: 3 } } }]);
});

test('a sidecar, a label and a replica count of others survive in an embedded Pod template', async () => {
  const name = 'sidecar';
  const at = testEnvironment.ref('apps/v1', 'Deployment', name);
  const project = testEnvironment.program({ main: [own(deployment(name), dynamic)] });
  await project.deploy();
  const sidecar = { name: 'proxy', image: 'example.com/proxy:1' };
  await testEnvironment.cluster.patch('injector', at, { spec: { replicas: 4, template: { metadata: { labels: { mesh: 'on' } } } } });
  await testEnvironment.cluster.patch('injector', at, { spec: { template: { spec: { containers: [sidecar] } } } }, 'strategic');
  const changed: ResponseBody = deployment(name);
  changed.spec.template.spec.containers[0].image = 'example.com/api:2';
  project.write({ 'main.ts': testEnvironment.text({ main: [own(changed, dynamic)] }) });
  const report = await project.deploy();
  expect(report.only(), String(report)).toMatchObject({ result: 'updated', forcedConflicts: [] });
  const live = await testEnvironment.cluster.get(at);
  expect(live.spec.replicas).toBe(4);
  expect(live.spec.template.metadata.labels).toEqual({ app: name, mesh: 'on' });
  const images = live.spec.template.spec.containers.map(({ image }: ResponseBody) => image).sort();
  expect(images).toEqual(['example.com/api:2', 'example.com/proxy:1']);
  expect((await project.deploy()).only()).toMatchObject({ result: 'unchanged' });
});

describe('two stacks and a stranger in one list that the schema takes for one value', () => {
  test.each([
    {
      list: 'routes',
      by: 'convention',
      listKeys: undefined,
      mine: { name: 'a', to: 'x' },
      other: { name: 'b', to: 'y' },
      strange: { name: 'c', to: 'z' },
    },
    {
      list: 'pairs',
      by: 'listKeys of two fields',
      listKeys: { 'spec.pairs': ['host', 'path'] },
      mine: { host: 'h', path: '/a', to: 'x' },
      other: { host: 'h', path: '/b', to: 'y' },
      strange: { host: 'i', path: '/a', to: 'z' },
    },
    { list: 'tags', by: 'a set', listKeys: { 'spec.tags': 'set' }, mine: 'a', other: 'b', strange: 'c' },
  ])('$list, told apart by $by', async ({ list, listKeys, mine, other, strange }) => {
    const name = `list-${list}`;
    const policy = { ...dynamic, ...(listKeys ? { listKeys } : {}) };
    const app = { environment: { FIELDWISE_APP_NAME: `${testEnvironment.app}-${list}` } };
    const owner = testEnvironment.program({ one: [own(gateway(name, { class: 'c', [list]: [mine] }), policy)] }, app);
    const sharer = testEnvironment.program({ two: [share(gateway(name, { [list]: [other] }), policy)] }, app);
    await owner.deploy();
    await sharer.deploy();
    const now = (await spec(name))[list];
    await testEnvironment.cluster.patch('stranger', ref(name), { spec: { [list]: [...now, strange] } });
    expect((await owner.deploy()).only()).toMatchObject({ forcedConflicts: [] });
    expect((await sharer.deploy()).only()).toMatchObject({ forcedConflicts: [] });
    expect((await spec(name))[list]).toEqual([mine, other, strange]);

    const gone = await sharer.run(['destroy', '-o', 'json', '--yes']);
    expect(gone.exitCode, gone.stderr).toBe(0);
    expect((await spec(name))[list]).toEqual([mine, strange]);
    expect(memories(await testEnvironment.cluster.get(ref(name)))).toMatchObject([{ manager: owner.manager('one') }]);
  });

  test('an atomic list has one owner, and a forced conflict is reported', async () => {
    const policy = { ...dynamic, listKeys: { 'spec.tags': 'atomic' } };
    const app = { environment: { FIELDWISE_APP_NAME: `${testEnvironment.app}-atomic` } };
    const one = testEnvironment.program({ one: [own(gateway('whole', { tags: ['a'] }), policy)] }, app);
    const two = testEnvironment.program({ two: [share(gateway('whole', { tags: ['b'] }), policy)] }, app);
    await one.deploy();
    expect((await two.deploy(['--yes'])).only()).toMatchObject({
      forcedConflicts: [{ field: '.spec.tags', oldValue: ['a'], newValue: ['b'], from: one.manager('one'), operation: 'Apply' }],
    });
  });
});

test('a field that is no longer declared is removed, one that another owns stays', async () => {
  const config = (data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'released' }, data });
  const at = testEnvironment.ref('v1', 'ConfigMap', 'released');
  const project = testEnvironment.program({ main: [own(config({ a: '1', b: '2', c: '3' }), dynamic)] });
  await project.deploy();
  await testEnvironment.cluster.apply('them', { ...at, data: { b: '2' } });
  project.write({ 'main.ts': testEnvironment.text({ main: [own(config({ c: '3' }), dynamic)] }) });
  const plan = await project.run(['diff', '-o', 'json']);
  const planned = plan.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .find(({ event }) => event === 'plan');
  expect(planned).toMatchObject({
    action: 'update',
    source: 'server',
    fields: expect.arrayContaining([
      expect.objectContaining({ field: '.data.a', change: 'removed', oldValue: '1' }),
      expect.objectContaining({ field: '.data.b', change: 'kept', owners: [{ manager: 'them', operation: 'Apply' }] }),
      expect.objectContaining({ field: '.data.c', change: 'same' }),
    ]),
  });
  expect((await project.deploy()).only()).toMatchObject({ result: 'updated' });
  expect((await testEnvironment.cluster.get(at)).data).toEqual({ b: '2', c: '3' });
  await testEnvironment.cluster.apply('them', at); // they let go, and so did we
  expect((await testEnvironment.cluster.get(at)).data).toEqual({ c: '3' });
});

test('a field that two stacks declare alike is removed with the last of them, and stays where somebody else introduced it', async () => {
  const at = testEnvironment.ref('v1', 'ConfigMap', 'alike');
  const config = (data: object) => share({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'alike' }, data }, dynamic);
  await testEnvironment.cluster.create('them', { ...at, data: { theirs: '1' } });
  const both = { theirs: '1', introduced: '1' };
  const declared = (number: number, data: object) => ({ [`stack-${number}`]: [config({ ...data, [`own-${number}`]: '1' })] });
  const first = testEnvironment.program(declared(1, both));
  const second = testEnvironment.program(declared(2, both));
  for (const project of [first, second]) expect((await project.deploy()).exitCode).toBe(0);

  first.write({ 'main.ts': testEnvironment.text(declared(1, {})) });
  await first.deploy();
  expect((await testEnvironment.cluster.get(at)).data).toEqual({ ...both, 'own-1': '1', 'own-2': '1' });
  second.write({ 'main.ts': testEnvironment.text(declared(2, {})) });
  await second.deploy();
  expect((await testEnvironment.cluster.get(at)).data).toEqual({ theirs: '1', 'own-1': '1', 'own-2': '1' });
});

describe('somebody else gives a declared field another value', () => {
  const config = (name: string, data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
  test.each([
    {
      policy: 'force',
      exitCode: 0,
      live: '1',
      shown: { result: 'updated', forcedConflicts: [{ field: '.data.a', oldValue: '9', newValue: '1' }] },
    },
    { policy: 'fail', exitCode: 5, live: '9', shown: { result: 'conflict', conflicts: [{ field: '.data.a', from: 'them' }] } },
    { policy: 'yield', exitCode: 0, live: '9', shown: { forcedConflicts: [], yielded: [{ field: '.data.a', from: 'them', value: '9' }] } },
  ])('$policy', async ({ policy, exitCode, live, shown }) => {
    const name = `contested-${policy}`;
    const at = testEnvironment.ref('v1', 'ConfigMap', name);
    const project = testEnvironment.program({ main: [own(config(name, { a: '1', b: '1' }), { ...dynamic, conflicts: policy })] });
    await project.deploy();
    await testEnvironment.cluster.patch('them', at, { data: { a: '9' } });
    const settled = { result: 'unchanged', forcedConflicts: [] }; // a conflict that was won is no conflict the next time
    for (const expected of [shown, policy === 'force' ? settled : shown]) {
      const report = await project.deploy();
      expect(report.exitCode, String(report)).toBe(exitCode);
      expect(report.only()).toMatchObject(expected);
      expect((await testEnvironment.cluster.get(at)).data).toEqual({ a: live, b: '1' });
    }
  });
});

test('what another writes between the read and the write is not lost', async () => {
  const config = (data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'raced' }, data });
  const at = testEnvironment.ref('v1', 'ConfigMap', 'raced');
  const proxy = await testEnvironment.proxy();
  const project = testEnvironment.program({ main: [own(config({ a: '1' }), dynamic)] }, { kubeconfig: proxy.kubeconfig });
  await project.deploy();
  project.write({ 'main.ts': testEnvironment.text({ main: [own(config({ a: '2' }), dynamic)] }) });
  let raced = 0;
  proxy.onRequest = async ({ method, path }) => {
    if (method !== 'PATCH' || !path.endsWith('/raced') || raced >= 2) return undefined;
    raced += 1;
    await testEnvironment.cluster.patch('them', at, { data: { theirs: `${raced}` } });
    return undefined;
  };
  expect((await project.deploy()).only()).toMatchObject({ result: 'updated', forcedConflicts: [] });
  expect(raced).toBe(2);
  expect((await testEnvironment.cluster.get(at)).data).toEqual({ a: '2', theirs: '2' });
});

test('beside a field that is really contested, a merged list with items of others is not taken', async () => {
  const at = ref('one-taken');
  const mine = (weight: number) => gateway('one-taken', { class: 'mine', routes: [{ name: 'mine', weight }] });
  const policy = { ...dynamic, listKeys: { 'spec.routes': ['name'] } };
  const project = testEnvironment.program({ main: [own(mine(1), policy)] });
  await project.deploy();
  const theirs = {
    class: 'theirs',
    routes: [
      { name: 'mine', weight: 1 },
      { name: 'theirs', weight: 7 },
    ],
  };
  await testEnvironment.cluster.apply('them', { ...at, spec: theirs }, { force: true });
  project.write({ 'main.ts': testEnvironment.text({ main: [own(mine(2), policy)] }) });
  const planned = eventsOf((await project.run(['diff', '-o', 'json'])).events, 'plan')[0];
  expect(
    planned?.fields
      .filter(({ change }: ResponseBody) => change === 'force')
      .map(({ field }: ResponseBody) => field)
      .sort(),
  ).toEqual(['.spec.class', '.spec.routes[name="mine"].weight']);
  const report = await project.deploy();
  expect(
    report.only().forcedConflicts.toSorted((left, right) => (left.field < right.field ? -1 : 1)),
    String(report),
  ).toEqual([
    { field: '.spec.class', from: 'them', operation: 'Apply', oldValue: 'theirs', newValue: 'mine' },
    { field: '.spec.routes[name="mine"].weight', from: 'them', operation: 'Apply', oldValue: 1, newValue: 2 },
  ]);
  expect(await spec('one-taken')).toEqual({
    class: 'mine',
    routes: [
      { name: 'mine', weight: 2 },
      { name: 'theirs', weight: 7 },
    ],
  });
});

describe('objects that stacks of both strategies declare', () => {
  const config = (name: string, data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
  test.each([
    { owner: 'server-side', sharer: 'dynamic' },
    { owner: 'dynamic', sharer: 'server-side' },
    { owner: 'dynamic', sharer: 'dynamic' },
  ])('owned $owner, shared $sharer: a destroy of the owner keeps what the other declares', async ({ owner, sharer }) => {
    const name = `both-${owner}-${sharer}`;
    const at = testEnvironment.ref('v1', 'ConfigMap', name);
    const app = { environment: { FIELDWISE_APP_NAME: `${testEnvironment.app}-${name}` } };
    const one = testEnvironment.program({ one: [own(config(name, { same: '1', mine: '1' }), { strategy: owner })] }, app);
    const two = testEnvironment.program({ two: [share(config(name, { same: '1', theirs: '2' }), { strategy: sharer })] }, app);
    await one.deploy();
    await two.deploy();
    const report = await one.run(['destroy', '-o', 'json', '--yes']);
    expect(report.exitCode, report.stderr + report.stdout).toBe(0);
    expect((await testEnvironment.cluster.get(at)).data).toEqual({ same: '1', theirs: '2' });
    expect((await two.deploy()).only()).toMatchObject({ result: expect.stringMatching(/unchanged|applied/), forcedConflicts: [] });
  });

  test('a value that both declare stays when the server-side one lets it go', async () => {
    const name = 'both-release';
    const at = testEnvironment.ref('v1', 'ConfigMap', name);
    const app = { environment: { FIELDWISE_APP_NAME: `${testEnvironment.app}-${name}` } };
    const one = testEnvironment.program({ one: [own(config(name, { same: '1', mine: '1' }))] }, app);
    const two = testEnvironment.program({ two: [share(config(name, { same: '1' }), dynamic)] }, app);
    await one.deploy();
    await two.deploy();
    one.write({ 'main.ts': testEnvironment.text({ one: [own(config(name, { mine: '1' }))] }) });
    await one.deploy();
    expect((await testEnvironment.cluster.get(at)).data).toEqual({ same: '1', mine: '1' });
  });

  test('a server-side stack that changes it meets a conflict with the dynamic one', async () => {
    const name = 'both-contest';
    const at = testEnvironment.ref('v1', 'ConfigMap', name);
    const app = { environment: { FIELDWISE_APP_NAME: `${testEnvironment.app}-${name}` } };
    const one = testEnvironment.program({ one: [own(config(name, { a: '1' }), dynamic)] }, app);
    const two = testEnvironment.program({ two: [share(config(name, { a: '2' }), { conflicts: 'yield' })] }, app);
    await one.deploy();
    const report = await two.deploy();
    expect(report.only(), String(report)).toMatchObject({ yielded: [{ field: '.data.a', from: one.manager('one'), operation: 'Apply' }] });
    expect((await testEnvironment.cluster.get(at)).data).toEqual({ a: '1' });
  });
});

test('values of a Secret are in no annotation and no output', async () => {
  const secret = (value: string) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'hidden' }, stringData: { password: value } });
  const project = testEnvironment.program({ main: [own(secret('hidden-value-one'), dynamic)] });
  const first = await project.deploy();
  project.write({ 'main.ts': testEnvironment.text({ main: [own(secret('hidden-value-two'), dynamic)] }) });
  const plan = await project.run(['diff', '-o', 'json']);
  const second = await project.deploy();
  expect(second.only()).toMatchObject({ result: 'updated', forcedConflicts: [] });
  expect((await project.deploy()).only()).toMatchObject({ result: 'unchanged' });
  const live = await testEnvironment.cluster.get(testEnvironment.ref('v1', 'Secret', 'hidden'));
  expect(Buffer.from(live.data.password, 'base64').toString()).toBe('hidden-value-two');
  const shown = [first, second].map(String).join('\n') + plan.stdout + plan.stderr + JSON.stringify(live.metadata);
  for (const value of ['hidden-value-one', 'hidden-value-two']) {
    expect(shown).not.toContain(value);
    expect(shown).not.toContain(Buffer.from(value).toString('base64'));
  }
});

test('at most 2.5 requests an object: a hundred created, unchanged, changed', async () => {
  const proxy = await testEnvironment.proxy();
  const configs = (value: string) =>
    Array.from({ length: 100 }, (_, index) =>
      own({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `many-${index}` }, data: { value } }, dynamic),
    );
  const project = testEnvironment.program({ main: configs('1') }, { kubeconfig: proxy.kubeconfig });
  const counted = async () => {
    proxy.requests.length = 0;
    const report = await project.deploy();
    expect(report.exitCode, String(report).slice(0, 2000)).toBe(0);
    return proxy.requests.filter(({ path, method }) => /\/many-\d+$/.test(path) || (method === 'POST' && path.endsWith('/configmaps')))
      .length;
  };
  const created = await counted();
  const unchanged = await counted();
  project.write({ 'main.ts': testEnvironment.text({ main: configs('2') }) });
  const changed = await counted();
  expect(created).toBeLessThanOrEqual(250);
  expect(unchanged).toBeLessThanOrEqual(110);
  expect(changed).toBeLessThanOrEqual(250);
});

test('an item that takes along what others wrote into it asks first, and what stands beside it stays', async () => {
  const name = 'vanishing';
  const project = testEnvironment.program({ main: [own(gateway(name, { routes: [{ name: 'a' }, { name: 'b' }] }), dynamic)] });
  await project.deploy();
  await testEnvironment.cluster.patch('them', ref(name), {
    spec: { routes: [{ name: 'a', to: 'theirs' }, { name: 'b' }, { name: 'c' }] },
  });
  project.write({ 'main.ts': testEnvironment.text({ main: [own(gateway(name, { routes: [{ name: 'b' }] }), dynamic)] }) });
  const refused = await project.deploy();
  expect(refused.exitCode, String(refused)).toBe(2);
  expect((await spec(name)).routes).toEqual([{ name: 'a', to: 'theirs' }, { name: 'b' }, { name: 'c' }]);
  const report = await project.run(['deploy', '-o', 'json', '--yes']);
  expect(report.exitCode, report.stderr).toBe(0);
  expect(eventsOf(report.events, 'object')[0]).toMatchObject({
    collateral: [{ field: '.spec.routes[name="a"].to', oldValue: 'theirs', from: 'another writer' }],
  });
  expect((await spec(name)).routes).toEqual([{ name: 'b' }, { name: 'c' }]);
});

test('a value that the server writes in its own way belongs to nobody else', async () => {
  const limited = (resources: object): ResponseBody => {
    const object: ResponseBody = deployment('quantity');
    object.spec.template.spec.containers[0].resources = resources;
    return object;
  };
  const policy = { ...dynamic, conflicts: 'fail' };
  const at = testEnvironment.ref('apps/v1', 'Deployment', 'quantity');
  const limits = async () => (await testEnvironment.cluster.get(at)).spec.template.spec.containers[0].resources.limits;
  const project = testEnvironment.program({ main: [own(limited({ limits: { cpu: '1000m', memory: '1Gi' } }), policy)] });
  await project.deploy();
  expect(await limits()).toEqual({ cpu: '1', memory: '1Gi' });
  expect((await project.deploy()).only()).toMatchObject({ result: 'unchanged' });
  project.write({ 'main.ts': testEnvironment.text({ main: [own(limited({ limits: { memory: '1Gi' } }), policy)] }) });
  expect((await project.deploy()).only()).toMatchObject({ result: 'updated' });
  expect(await limits()).toEqual({ memory: '1Gi' });
});

test('a null that a list would lose by being written again is not sent', async () => {
  const name = 'exact-null';
  await testEnvironment.cluster.create('them', {
    ...gateway(name, { routes: [{ name: 'theirs', note: null }] }),
    metadata: ref(name).metadata,
  });
  const before = await testEnvironment.cluster.get(ref(name));
  const project = testEnvironment.program({ main: [share(gateway(name, { routes: [{ name: 'ours' }] }), dynamic)] });
  const report = await project.deploy(['--yes']);
  expect(report.only(), String(report)).toMatchObject({
    result: 'failed',
    error: { code: 'value-inexact', message: expect.stringMatching(/null in the list \.spec\.routes/) },
  });
  expect(await testEnvironment.cluster.get(ref(name))).toEqual(before);
});
