import { describe, expect, test } from 'vitest';
import { connect, type RunReport, undoForcedConflicts } from '../../src/entry/deploy.js';
import type { ResponseBody } from '../harness/api-client.js';
import { crdOf } from '../harness/crd.js';
import { eventsOf } from '../harness/events.js';
import { own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('beside');
const dynamic = { strategy: 'dynamic', listKeys: { 'spec.routes': ['host'] } };

const group = `${testEnvironment.app}.example.com`;
const text = { type: 'string' };
const route = { type: 'object', properties: { host: text, to: text, note: text } };
const routes = { type: 'array', items: route };
/** For the server a list and a map that have one owner each, and others whose parts have their own. */
const properties = {
  routes,
  labels: { type: 'object', additionalProperties: text, 'x-kubernetes-map-type': 'atomic' },
  keyed: {
    type: 'array',
    items: { ...route, required: ['host'] },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['host'],
  },
  marks: { type: 'object', additionalProperties: text },
};
await testEnvironment.crd(crdOf(group, 'Router', { spec: { type: 'object', properties } }));

const ref = (name: string) => testEnvironment.ref(`${group}/v1`, 'Router', name);
const router = (name: string, spec: object) => ({ ...ref(name), spec });
const spec = async (name: string): Promise<ResponseBody> => (await testEnvironment.cluster.get(ref(name))).spec;

const [h1, h2, h3] = [
  { host: 'h1', to: 'a' },
  { host: 'h2', to: 'b' },
  { host: 'h3', to: 'c' },
];
const sharing = (name: string, declared: object, policy: object = {}): Project =>
  testEnvironment.program({ sharer: [share(router(name, declared), { ...dynamic, ...policy })] });
const taken = (oldValue: object, newValue: object, field = '.spec.routes') => ({
  field,
  from: 'human',
  operation: 'Apply',
  oldValue,
  newValue,
});
const plannedTakes = async (project: Project) => {
  const { events } = await project.run(['diff', '-o', 'json']);
  const fields: readonly ResponseBody[] = eventsOf(events, 'plan')[0]?.fields ?? [];
  return fields.filter(({ change }) => change === 'force').map(({ field, oldValue, newValue }) => ({ field, oldValue, newValue }));
};

describe('a list that a person applies as one value', () => {
  test('is taken by a merge that adds an item: planned, asked and reported with both values', async () => {
    const name = 'added';
    await testEnvironment.cluster.apply('human', router(name, { routes: [h1, h2] }));
    const project = sharing(name, { routes: [h2, h3] });
    const [oldValue, newValue] = [
      [h1, h2],
      [h1, h2, h3],
    ];
    expect(await plannedTakes(project)).toEqual([{ field: '.spec.routes', oldValue, newValue }]);
    const refused = await project.deploy();
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('.spec.routes of human')]);
    expect((await spec(name)).routes).toEqual([h1, h2]);
    const report = await project.deploy(['--yes']);
    expect(report.only(), String(report)).toMatchObject({ result: 'updated', forcedConflicts: [taken(oldValue, newValue)] });
    expect((await spec(name)).routes).toEqual(newValue);
    expect((await project.deploy()).only()).toMatchObject({ result: 'unchanged', forcedConflicts: [] });
  });

  test.each([
    { conflicts: 'fail', exitCode: 5, shown: { result: 'conflict', conflicts: [{ field: '.spec.routes', from: 'human' }] } },
    {
      conflicts: 'yield',
      exitCode: 0,
      shown: { forcedConflicts: [], yielded: [{ field: '.spec.routes', from: 'human', value: [h1, h2] }] },
    },
  ])('stays as it is under $conflicts, until its owner releases it', async ({ conflicts, exitCode, shown }) => {
    const name = `left-${conflicts}`;
    const others = { marks: { zone: 'a' } };
    await testEnvironment.cluster.apply('human', router(name, { ...others, routes: [h1, h2] }));
    const project = sharing(name, { routes: [h3] }, { conflicts });
    for (let again = 0; again < 2; again++) {
      const report = await project.deploy();
      expect(report.exitCode, String(report)).toBe(exitCode);
      expect(report.only()).toMatchObject(shown);
      expect((await spec(name)).routes).toEqual([h1, h2]);
      expect(await testEnvironment.cluster.owners(ref(name))).toMatchObject({ human: ['.spec.marks.zone', '.spec.routes'] });
    }
    await testEnvironment.cluster.apply('human', router(name, others));
    expect((await project.deploy()).only()).toMatchObject({ result: 'updated', forcedConflicts: [] });
    expect((await spec(name)).routes).toEqual([h3]);
  });

  test('is given back as it was', async () => {
    const name = 'undone';
    await testEnvironment.cluster.apply('human', router(name, { routes: [h1, h2] }));
    const project = sharing(name, { routes: [{ ...h2, to: 'ours' }, h3] });
    const report = await project.deploy(['--yes', '--output-file', 'report=report.json']);
    expect(report.only().forcedConflicts, String(report)).toEqual([taken([h1, h2], [h1, { ...h2, to: 'ours' }, h3])]);
    const cluster = await connect({ kubeconfig: testEnvironment.kubeconfig });
    const undone = await undoForcedConflicts(JSON.parse(project.read('report.json')) as RunReport, cluster).finally(() => cluster.close());
    expect(undone).toMatchObject([{ field: '.spec.routes', to: 'human', undone: true }]);
    expect((await spec(name)).routes).toEqual([h1, h2]);
  });

  test('is taken as an approved plan says, with what is contested in it', async () => {
    const name = 'approved';
    await testEnvironment.cluster.apply('human', router(name, { routes: [h1, h2] }));
    const project = sharing(name, { routes: [{ ...h2, to: 'ours' }, h3] });
    const newValue = [h1, { ...h2, to: 'ours' }, h3];
    expect(await plannedTakes(project)).toEqual([{ field: '.spec.routes', oldValue: [h1, h2], newValue }]);
    expect((await project.run(['diff', '--output-file', 'plan=plan.json'])).exitCode).toBe(0);
    const report = await project.deploy(['--plan', 'plan.json']);
    expect(report.only().forcedConflicts, String(report)).toEqual([taken([h1, h2], newValue)]);
  });

  test('is reported by its values where only these are contested', async () => {
    const name = 'parts';
    await testEnvironment.cluster.apply('human', router(name, { routes: [h1, h2] }));
    const report = await sharing(name, { routes: [{ ...h2, to: 'ours' }] }).deploy(['--yes']);
    expect(report.only().forcedConflicts, String(report)).toEqual([taken('b' as never, 'ours' as never, '.spec.routes[host="h2"].to')]);
  });

  test('of which a value is yielded is taken with that value in it', async () => {
    const name = 'yielded';
    await testEnvironment.cluster.apply('human', router(name, { routes: [h1, h2] }));
    const fields = { 'spec.routes[host="h2"].to': { conflicts: 'yield' } };
    const report = await sharing(name, { routes: [{ ...h2, to: 'ours' }, h3] }, { fields }).deploy(['--yes']);
    expect(report.only(), String(report)).toMatchObject({
      forcedConflicts: [taken([h1, h2], [h1, h2, h3])],
      yielded: [{ field: '.spec.routes[host="h2"].to', from: 'human' }],
    });
    expect((await spec(name)).routes).toEqual([h1, h2, h3]);
  });

  test('is a forced conflict also where the response to it was lost', async () => {
    const name = 'unheard';
    const project = sharing(name, { routes: [h2, h3] });
    await testEnvironment.cluster.apply('human', router(name, { routes: [h2] }));
    expect((await project.deploy(['--yes'])).exitCode).toBe(0);
    await testEnvironment.cluster.apply('human', router(name, { routes: [h2] }), { force: true });
    const proxy = await testEnvironment.proxy();
    let lost = 0;
    proxy.onResponse = ({ method, path, query }, { status }) => {
      if (method !== 'PATCH' || !path.endsWith(`/${name}`) || query.has('dryRun') || status !== 200 || lost > 0) return undefined;
      lost += 1;
      return 'lose';
    };
    const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
    expect(lost).toBe(1);
    expect(report.only(), String(report)).toMatchObject({ forcedConflicts: [taken([h2], [h2, h3])] });
  });
});

