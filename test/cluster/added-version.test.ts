import { expect, test } from 'vitest';
import { crdOf } from '../harness/crd.js';
import { eventsOf } from '../harness/events.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

// One deploy adds a version to a CustomResourceDefinition and moves an object to it: before the first write, the server does not serve the
// object in this version.

const testEnvironment = await TestEnvironment.create('added-version');
const group = `${testEnvironment.namespace}.example.com`;
testEnvironment.removeCrdLater(`things.${group}`);

const item = { type: 'object', required: ['name'], properties: { name: { type: 'string' }, v: { type: 'string' } } };
const list = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'], items: item };
const spec = { type: 'object', properties: { a: { type: 'integer' }, c: { type: 'string' }, l: list } };
const one = crdOf(group, 'Thing', { spec });
const [version] = one.spec.versions;
const two = {
  ...one,
  spec: {
    ...one.spec,
    versions: [
      { ...version, storage: false },
      { ...version, name: 'v2' },
    ],
  },
};
const thing = (version: string, spec: object) => ({ apiVersion: `${group}/${version}`, kind: 'Thing', metadata: { name: 't' }, spec });

test('no field of others is removed with an item unasked, and released fields are reported', async () => {
  const declared = { a: 1, c: 'ours', l: [{ name: 'p' }, { name: 'q' }] };
  const project = testEnvironment.program({ main: [own(one), own(thing('v1', declared))] });
  expect((await project.deploy()).exitCode).toBe(0);
  const ref = testEnvironment.ref(`${group}/v1`, 'Thing', 't');
  await testEnvironment.cluster.patch('other', ref, { spec: { l: [{ name: 'p' }, { name: 'q', v: 'theirs' }] } }, 'merge');

  project.write({ 'main.ts': testEnvironment.text({ main: [own(two), own(thing('v2', { a: 1, l: [{ name: 'p' }] }))] }) });
  const plans = eventsOf((await project.run(['diff', '-o', 'json'])).events, 'plan');
  expect(plans.find(({ kind }) => kind === 'Thing')).toMatchObject({
    action: 'update',
    fields: expect.arrayContaining([expect.objectContaining({ field: '.spec.c', change: 'removed' })]),
  });
  const first = await project.deploy(['--yes']);
  expect(first.exitCode, String(first)).toBe(4);
  expect(first.only('Thing')).toMatchObject({ result: 'failed', error: { code: 'collateral-removal' } });
  const kept = await testEnvironment.cluster.get(ref);
  expect(kept.spec).toEqual({ a: 1, c: 'ours', l: [{ name: 'p' }, { name: 'q', v: 'theirs' }] });

  const asked = await project.deploy();
  expect(asked.exitCode, String(asked)).toBe(2);
  const second = await project.deploy(['--yes']);
  expect(second.exitCode, String(second)).toBe(0);
  expect(second.only('Thing')).toMatchObject({
    result: 'updated',
    collateral: [{ field: '.spec.l[name="q"].v', from: 'other', oldValue: 'theirs' }],
    released: expect.arrayContaining([expect.objectContaining({ field: '.spec.c', change: 'removed' })]),
  });
  expect((await testEnvironment.cluster.get(ref)).spec).toEqual({ a: 1, l: [{ name: 'p' }] });
});
