import { expect, test } from 'vitest';
import type { ObjectRef } from '../harness/cluster.js';
import { poll } from '../harness/poll.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('mistyped');
const group = `${testEnvironment.app}.example.com`;
const { cluster } = testEnvironment;

const definition = (type: string): ObjectRef => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `things.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { x: { type }, y: { type: 'string' } } } } },
        },
      },
    ],
  },
});

test('where a definition has changed the type of a field, the refusal names the field and a command that mends it', async () => {
  await testEnvironment.crd(definition('integer'));
  const thing = (x: unknown) => ({ apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name: 't' }, spec: { x, y: 'a' } });
  const project = testEnvironment.program({ main: [own(thing(5))] });
  expect((await project.deploy()).exitCode).toBe(0);
  await cluster.apply('test', definition('string'), { force: true });
  project.write({ 'main.ts': testEnvironment.text({ main: [own(thing('five'))] }) });
  const at = testEnvironment.ref(`${group}/v1`, 'Thing', 't');
  await poll('the schema is the new one', async () => {
    const tried = await cluster
      .apply('test', { ...at, metadata: { ...at.metadata, name: 'other' }, spec: { x: 'text' } })
      .catch(() => undefined);
    return tried !== undefined;
  });
  const refused = await project.run(['deploy', '--yes']);
  expect(refused.exitCode).toBe(4);
  expect(refused.stdout).toContain('live-value-mistyped');
  const [, name, patch] =
    /kubectl patch things\.\S+ (\S+) --namespace \S+ --type merge --patch '([^']+)'/.exec(refused.stdout + refused.stderr) ?? [];
  expect([name, patch]).toEqual(['t', '{"spec":{"x":…}}']);
  await cluster.patch('somebody', at, JSON.parse(String(patch).replace('…', '"six"')));
  const mended = await project.run(['deploy', '--yes']);
  expect(mended.exitCode, mended.stderr).toBe(0);
  expect((await cluster.get(at)).spec).toEqual({ x: 'five', y: 'a' });
});