test('a map that a person applies as one value is taken by a merge that adds a member', async () => {
  const name = 'map';
  await testEnvironment.cluster.apply('human', router(name, { labels: { zone: 'a' } }));
  const report = await sharing(name, { labels: { tier: 'b' } }).deploy(['--yes']);
  expect(report.only().forcedConflicts, String(report)).toEqual([taken({ zone: 'a' }, { zone: 'a', tier: 'b' }, '.spec.labels')]);
  expect((await spec(name)).labels).toEqual({ zone: 'a', tier: 'b' });
});

test('nothing is taken where the parts have owners of their own, or the list was only updated', async () => {
  const name = 'granular';
  await testEnvironment.cluster.apply('human', router(name, { keyed: [h1], marks: { zone: 'a' } }));
  await testEnvironment.cluster.apply('empty', router(name, { marks: {} }));
  await testEnvironment.cluster.patch('editor', ref(name), { spec: { routes: [h1] } });
  const project = sharing(name, { keyed: [h2], marks: { tier: 'b' }, routes: [h2] }, { conflicts: 'fail' });
  const report = await project.deploy();
  expect(report.only(), String(report)).toMatchObject({ result: 'updated', forcedConflicts: [] });
  expect(await spec(name)).toEqual({ keyed: [h1, h2], marks: { zone: 'a', tier: 'b' }, routes: [h1, h2] });
  expect((await testEnvironment.cluster.owners(ref(name))).human).toEqual([
    '.spec.keyed[host="h1"].host',
    '.spec.keyed[host="h1"].to',
    '.spec.marks.zone',
  ]);
});

