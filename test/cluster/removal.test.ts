import { expect, test } from 'vitest';
import { type Declared, own, share } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('removal');

const nginx = (name: string) => testEnvironment.ref('apps/v1', 'Deployment', name);

const base = (name: string): Declared[] => [
  own({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, annotations: { foo: 'bar' } },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'nginx', image: 'nginx:1.29' }] } },
    },
  }),
];

const annotated = (name: string, annotations: object): Declared[] => [
  share({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, annotations } }),
];

test.each([
  { what: 'drops one of two', before: { a: '1', b: '2' }, after: { a: '1' }, left: { foo: 'bar', a: '1' } },
  { what: 'drops its only one', before: { a: '1' }, after: undefined, left: { foo: 'bar' } },
  { what: 'replaces it', before: { a: '1' }, after: { b: '2' }, left: { foo: 'bar', b: '2' } },
  { what: 'declares the same as the base and drops it', before: { foo: 'bar' }, after: undefined, left: { foo: 'bar' } },
])('another stack $what', async ({ what, before, after, left }) => {
  const name = what.replaceAll(' ', '-');
  const app = { environment: { FIELDWISE_APP_NAME: `${testEnvironment.app}-${name}` } };
  const owner = testEnvironment.program({ base: base(name) }, app);
  const sharer = testEnvironment.program({ extra: annotated(name, before) }, app);
  expect((await owner.deploy()).only().result).toBe('created');
  expect((await sharer.deploy()).exitCode).toBe(0);
  const { metadata, spec } = await testEnvironment.cluster.get(nginx(name));
  expect(metadata.annotations).toEqual({ foo: 'bar', ...before });

  sharer.write({ 'main.ts': testEnvironment.text({ extra: after ? annotated(name, after) : [] }) });
  const report = await sharer.deploy(['--yes']);
  expect(report.exitCode, String(report)).toBe(0);

  const live = await testEnvironment.cluster.get(nginx(name));
  expect(live.metadata.annotations).toEqual(left);
  expect(live.spec).toEqual(spec);
  expect(live.metadata.uid).toBe(metadata.uid);
  const owners = await testEnvironment.cluster.owners(nginx(name));
  expect(owners[owner.manager('base')]).toEqual(expect.arrayContaining(['.metadata.annotations.foo', '.spec.replicas']));
  expect(owners[sharer.manager('extra')]).toEqual(after ? Object.keys(after).map((key) => `.metadata.annotations.${key}`) : undefined);
});

test('the owner drops a field that the other stack declares, too: it stays', async () => {
  const app = { environment: { FIELDWISE_APP_NAME: `${testEnvironment.app}-kept` } };
  const owner = testEnvironment.program({ base: base('kept') }, app);
  const sharer = testEnvironment.program({ extra: annotated('kept', { foo: 'bar' }) }, app);
  await owner.deploy();
  await sharer.deploy();
  const [declared] = base('kept');
  owner.write({ 'main.ts': testEnvironment.text({ base: [own({ ...declared!.object, metadata: { name: 'kept' } })] }) });
  expect((await owner.deploy()).exitCode).toBe(0);
  expect((await testEnvironment.cluster.get(nginx('kept'))).metadata.annotations).toEqual({ foo: 'bar' });
  expect((await testEnvironment.cluster.owners(nginx('kept')))[sharer.manager('extra')]).toEqual(['.metadata.annotations.foo']);
});
