import { describe, expect, test } from 'vitest';
import { connect, undoTakeovers } from '../../src/deploy-api.js';
import { deployed } from '../harness/config-maps.js';
import { crdOf } from '../harness/crd.js';
import { Ground } from '../harness/ground.js';
import { own, share } from '../harness/program-text.js';

const ground = await Ground.fresh('retyped');
const group = `${ground.namespace}.example.com`;
const apiVersion = `${group}/v1`;

type ListType = 'atomic' | 'map';

async function define(type: ListType): Promise<void> {
  const list =
    type === 'map' ? { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] } : { 'x-kubernetes-list-type': 'atomic' };
  const item = { type: 'object', required: ['name'], properties: { name: { type: 'string' }, note: { type: 'string' } } };
  const map = { type: 'object', 'x-kubernetes-map-type': type === 'map' ? 'granular' : 'atomic' };
  const text = { type: 'string' };
  const properties = {
    entries: { type: 'array', ...list, items: item },
    labels: { ...map, additionalProperties: text },
    style: { ...map, properties: { color: text, font: text } },
  };
  await ground.crd(crdOf(group, 'Panel', { spec: { type: 'object', properties } }));
}

/** Whose part of a schema a server applies a moment after its definition: until an apply of two managers tells lists apart as wanted. */
async function served(type: ListType): Promise<void> {
  await define(type);
  for (let tries = 0; tries < 400; tries++) {
    const name = `probe-${type}-${tries}`;
    const probe = { ...panel(name, [{ name: 'a' }]), metadata: { name, namespace: ground.namespace } };
    const { metadata } = await ground.cluster.apply('probe', probe);
    const [{ fieldsV1 }] = metadata.managedFields;
    if ('k:{"name":"a"}' in fieldsV1['f:spec']['f:entries'] === (type === 'map')) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the server still takes entries for another list than ${type}`);
}

interface Entry {
  readonly name: string;
  readonly note?: string;
}
const panel = (name: string, entries: readonly Entry[]) => ({ apiVersion, kind: 'Panel', metadata: { name }, spec: { entries } });
const ref = (name: string) => ground.ref(apiVersion, 'Panel', name);
const rivals = (name: string, ...entries: readonly Entry[]) =>
  ground.cluster.apply('rival', { ...panel(name, entries), metadata: { name, namespace: ground.namespace } }, { force: true });
const entriesOf = async (name: string) => (await ground.cluster.get(ref(name))).spec.entries;

const theirs = { name: 'a', note: 'theirs' };
const ours = { name: 'a', note: 'ours' };
const lost = { field: '.spec.entries[name="a"].note', from: 'rival', operation: 'Apply', oldValue: 'theirs', newValue: 'ours' };
const left = { field: lost.field, from: 'rival', operation: 'Apply', value: 'theirs', declared: 'ours' };

describe('a list that was atomic when another manager applied it, and is keyed now', () => {
  test('the server accepts an apply that overwrites an entry; the takeover is planned, reported and undone', async () => {
    await served('atomic');
    await rivals('forced', theirs, { name: 'b', note: 'theirs' });
    await served('map');
    const project = ground.program({ main: [share(panel('forced', [ours]))] });
    const planned = await project.run(['diff', '--json']);
    const [{ fields }] = planned.events.filter(({ event }) => event === 'plan');
    expect(fields.filter(({ change }: { change: string }) => change === 'take')).toMatchObject([
      { field: lost.field, oldValue: 'theirs', newValue: 'ours', owners: [{ manager: 'rival' }] },
    ]);
    const { exitCode } = await project.run(['deploy', '--report', 'report.json', '--yes']);
    expect(exitCode).toBe(0);
    const { objects } = JSON.parse(project.read('report.json'));
    expect(objects).toMatchObject([{ result: 'updated', taken: [lost] }]);
    expect(await entriesOf('forced')).toEqual([ours, { name: 'b', note: 'theirs' }]);
    const cluster = await connect({ kubeconfig: ground.kubeconfig });
    const undone = await undoTakeovers(JSON.parse(project.read('report.json')), cluster).finally(() => cluster.close());
    expect(undone).toMatchObject([{ field: lost.field, to: 'rival', undone: true }]);
    expect(await entriesOf('forced')).toEqual([theirs, { name: 'b', note: 'theirs' }]);
  });

  test('under `fail` nothing changes, under `yield` the entry stays theirs', async () => {
    await served('atomic');
    await Promise.all([rivals('failing', theirs), rivals('yielding', theirs)]);
    await served('map');
    const project = ground.program({
      main: [
        share(panel('failing', [ours]), { conflicts: 'fail' }),
        share(panel('yielding', [ours, { name: 'c' }]), { conflicts: 'yield' }),
      ],
    });
    const report = await project.deploy(['--yes']);
    expect(report.exitCode).toBe(5);
    expect(report.only('failing')).toMatchObject({ result: 'conflict', conflicts: [lost] });
    expect(report.only('yielding')).toMatchObject({ result: 'updated', taken: [], yielded: [left] });
    expect(await entriesOf('failing')).toEqual([theirs]);
    expect(await entriesOf('yielding')).toEqual([theirs, { name: 'c' }]);
  });

  test('an entry that is added beside theirs is no takeover', async () => {
    await served('atomic');
    await rivals('beside', theirs);
    await served('map');
    const project = ground.program({ main: [share(panel('beside', [{ name: 'c' }]))] });
    expect((await deployed(project)).only()).toMatchObject({ result: 'updated', taken: [] });
    expect(await entriesOf('beside')).toEqual([theirs, { name: 'c' }]);
  });

  test('an unchanged intent, which is not read before, reports the list as a whole once', async () => {
    await served('atomic');
    await rivals('unchanged', { name: 'b' });
    const project = ground.program({ main: [share(panel('unchanged', [ours]))] });
    await deployed(project, '--yes');
    await rivals('unchanged', theirs);
    await served('map');
    const report = await deployed(project);
    expect(report.only()).toMatchObject({ taken: [{ field: '.spec.entries', from: 'rival', operation: 'Apply' }] });
    expect((await deployed(project)).only()).toMatchObject({ result: 'unchanged', taken: [] });
  });
});

describe('an item of a list that was atomic when another manager applied it, declared with an equal value since the list is keyed', () => {
  const both = [theirs, { name: 'b', note: 'theirs' }];
  const goes = '.spec.entries[name="a"] of rival';

  async function shared(name: string) {
    await served('atomic');
    await rivals(name, ...both);
    await served('map');
    const project = ground.program({ main: [share(panel(name, [theirs]))] });
    expect((await deployed(project)).only()).toMatchObject({ result: 'updated', taken: [] });
    return project;
  }

  test('the release of the object names who loses it, asks before the first write, and a yes lets it go', async () => {
    const project = await shared('released');
    project.write({ 'main.ts': ground.text({ main: [] }) });
    const planned = await project.run(['diff', '--json']);
    expect(planned.events.filter(({ event }) => event === 'plan')).toMatchObject([
      { action: 'release', fields: [{ field: '.spec.entries[name="a"]', change: 'item-vanishes', owners: [{ manager: 'rival' }] }] },
    ]);
    const asked = await project.run(['deploy', '--prune']);
    expect(asked.exitCode).toBe(2);
    expect(asked.stderr).toContain(`${goes}`);
    expect(await entriesOf('released')).toEqual(both);
    expect((await project.deploy(['--yes'])).only()).toMatchObject({
      result: 'released',
      vanished: [{ field: '.spec.entries[name="a"]', from: 'rival', operation: 'Apply', oldValue: theirs }],
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
    project.write({ 'main.ts': ground.text({ main: [share(panel('edited', [{ name: 'c' }]))] }) });
    const item = await project.run(['deploy']);
    expect(item.exitCode).toBe(2);
    expect(item.stderr).toContain(goes);
    project.write({ 'main.ts': ground.text({ main: [share(panel('edited', [{ name: 'a' }]))] }) });
    const note = await project.run(['deploy']);
    expect(note.exitCode).toBe(2);
    expect(note.stderr).toContain('.spec.entries[name="a"].note of rival');
    expect(await entriesOf('edited')).toEqual(both);
    expect((await project.deploy(['--yes'])).only()).toMatchObject({
      result: 'updated',
      vanished: [{ from: 'rival', oldValue: 'theirs' }],
    });
  });
});

test('a first deploy that would overwrite an entry of such a list asks before its first write', async () => {
  await served('atomic');
  await rivals('first', theirs);
  await served('map');
  const project = ground.program({ main: [share(panel('first', [ours]))] });
  const { exitCode, stderr } = await project.run(['deploy']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('.spec.entries[name="a"].note of rival');
  expect(stderr).not.toContain('takeover-unconfirmed');
  expect(await entriesOf('first')).toEqual([theirs]);
});

test('entries of a map and fields of a struct that were atomic are asked for, too, dropped or released', async () => {
  await served('atomic');
  const whole = { labels: { a: 'theirs', b: 'theirs' }, style: { color: 'red', font: 'serif' } };
  const maps = (name: string, spec: object) => ({ apiVersion, kind: 'Panel', metadata: { name }, spec });
  await ground.cluster.apply('rival', { ...maps('maps', whole), metadata: { name: 'maps', namespace: ground.namespace } });
  await served('map');
  const project = ground.program({ main: [own(maps('maps', { labels: { a: 'theirs' }, style: { color: 'red' } }))] });
  await deployed(project, '--yes');
  const refusals: string[] = [];
  for (const declared of [[own(maps('maps', { style: { color: 'red' } }))], [own(maps('maps', { labels: { a: 'theirs' } }))], []]) {
    project.write({ 'main.ts': ground.text({ main: declared }) });
    const { exitCode, stderr } = await project.run(['deploy', '--prune']);
    expect(exitCode).toBe(2);
    refusals.push([...stderr.matchAll(/(\S+) of rival/g)].map(([, field]) => field).join(' '));
  }
  expect(refusals).toEqual(['.spec.labels.a', '.spec.style.color', '.spec.labels.a .spec.style.color']);
  expect((await ground.cluster.get(ref('maps'))).spec).toEqual(whole);
  expect((await project.deploy(['--yes', '--prune'])).only()).toMatchObject({
    result: 'released',
    vanished: [
      { field: '.spec.labels.a', from: 'rival', oldValue: 'theirs' },
      { field: '.spec.style.color', from: 'rival', oldValue: 'red' },
    ],
  });
});
