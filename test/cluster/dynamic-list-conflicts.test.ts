import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { crdOf } from '../harness/crd.js';
import { eventsOf } from '../harness/events.js';
import { own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('dynamic-list-conflicts');

const group = `${testEnvironment.app}.example.com`;
const text = { type: 'string' };
const anything = { 'x-kubernetes-preserve-unknown-fields': true };
const list = (items: object) => ({ type: 'array', items: { type: 'object', properties: { name: text, ...items } } });
const template = { type: 'object', properties: { containers: list({ image: text, env: list({ value: text }) }) } };

/** Kinds whose lists have no list type, by what their schema says of them. */
const kinds = {
  Described: { type: 'object', properties: { template } },
  /** The author embeds a Pod template of which the schema says nothing. */
  Partial: { type: 'object', properties: { template: { type: 'object', ...anything } } },
  /** Of the list, the schema does not even say that it is one. */
  Untyped: { type: 'object', properties: { template: { type: 'object', properties: { containers: anything } } } },
  Schemaless: undefined,
};
type Kind = keyof typeof kinds;
const everyKind = Object.keys(kinds) as Kind[];

for (const [kind, spec] of Object.entries(kinds)) {
  const definition: ResponseBody = crdOf(group, kind, spec && { spec });
  if (spec === undefined) definition.spec.versions[0].schema.openAPIV3Schema = { type: 'object', ...anything };
  await testEnvironment.crd(definition);
}

interface Container {
  readonly name: string;
  readonly image?: string;
  readonly env?: readonly { readonly name: string; readonly value: string }[];
}

const ref = (kind: Kind, name: string) => testEnvironment.ref(`${group}/v1`, kind, name);
const objectOf = (kind: Kind, name: string, containers: readonly Container[]) => ({
  ...ref(kind, name),
  spec: { template: { containers } },
});
const containersOf = async (kind: Kind, name: string): Promise<ResponseBody> =>
  (await testEnvironment.cluster.get(ref(kind, name))).spec.template.containers;

const web = (image: string, value: string): Container => ({ name: 'web', image, env: [{ name: 'A', value }] });
const declared = [web('web:1', '1')];
const proxy: Container = { name: 'proxy', image: 'proxy:1' };
const imageField = '.spec.template.containers[name="web"].image';
const valueField = '.spec.template.containers[name="web"].env[name="A"].value';

/** The program of the stack that all others come across. */
const mine = (kind: Kind, name: string, policy: object = {}, containers = declared): Project =>
  testEnvironment.program({ main: [own(objectOf(kind, name, containers), { strategy: 'dynamic', wait: false, ...policy })] });

/** Replaces the containers as another client does, and returns its name. */
const writers = {
  /** Reads the object, and writes the list again. */
  updater: async (kind: Kind, name: string, containers: readonly Container[]) => {
    await testEnvironment.cluster.patch('updater', ref(kind, name), { spec: { template: { containers } } });
    return 'updater';
  },
  applier: async (kind: Kind, name: string, containers: readonly Container[]) => {
    await testEnvironment.cluster.apply('applier', objectOf(kind, name, containers), { force: true });
    return 'applier';
  },
  stack: async (kind: Kind, name: string, containers: readonly Container[]) => {
    const app = { environment: { FIELDWISE_APP_NAME: `${testEnvironment.app}-other` } };
    const other = testEnvironment.program({ other: [share(objectOf(kind, name, containers), { strategy: 'dynamic' })] }, app);
    const report = await other.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    return other.manager('other');
  },
};

const rowsOf = async (project: Project, change: string) => {
  const { events } = await project.run(['diff', '-o', 'json']);
  const fields: readonly ResponseBody[] = eventsOf(events, 'plan')[0]?.fields ?? [];
  return fields.filter((row) => row.change === change).map(({ field, oldValue, newValue }) => ({ field, oldValue, newValue }));
};

describe.each(everyKind)('another writer gives fields inside lists of a %s other values', (kind) => {
  describe.each(Object.keys(writers) as (keyof typeof writers)[])('the %s', (writer) => {
    const foreign = [web('web:9', '9'), proxy];
    const values = [
      { field: imageField, oldValue: 'web:9', newValue: 'web:1' },
      { field: valueField, oldValue: '9', newValue: '1' },
    ];

    test('fail: both are conflicts, and nothing is changed', async () => {
      const name = `fail-${writer}`;
      const project = mine(kind, name, { conflicts: 'fail' });
      expect((await project.deploy()).exitCode).toBe(0);
      const from = await writers[writer](kind, name, foreign);
      expect(await rowsOf(project, 'conflict')).toEqual(values);
      const report = await project.deploy();
      expect(report.exitCode, String(report)).toBe(5);
      expect(report.only()).toMatchObject({ result: 'conflict', conflicts: values.map((value) => ({ ...value, from })) });
      expect(await containersOf(kind, name)).toEqual(foreign);
    });

    test('yield: both stay, also in the next deploy, and beside a change of another field', async () => {
      const name = `yield-${writer}`;
      const project = mine(kind, name, { conflicts: 'yield' });
      expect((await project.deploy()).exitCode).toBe(0);
      const from = await writers[writer](kind, name, foreign);
      expect((await rowsOf(project, 'yield')).map(({ field }) => field)).toEqual([imageField, valueField]);
      for (let again = 0; again < 2; again++) {
        const report = await project.deploy();
        expect(report.exitCode, String(report)).toBe(0);
        expect(report.only()).toMatchObject({
          forcedConflicts: [],
          yielded: [
            { field: imageField, from, value: 'web:9' },
            { field: valueField, from, value: '9' },
          ],
        });
        expect(await containersOf(kind, name)).toEqual(foreign);
      }
    });

    test('force: both are planned and recorded with the old values, and the next deploy changes nothing', async () => {
      const name = `force-${writer}`;
      const project = mine(kind, name);
      expect((await project.deploy()).exitCode).toBe(0);
      const from = await writers[writer](kind, name, foreign);
      expect(await rowsOf(project, 'force')).toEqual(values);
      const report = await project.deploy(['--yes']);
      expect(report.only(), String(report)).toMatchObject({
        result: 'updated',
        forcedConflicts: values.map((value) => ({ ...value, from })),
      });
      expect(await containersOf(kind, name)).toEqual([...declared, proxy]);
      expect((await project.deploy()).only()).toMatchObject({ result: 'unchanged', forcedConflicts: [] });
    });
  });
});

describe.each(everyKind)('somebody applies the whole list of a %s', (kind) => {
  const field = '.spec.template.containers';
  const extra: Container = { name: 'extra', image: 'extra:1' };

  test.each([
    { when: 'before this stack adds an item', before: undefined, theirs: [proxy], ours: declared },
    { when: 'without the item of this stack', before: declared, theirs: [proxy], ours: declared },
    { when: 'with the item of this stack, which adds another', before: declared, theirs: [proxy, ...declared], ours: [...declared, extra] },
  ])('$when: the list is a conflict', async ({ when, before, theirs, ours }) => {
    const name = `whole-${when.length}`;
    const program = (containers: readonly Container[], conflicts: string) => ({
      main: [share(objectOf(kind, name, containers), { strategy: 'dynamic', ifAbsent: 'create', wait: false, conflicts })],
    });
    const project = testEnvironment.program(program(before ?? ours, 'fail'));
    const deployed = (conflicts: string, args: readonly string[] = []) => {
      project.write({ 'main.ts': testEnvironment.text(program(ours, conflicts)) });
      return project.deploy(args);
    };
    if (before) expect((await project.deploy()).exitCode).toBe(0);
    await writers.applier(kind, name, theirs);

    const failing = await deployed('fail');
    expect(failing.exitCode, String(failing)).toBe(5);
    expect(failing.only()).toMatchObject({ result: 'conflict', conflicts: [{ field, from: 'applier', oldValue: theirs }] });
    expect(await containersOf(kind, name)).toEqual(theirs);

    for (let again = 0; again < 2; again++) {
      const yielding = await deployed('yield');
      expect(yielding.exitCode, String(yielding)).toBe(0);
      expect(yielding.only()).toMatchObject({ forcedConflicts: [], yielded: [{ field, from: 'applier', value: theirs }] });
      expect(await containersOf(kind, name)).toEqual(theirs);
      expect((await testEnvironment.cluster.owners(ref(kind, name))).applier).toContain(field);
    }

    const newValue = [...theirs, ...ours.filter((one) => !theirs.includes(one))];
    const forcing = await deployed('force', ['--yes']);
    expect(forcing.only(), String(forcing)).toMatchObject({
      result: 'updated',
      forcedConflicts: [{ field, from: 'applier', oldValue: theirs, newValue }],
    });
    expect(await containersOf(kind, name)).toEqual(newValue);
  });
});

describe.each(everyKind)('another writer adds a second item with the key of ours to a list of a %s', (kind) => {
  const second: Container = { name: 'web', image: 'web:9' };
  const field = '.spec.template.containers[name="web"]';
  const listKeys = { 'spec.template.containers': ['name'] };

  describe.each([
    { by: 'convention', keys: {} },
    { by: 'listKeys', keys: { listKeys } },
  ])('identified by $by', ({ by, keys }) => {
    const duplicated = async (name: string, policy: object) => {
      const project = mine(kind, name, { ...keys, ...policy });
      expect((await project.deploy()).exitCode).toBe(0);
      await writers.updater(kind, name, [...declared, second, proxy]);
      return project;
    };

    test('fail: a conflict, and nothing is changed', async () => {
      const name = `twice-fail-${by.toLowerCase()}`;
      const project = await duplicated(name, { conflicts: 'fail' });
      const report = await project.deploy();
      expect(report.exitCode, String(report)).toBe(5);
      expect(report.only()).toMatchObject({ result: 'conflict', conflicts: [{ field, from: 'updater', oldValue: [...declared, second] }] });
      expect(await containersOf(kind, name)).toEqual([...declared, second, proxy]);
    });

    test('yield: both items stay, also in the next deploy', async () => {
      const name = `twice-yield-${by.toLowerCase()}`;
      const project = await duplicated(name, { conflicts: 'yield' });
      for (let again = 0; again < 2; again++) {
        const report = await project.deploy();
        expect(report.exitCode, String(report)).toBe(0);
        expect(report.only()).toMatchObject({ forcedConflicts: [], yielded: [{ field, from: 'updater', value: [...declared, second] }] });
        expect(report.only().released ?? []).toEqual([]);
        expect(await containersOf(kind, name)).toEqual([...declared, second, proxy]);
      }
    });

    test('force: recorded with both items, and the next deploy changes nothing', async () => {
      const name = `twice-force-${by.toLowerCase()}`;
      const project = await duplicated(name, {});
      const report = await project.deploy(['--yes']);
      expect(report.only(), String(report)).toMatchObject({
        result: 'updated',
        forcedConflicts: [{ field, from: 'updater', oldValue: [...declared, second], newValue: declared[0] }],
      });
      expect(await containersOf(kind, name)).toEqual([...declared, proxy]);
      expect((await project.deploy()).only()).toMatchObject({ result: 'unchanged', forcedConflicts: [] });
    });
  });

  test('a conflict, too, where nobody is on record for the list any more', async () => {
    const name = 'twice-unrecorded';
    const project = mine(kind, name, { conflicts: 'fail' });
    expect((await project.deploy()).exitCode).toBe(0);
    const { cluster } = testEnvironment;
    await writers.updater(kind, name, [...declared, second]);
    await cluster.patch('wiper', ref(kind, name), { metadata: { managedFields: [{}] } });
    await cluster.patch('labeler', ref(kind, name), { metadata: { labels: { some: 'label' } } });
    const report = await project.deploy();
    expect(report.only(), String(report)).toMatchObject({ result: 'conflict', conflicts: [{ field, from: 'another writer' }] });
    expect(await containersOf(kind, name)).toEqual([...declared, second]);
  });
});