test('a list that a dynamic stack declares as one value is taken from it by one that merges', async () => {
  const name = 'both-dynamic';
  const whole = { strategy: 'dynamic', listKeys: { 'spec.routes': 'atomic' } };
  const owner = testEnvironment.program({ owner: [own(router(name, { routes: [h1] }), whole)] });
  expect((await owner.deploy()).exitCode).toBe(0);
  const report = await sharing(name, { routes: [h2] }).deploy(['--yes']);
  expect(report.only().forcedConflicts, String(report)).toEqual([{ ...taken([h1], [h1, h2]), from: owner.manager('owner') }]);
});

test('two stacks that force in turns fight, one merged here and one by the server', async () => {
  const name = 'turns';
  const app = { environment: { FIELDWISE_APP_NAME: `${testEnvironment.app}-${name}` } };
  const owner = testEnvironment.program({ owner: [own(router(name, { routes: [h1, h2] }))] }, app);
  const sharer = testEnvironment.program({ sharer: [share(router(name, { routes: [h2, h3] }), dynamic)] }, app);
  expect((await owner.deploy()).exitCode).toBe(0);
  for (const times of [1, 2, 3, 4]) {
    const turns = [
      { project: sharer, from: owner.manager('owner'), routes: [h1, h2, h3] },
      { project: owner, from: times > 0 && sharer, routes: [h1, h2] },
    ];
    for (const { project, from, routes } of turns) {
      const report = await project.deploy(['--yes']);
      const loser = typeof from === 'string' ? from : sharer.manager('sharer');
      const { forcedConflicts, contendedFields } = report.only();
      expect(forcedConflicts, String(report)).toMatchObject([{ field: '.spec.routes', from: loser, newValue: routes }]);
      expect((await spec(name)).routes).toEqual(routes);
      expect(report.exitCode, String(report)).toBe(times > 3 ? 5 : 0);
      expect(contendedFields).toEqual(
        times > 3 ? [{ field: '.spec.routes', from: loser, count: times, at: expect.any(String) }] : undefined,
      );
    }
  }
});
