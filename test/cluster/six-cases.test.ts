import { describe, expect, test } from 'vitest';
import { own } from '../harness/program-text.js';
import { TestEnvironment, waitForNextSecond } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('six-cases');

const settings = (name: string, data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });

interface Case {
  /** Value that our stack deployed before; `-` is none. */
  readonly ours: string;
  /** Value that another applier has given it since. */
  readonly theirs: string;
  /** The value that the program declares now. */
  readonly declared: string;
  /** The live value afterwards. */
  readonly live: string;
  readonly owners: readonly ('us' | 'them')[];
  /** `applied` where the server's answer shows neither that the apply wrote nor that it did not. */
  readonly result: 'unchanged' | 'updated' | 'applied';
  readonly taken?: boolean;
}

const none = '-';

describe.each<Case>([
  { ours: 'x', theirs: none, declared: 'x', live: 'x', owners: ['us'], result: 'applied' },
  { ours: 'x', theirs: none, declared: 'y', live: 'y', owners: ['us'], result: 'updated' },
  { ours: 'x', theirs: none, declared: none, live: none, owners: [], result: 'updated' },
  { ours: none, theirs: 'x', declared: none, live: 'x', owners: ['them'], result: 'applied' },
  { ours: none, theirs: none, declared: 'y', live: 'y', owners: ['us'], result: 'updated' },
  { ours: none, theirs: 'x', declared: 'y', live: 'y', owners: ['us'], result: 'updated', taken: true },
  { ours: none, theirs: 'x', declared: 'x', live: 'x', owners: ['them', 'us'], result: 'updated' },
  { ours: 'x', theirs: 'x', declared: none, live: 'x', owners: ['them'], result: 'updated' },
])('ours $ours, theirs $theirs, declared $declared', ({ ours, theirs, declared, live, owners, result, taken = false }) => {
  const name = `case-${[ours, theirs, declared].join('').replaceAll(none, '0')}`;
  const object = testEnvironment.ref('v1', 'ConfigMap', name);
  // A field that never changes keeps the object declared when the other one is not.
  const dataOf = (value: string) => ({ always: 'here', ...(value === none ? {} : { field: value }) });

  test(`→ ${live}, owned by ${owners.join(' and ') || 'nobody'}${taken ? ', taken and reported' : ''}`, async () => {
    const project = testEnvironment.program({ main: [own(settings(name, dataOf(ours)))] });
    expect((await project.deploy()).only().result).toBe('created');
    if (theirs !== none) await testEnvironment.cluster.apply('them', { ...object, data: { field: theirs } });
    await testEnvironment.cluster.patch('kubectl', object, {
      metadata: { labels: { foreign: 'label' }, annotations: { foreign: 'annotation' } },
    });

    project.write({ 'main.ts': testEnvironment.text({ main: [own(settings(name, dataOf(declared)))] }) });
    await waitForNextSecond();
    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only().result).toBe(result);
    expect(report.only().forcedConflicts).toEqual(
      taken ? [{ field: '.data.field', oldValue: theirs, newValue: declared, from: 'them', operation: 'Apply' }] : [],
    );

    const { data, metadata } = await testEnvironment.cluster.get(object);
    expect(data).toEqual(dataOf(live));
    expect(metadata).toMatchObject({ labels: { foreign: 'label' }, annotations: { foreign: 'annotation' } });
    const names: Record<string, string> = { [project.manager('main')]: 'us', them: 'them' };
    const having = Object.entries(await testEnvironment.cluster.owners(object)).filter(([, fields]) => fields.includes('.data.field'));
    expect(having.map(([owner]) => names[owner]).sort()).toEqual([...owners].sort());

    // Deployed again, an unchanged program writes nothing and knows it.
    const before = await testEnvironment.cluster.resourceVersion(object);
    expect((await project.deploy()).only()).toMatchObject({ result: 'unchanged', forcedConflicts: [] });
    expect(await testEnvironment.cluster.resourceVersion(object)).toBe(before);
  });
});

test('not there, declared, and another owner has the whole it belongs to: forced and reported', async () => {
  const service = (selector?: object) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'whole' },
    spec: { ports: [{ port: 80 }], ...(selector ? { selector } : {}) },
  });
  const project = testEnvironment.program({ main: [own(service())] });
  await project.deploy();
  await testEnvironment.cluster.apply('them', { ...testEnvironment.ref('v1', 'Service', 'whole'), spec: { selector: { theirs: 'x' } } });
  project.write({ 'main.ts': testEnvironment.text({ main: [own(service({ ours: 'y' }))] }) });
  expect((await project.deploy()).only()).toMatchObject({
    result: 'updated',
    forcedConflicts: [{ field: '.spec.selector', oldValue: { theirs: 'x' }, newValue: { ours: 'y' }, from: 'them' }],
  });
  expect((await testEnvironment.cluster.get(testEnvironment.ref('v1', 'Service', 'whole'))).spec.selector).toEqual({ ours: 'y' });
});

test('a field of the stack that somebody removed is set again', async () => {
  const project = testEnvironment.program({ main: [own(settings('removed', { field: 'x', always: 'here' }))] });
  await project.deploy();
  await testEnvironment.cluster.patch('kubectl', testEnvironment.ref('v1', 'ConfigMap', 'removed'), { data: { field: null } });
  expect((await project.deploy()).only().forcedConflicts).toEqual([]);
  expect((await testEnvironment.cluster.get(testEnvironment.ref('v1', 'ConfigMap', 'removed'))).data).toEqual({
    field: 'x',
    always: 'here',
  });
});
