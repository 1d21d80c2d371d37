import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { ResponseBody } from '../../harness/api-client.js';
import { crdOf } from '../../harness/crd.js';
import { TestEnvironment } from '../../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('list-types');
const text = readFileSync(fileURLToPath(new URL('../../../docs/list-types.md', import.meta.url)), 'utf8');
const group = `${testEnvironment.namespace}.example.com`;

const schemas = new Map(
  [...text.matchAll(/<!-- schema: (\w+) -->\n```yaml\n([\s\S]*?)```/g)].map(([, name, yaml]) => [name!, parse(yaml!)]),
);

const definition = (name: string, spec: ResponseBody) => crdOf(group, `${name[0]!.toUpperCase()}${name.slice(1)}`, { spec });

/** The live value after two managers applied, the second by force; and whether it had to. */
async function both(name: string, one: object, two: object) {
  const { kind } = definition(name, {}).spec.names;
  await testEnvironment.crd(definition(name, schemas.get(name)));
  const object = testEnvironment.ref(`${group}/v1`, kind, 'shared');
  await testEnvironment.cluster.apply('one', { ...object, spec: one });
  const conflict = await testEnvironment.cluster.apply('two', { ...object, spec: two }).then(
    () => false,
    ({ status }) => status === 409,
  );
  if (conflict) await testEnvironment.cluster.apply('two', { ...object, spec: two }, { force: true });
  return { conflict, spec: (await testEnvironment.cluster.get(object)).spec };
}

test('map: each has its items, a key may be left out that has a default', async () => {
  const { conflict, spec } = await both('map', { listeners: [{ port: 80, class: 'a' }] }, { listeners: [{ port: 443, class: 'b' }] });
  expect(conflict).toBe(false);
  expect(spec.listeners).toEqual([
    { port: 80, protocol: 'TCP', class: 'a' },
    { port: 443, protocol: 'TCP', class: 'b' },
  ]);
});

test('set: each has its values', async () => {
  const { conflict, spec } = await both('set', { hosts: ['a'] }, { hosts: ['b'] });
  expect([conflict, spec.hosts.sort()]).toEqual([false, ['a', 'b']]);
});

test('atomic: there is one value as a whole', async () => {
  const { conflict, spec } = await both('atomic', { args: ['a'], selector: { a: '1' } }, { args: ['b'], selector: { b: '2' } });
  expect([conflict, spec]).toEqual([true, { args: ['b'], selector: { b: '2' } }]);
});

test('granular: each has its keys', async () => {
  const { conflict, spec } = await both('granular', { routes: { a: { host: 'x' } } }, { routes: { b: { host: 'y' } } });
  expect([conflict, spec]).toEqual([false, { routes: { a: { host: 'x' }, b: { host: 'y' } } }]);
});

test('nothing declared is atomic for a list', async () => {
  const plain = structuredClone(schemas.get('set'));
  delete plain.properties.hosts['x-kubernetes-list-type'];
  schemas.set('plain', plain);
  expect(await both('plain', { hosts: ['a'] }, { hosts: ['b'] })).toEqual({ conflict: true, spec: { hosts: ['b'] } });
});
