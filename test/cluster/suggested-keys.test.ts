import { overlayCrd, ownershipReport, parseListType, readCrd } from 'fieldwise/codegen';
import { expect, test } from 'vitest';
import { shippedRoots } from '../../src/cli/import/read/builtin.js';
import { crdOf } from '../harness/crd.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('suggested-keys');
const group = `${testEnvironment.namespace}.example.com`;

const text = { type: 'string' };
const port = { type: 'integer' };
const list = (required: readonly string[], properties: object) => ({ type: 'array', items: { type: 'object', required, properties } });
const spec = {
  type: 'object',
  properties: {
    extraEnv: list(['name'], { name: text, value: text, valueFrom: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }),
    ports: list(['port'], { name: text, port, protocol: { ...text, default: 'TCP' }, targetPort: { 'x-kubernetes-int-or-string': true } }),
    plugins: list(['name'], { name: text, volumes: list(['id'], { id: text, size: text }) }),
    headers: list(['name', 'value'], { name: text, value: text }),
    rules: list(['name'], { name: text }),
  },
};

test('a server accepts the suggested keys, and two managers then share the lists', async () => {
  const crd = crdOf(group, 'Suggested', { spec });
  const [report] = ownershipReport(readCrd(crd).roots, { builtIn: await shippedRoots() });
  const types = report?.shareable.flatMap(({ listType }) => listType ?? []) ?? [];
  expect(types).toEqual([
    'Suggested:.spec.extraEnv=map[name]',
    'Suggested:.spec.ports=map[port,protocol]',
    'Suggested:.spec.plugins=map[name]',
    'Suggested:.spec.plugins[].volumes=map[id]',
  ]);
  await testEnvironment.crd(overlayCrd(crd as never, types.map(parseListType)).crd as never);

  const object = testEnvironment.ref(`${group}/v1`, 'Suggested', 'shared');
  const of = (name: string, number: number) => ({
    ...object,
    spec: { extraEnv: [{ name, value: 'x' }], ports: [{ port: number, name }], plugins: [{ name: 'one', volumes: [{ id: name }] }] },
  });
  await testEnvironment.cluster.apply('one', of('a', 80));
  await testEnvironment.cluster.apply('two', of('b', 443));
  expect((await testEnvironment.cluster.get(object)).spec).toEqual({
    extraEnv: [
      { name: 'a', value: 'x' },
      { name: 'b', value: 'x' },
    ],
    ports: [
      { port: 80, name: 'a', protocol: 'TCP' },
      { port: 443, name: 'b', protocol: 'TCP' },
    ],
    plugins: [{ name: 'one', volumes: [{ id: 'a' }, { id: 'b' }] }],
  });
});
