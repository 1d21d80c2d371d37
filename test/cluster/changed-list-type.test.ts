import { describe, expect, test } from 'vitest';
import { connect, undoForcedConflicts } from '../../src/entry/deploy.js';
import { deployed } from '../harness/config-map-helpers.js';
import { crdOf } from '../harness/crd.js';
import { eventsOf } from '../harness/events.js';
import { poll } from '../harness/poll.js';
import { own, share } from '../harness/program-text.js';
import type { Project, Report } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('retyped');
const group = `${testEnvironment.namespace}.example.com`;
const apiVersion = `${group}/v1`;

type ListType = 'atomic' | 'map';

async function define(type: ListType): Promise<void> {
  const list =
    type === 'map' ? { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] } : { 'x-kubernetes-list-type': 'atomic' };
  const item = {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string' }, note: { type: 'string' }, extra: { type: 'string' } },
  };
  const map = { type: 'object', 'x-kubernetes-map-type': type === 'map' ? 'granular' : 'atomic' };
  const text = { type: 'string' };
  const properties = {
    entries: { type: 'array', ...list, items: item },
    labels: { ...map, additionalProperties: text },
    style: { ...map, properties: { color: text, font: text } },
    size: text,
  };
  await testEnvironment.crd(crdOf(group, 'Panel', { spec: { type: 'object', properties } }));
}

/** Whose part of a schema a server applies a moment after its definition: until an apply of two managers tells lists apart as wanted. */
async function served(type: ListType): Promise<void> {
  await define(type);
  let tries = 0;
  await poll(`the server takes entries for a list of type ${type}`, async () => {
    const name = `probe-${type}-${tries++}`;
    const probe = { ...panel(name, [{ name: 'a' }]), metadata: { name, namespace: testEnvironment.namespace } };
    const { metadata } = await testEnvironment.cluster.apply('probe', probe);
    const [{ fieldsV1 }] = metadata.managedFields;
    return 'k:{"name":"a"}' in fieldsV1['f:spec']['f:entries'] === (type === 'map');
  });
}

interface Entry {
  readonly name: string;
  readonly note?: string;
}
const panel = (name: string, entries: readonly Entry[]) => ({ apiVersion, kind: 'Panel', metadata: { name }, spec: { entries } });
const ref = (name: string) => testEnvironment.ref(apiVersion, 'Panel', name);
const rivals = (name: string, ...entries: readonly Entry[]) =>
  testEnvironment.cluster.apply(
    'rival',
    { ...panel(name, entries), metadata: { name, namespace: testEnvironment.namespace } },
    { force: true },
  );
const entriesOf = async (name: string) => (await testEnvironment.cluster.get(ref(name))).spec.entries;

const theirs = { name: 'a', note: 'theirs' };
const ours = { name: 'a', note: 'ours' };
const lost = { field: '.spec.entries[name="a"].note', from: 'rival', operation: 'Apply', oldValue: 'theirs', newValue: 'ours' };
const left = { field: lost.field, from: 'rival', operation: 'Apply', value: 'theirs', declared: 'ours' };

describe('a list that was atomic when another manager applied it, and is keyed now', () => {
  test('the server accepts an apply that overwrites an entry; the forced conflict is planned, reported and undone', async () => {
    await served('atomic');
    await rivals('forced', theirs, { name: 'b', note: 'theirs' });
    await served('map');
    const project = testEnvironment.program({ main: [share(panel('forced', [ours]))] });
    const planned = await project.run(['diff', '-o', 'json']);
    const { fields } = eventsOf(planned.events, 'plan')[0]!;
    expect(fields.filter(({ change }) => change === 'force')).toMatchObject([
      { field: lost.field, oldValue: 'theirs', newValue: 'ours', owners: [{ manager: 'rival' }] },
    ]);
    const { exitCode } = await project.run(['deploy', '--output-file', 'report=report.json', '--yes']);
    expect(exitCode).toBe(0);
    const { objects } = JSON.parse(project.read('report.json'));
    expect(objects).toMatchObject([{ result: 'updated', forcedConflicts: [lost] }]);
    expect(await entriesOf('forced')).toEqual([ours, { name: 'b', note: 'theirs' }]);
    const cluster = await connect({ kubeconfig: testEnvironment.kubeconfig });
    const undone = await undoForcedConflicts(JSON.parse(project.read('report.json')), cluster).finally(() => cluster.close());
    expect(undone).toMatchObject([{ field: lost.field, to: 'rival', undone: true }]);
    expect(await entriesOf('forced')).toEqual([theirs, { name: 'b', note: 'theirs' }]);
  });

  test('under `fail` nothing changes, under `yield` the entry stays theirs', async () => {
    await served('atomic');
    await Promise.all([rivals('failing', theirs), rivals('yielding', theirs)]);
    await served('map');
    const project = testEnvironment.program({
      main: [
        share(panel('failing', [ours]), { conflicts: 'fail' }),
        share(panel('yielding', [ours, { name: 'c' }]), { conflicts: 'yield' }),
      ],
    });
    const report = await project.deploy(['--yes']);
    expect(report.exitCode).toBe(5);
    expect(report.only('failing')).toMatchObject({ result: 'conflict', conflicts: [lost] });
    expect(report.only('yielding')).toMatchObject({ result: 'updated', forcedConflicts: [], yielded: [left] });
    expect(await entriesOf('failing')).toEqual([theirs]);
    expect(await entriesOf('yielding')).toEqual([theirs, { name: 'c' }]);
  });

  test('an entry that is added beside theirs is not a forced conflict', async () => {
    await served('atomic');
    await rivals('beside', theirs);
    await served('map');
    const project = testEnvironment.program({ main: [share(panel('beside', [{ name: 'c' }]))] });
    expect((await deployed(project)).only()).toMatchObject({ result: 'updated', forcedConflicts: [] });
    expect(await entriesOf('beside')).toEqual([theirs, { name: 'c' }]);
  });
});

describe('an item of a list that was atomic when another manager applied it, declared with an equal value since the list is keyed', () => {
  const both = [theirs, { name: 'b', note: 'theirs' }];
  const goes = '.spec.entries[name="a"] of rival';

  async function shared(name: string) {
    await served('atomic');
    await rivals(name, ...both);
    await served('map');
    const project = testEnvironment.program({ main: [share(panel(name, [theirs]))] });
    expect((await deployed(project)).only()).toMatchObject({ result: 'updated', forcedConflicts: [] });
    return project;
  }

  test('the release of the object names who loses it, asks before the first write, and a yes lets it go', async () => {
    const project = await shared('released');
    project.write({ 'main.ts': testEnvironment.text({ main: [] }) });
    const planned = await project.run(['diff', '-o', 'json']);
    expect(eventsOf(planned.events, 'plan')).toMatchObject([
      { action: 'release', fields: [{ field: '.spec.entries[name="a"]', change: 'item-removed', owners: [{ manager: 'rival' }] }] },
    ]);
    const asked = await project.run(['deploy', '--prune']);
    expect(asked.exitCode).toBe(2);
    expect(asked.stderr).toContain(`${goes}`);
    expect(await entriesOf('released')).toEqual(both);
    expect((await project.deploy(['--yes'])).only()).toMatchObject({
      result: 'released',
      collateral: [{ field: '.spec.entries[name="a"]', from: 'rival', operation: 'Apply', oldValue: theirs }],
    });
    expect(await entriesOf('released')).toEqual([both[1]]);
  });

  test('a destroy asks, too', async () => {
    const project = await shared('destroyed');
    const { exitCode, stderr } = await project.run(['destroy']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(goes);
    expect(await entriesOf('destroyed')).toEqual(both);
  });

  test('an intent that drops the item, or a field of it, asks', async () => {
    const project = await shared('edited');
    project.write({ 'main.ts': testEnvironment.text({ main: [share(panel('edited', [{ name: 'c' }]))] }) });
    const item = await project.run(['deploy']);
    expect(item.exitCode).toBe(2);
    expect(item.stderr).toContain(goes);
    project.write({ 'main.ts': testEnvironment.text({ main: [share(panel('edited', [{ name: 'a' }]))] }) });
    const note = await project.run(['deploy']);
    expect(note.exitCode).toBe(2);
    expect(note.stderr).toContain('.spec.entries[name="a"].note of rival');
    expect(await entriesOf('edited')).toEqual(both);
    expect((await project.deploy(['--yes'])).only()).toMatchObject({
      result: 'updated',
      collateral: [{ from: 'rival', oldValue: 'theirs' }],
    });
  });
});

test('a first deploy that would overwrite an entry of such a list asks before its first write', async () => {
  await served('atomic');
  await rivals('first', theirs);
  await served('map');
  const project = testEnvironment.program({ main: [share(panel('first', [ours]))] });
  const { exitCode, stderr, stdout } = await project.run(['deploy']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('.spec.entries[name="a"].note of rival');
  expect(stdout).not.toContain('force-unconfirmed');
  expect(await entriesOf('first')).toEqual([theirs]);
});

test('entries of a map and fields of a struct that were atomic are asked for, too, dropped or released', async () => {
  await served('atomic');
  const whole = { labels: { a: 'theirs', b: 'theirs' }, style: { color: 'red', font: 'serif' } };
  const maps = (name: string, spec: object) => ({ apiVersion, kind: 'Panel', metadata: { name }, spec });
  await testEnvironment.cluster.apply('rival', {
    ...maps('maps', whole),
    metadata: { name: 'maps', namespace: testEnvironment.namespace },
  });
  await served('map');
  const project = testEnvironment.program({ main: [own(maps('maps', { labels: { a: 'theirs' }, style: { color: 'red' } }))] });
  await deployed(project, '--yes');
  const refusals: string[] = [];
  for (const declared of [[own(maps('maps', { style: { color: 'red' } }))], [own(maps('maps', { labels: { a: 'theirs' } }))], []]) {
    project.write({ 'main.ts': testEnvironment.text({ main: declared }) });
    const { exitCode, stderr } = await project.run(['deploy', '--prune']);
    expect(exitCode).toBe(2);
    refusals.push([...stderr.matchAll(/(\S+) of rival/g)].map(([, field]) => field).join(' '));
  }
  expect(refusals).toEqual(['.spec.labels.a', '.spec.style.color', '.spec.labels.a .spec.style.color']);
  expect((await testEnvironment.cluster.get(ref('maps'))).spec).toEqual(whole);
  expect((await project.deploy(['--yes', '--prune'])).only()).toMatchObject({
    result: 'released',
    collateral: [
      { field: '.spec.labels.a', from: 'rival', oldValue: 'theirs' },
      { field: '.spec.style.color', from: 'rival', oldValue: 'red' },
    ],
  });
});

const declared = { entries: [ours], labels: { a: 'ours' } };
const whole = { entries: [{ ...theirs, extra: 'theirs' }, { name: 'b' }], labels: { a: 'theirs', b: 'theirs' } };
const panelOf = (name: string, spec: object) => ({ apiVersion, kind: 'Panel', metadata: { name }, spec });
const applied = (manager: string, name: string, spec: object) =>
  testEnvironment.cluster.apply(
    manager,
    { ...panelOf(name, spec), metadata: { name, namespace: testEnvironment.namespace } },
    { force: true },
  );
const specOf = async (name: string) => (await testEnvironment.cluster.get(ref(name))).spec;
const from = { from: 'rival', operation: 'Apply' };
const contested = [
  { field: '.spec.entries[name="a"].note', ...from, oldValue: 'theirs', newValue: 'ours' },
  { field: '.spec.labels.a', ...from, oldValue: 'theirs', newValue: 'ours' },
];
const yieldedOf = ({ oldValue: value, newValue, ...of }: (typeof contested)[number]) => ({ ...of, value, declared: newValue });
const yielded = contested.map(yieldedOf);

/** Deploys a list and a map that are atomic; then the rival takes all. */
async function takenFrom(
  name: string,
  { policy = {}, flags = [], more = {} }: { policy?: object; flags?: readonly string[]; more?: object },
) {
  await served('atomic');
  await applied('maker', name, { style: { color: 'red' } });
  const project = testEnvironment.program({ main: [share(panelOf(name, { ...declared, ...more }), policy)] });
  await deployed(project, ...flags);
  await applied('rival', name, whole);
  return project;
}

describe('an intent that met the owner of a whole list and map at its last deploy, unchanged since both are granular', () => {
  async function met(name: string, policy: object, meets: (report: Report) => void) {
    const project = await takenFrom(name, { policy });
    meets(await project.deploy());
    await applied('rival', name, whole);
    await served('map');
    return project;
  }
  const wholes = [{ field: '.spec.entries' }, { field: '.spec.labels' }];

  test('under `fail` each deploy ends in the conflict', async () => {
    const project = await met('still-failing', { conflicts: 'fail' }, ({ exitCode }) => expect(exitCode).toBe(5));
    for (const _ of ['the first', 'and the next']) {
      const report = await project.deploy();
      expect(report.exitCode).toBe(5);
      expect(report.only()).toMatchObject({ result: 'conflict', conflicts: contested });
      expect(await specOf('still-failing')).toMatchObject(whole);
    }
  });

  test('under `yield` each deploy leaves the parts to their owner', async () => {
    const meets = (report: Report) => expect(report.only()).toMatchObject({ yielded: wholes });
    const project = await met('still-yielding', { conflicts: 'yield', releases: 'ask' }, meets);
    for (const _ of ['the first', 'and the next', 'and the one after it']) {
      expect((await deployed(project)).only()).toMatchObject({ forcedConflicts: [], yielded });
      expect(await specOf('still-yielding')).toMatchObject(whole);
    }
  });

  test('under `force` what it takes is reported with its values, once', async () => {
    const project = await met('still-forcing', {}, (report) => expect(report.only()).toMatchObject({ forcedConflicts: wholes }));
    expect((await deployed(project)).only()).toMatchObject({ result: 'updated', forcedConflicts: contested });
    expect((await deployed(project)).only()).toMatchObject({ result: 'unchanged', forcedConflicts: [] });
  });

  test.each(['yield', 'force'] as const)('after `%s` the release of the object asks for what goes along', async (conflicts) => {
    const name = `ended-after-${conflicts}`;
    const project = await met(name, { conflicts }, () => undefined);
    await deployed(project);
    const before = await specOf(name);
    for (const command of [['destroy'], ['deploy', '--prune']]) {
      if (command[0] === 'deploy') project.write({ 'main.ts': testEnvironment.text({ main: [] }) });
      const { exitCode, stderr } = await project.run(command);
      expect(exitCode).toBe(2);
      expect(stderr).toContain('.spec.entries[name="a"] of rival');
      expect(await specOf(name)).toEqual(before);
    }
    const { collateral } = (await deployed(project, '--yes', '--prune')).only();
    expect(collateral).toContainEqual({ field: '.spec.entries[name="a"]', ...from, oldValue: before.entries[0] });
    expect((await specOf(name)).entries).toEqual([{ name: 'b' }]);
  });
});

describe('an unchanged intent that nobody contested until a list and a map became granular', () => {
  test('is not read before, and reports them as wholes, once', async () => {
    const project = await takenFrom('unmet', {});
    await served('map');
    const { stdout } = await project.run(['deploy']);
    expect(stdout).toContain('forced  .spec.entries: values were not read, from rival');
    expect(stdout).toContain('forced  .spec.labels: values were not read, from rival');
    expect((await deployed(project)).only()).toMatchObject({ result: 'unchanged', forcedConflicts: [] });
  });

  test('takes nothing where the owner of the whole declares the same', async () => {
    await served('atomic');
    await applied('rival', 'equal', declared);
    const project = testEnvironment.program({ main: [share(panelOf('equal', declared))] });
    await deployed(project);
    await served('map');
    expect((await deployed(project)).only()).toMatchObject({ forcedConflicts: [] });
  });

  test('meets their owner beside any conflict that the server names', async () => {
    const project = await takenFrom('beside-another', { policy: { conflicts: 'yield' }, more: { size: 'ours' } });
    await applied('rival', 'beside-another', { ...whole, size: 'theirs' });
    await served('map');
    const size = { field: '.spec.size', ...from, value: 'theirs', declared: 'ours' };
    for (const _ of ['the first', 'and the next'])
      expect((await deployed(project)).only()).toMatchObject({ forcedConflicts: [], yielded: [size, ...yielded] });
    expect(await specOf('beside-another')).toMatchObject(whole);
  });

  test('meets their owner where `reconcile: changed` sees another schema', async () => {
    const flags = ['--reconcile', 'changed'];
    const project = await takenFrom('stamped', { policy: { conflicts: 'fail' }, flags });
    await served('map');
    const report = await project.deploy(flags);
    expect(report.exitCode).toBe(5);
    expect(report.only()).toMatchObject({ result: 'conflict', conflicts: contested });
    expect(await specOf('stamped')).toMatchObject(whole);
  });

  test('costs one request, also after a deploy that met a conflict and one that met none any more', async () => {
    const proxy = await testEnvironment.proxy();
    const sent = async (project: Project) => {
      proxy.requests.length = 0;
      const { exitCode } = await project.deploy([], { kubeconfig: proxy.kubeconfig });
      return { exitCode, requests: proxy.requests.flatMap(({ method, path }) => (path.includes('/panels/') ? [method] : [])) };
    };
    await served('atomic');
    const project = testEnvironment.program({ main: [own(panelOf('counted', declared), { conflicts: 'fail' })] });
    await deployed(project);
    expect(await sent(project)).toEqual({ exitCode: 0, requests: ['PATCH'] });
    await applied('rival', 'counted', whole);
    expect((await project.deploy()).exitCode).toBe(5);
    await applied('rival', 'counted', declared);
    expect(await sent(project)).toEqual({ exitCode: 0, requests: ['GET', 'PATCH'] });
    expect(await sent(project)).toEqual({ exitCode: 0, requests: ['PATCH'] });
  });
});
