import { expect, test } from 'vitest';
import { own, share } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('service');

const service = (name: string, spec: object) => ({ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec });
const live = async (name: string) => {
  const { spec } = await testEnvironment.cluster.get(testEnvironment.ref('v1', 'Service', name));
  return {
    type: spec.type,
    selector: spec.selector,
    ports: spec.ports.map(({ name, port }: { name?: string; port: number }) => [name, port]),
  };
};

function twoPrograms(name: string, port: object) {
  const app = { environment: { FIELDWISE_APP_NAME: `${testEnvironment.app}-${name}` } };
  return {
    owner: testEnvironment.program({ web: [own(service(name, { selector: { app: name }, ports: [port] }))] }, app),
    sharer: testEnvironment.program({ metrics: [share(service(name, { ports: [{ name: 'metrics', port: 1000 }] }))] }, app),
  };
}

test('a second port, then another, then a type: the selector and port 80 are never lost', async () => {
  const { owner, sharer } = twoPrograms('named', { name: 'http', port: 80 });
  expect((await owner.deploy()).only().result).toBe('created');
  expect((await sharer.deploy()).only()).toMatchObject({ result: 'updated', forcedConflicts: [] });
  const both = { type: 'ClusterIP', selector: { app: 'named' } };
  expect(await live('named')).toEqual({
    ...both,
    ports: [
      ['http', 80],
      ['metrics', 1000],
    ],
  });
  expect(await testEnvironment.cluster.owners(testEnvironment.ref('v1', 'Service', 'named'))).toEqual({
    [owner.manager('web')]: ['.spec.ports[port=80,protocol="TCP"].name', '.spec.ports[port=80,protocol="TCP"].port', '.spec.selector'],
    [sharer.manager('metrics')]: ['.spec.ports[port=1000,protocol="TCP"].name', '.spec.ports[port=1000,protocol="TCP"].port'],
  });

  sharer.write({ 'main.ts': testEnvironment.text({ metrics: [share(service('named', { ports: [{ name: 'metrics', port: 2000 }] }))] }) });
  expect((await sharer.deploy()).only().forcedConflicts).toEqual([]);
  expect(await live('named')).toEqual({
    ...both,
    ports: [
      ['http', 80],
      ['metrics', 2000],
    ],
  });

  sharer.write({
    'main.ts': testEnvironment.text({ metrics: [share(service('named', { type: 'NodePort', ports: [{ name: 'metrics', port: 2000 }] }))] }),
  });
  expect((await sharer.deploy()).only().forcedConflicts).toEqual([]);
  expect(await live('named')).toEqual({
    ...both,
    type: 'NodePort',
    ports: [
      ['http', 80],
      ['metrics', 2000],
    ],
  });

  // The owner deploys again: its view of the Service has not changed.
  expect((await owner.deploy()).only().forcedConflicts).toEqual([]);
  expect(await live('named')).toMatchObject({
    type: 'NodePort',
    ports: [
      ['http', 80],
      ['metrics', 2000],
    ],
  });

  expect((await sharer.destroy()).only().result).toBe('released');
  expect(await live('named')).toMatchObject({ selector: { app: 'named' }, ports: [['http', 80]] });
});

test('beside an unnamed port the server refuses a second one: said in our words, nothing changed', async () => {
  const { owner, sharer } = twoPrograms('unnamed', { port: 80 });
  await owner.deploy();
  const before = await testEnvironment.cluster.resourceVersion(testEnvironment.ref('v1', 'Service', 'unnamed'));
  const report = await sharer.deploy();
  expect(report.exitCode).toBe(4);
  expect(report.only()).toMatchObject({
    result: 'failed',
    error: { code: 'port-unnamed', message: expect.stringMatching(/more than one port needs a name/), status: { code: 422 } },
    declaredBy: [{ construct: expect.stringContaining('metrics'), source: expect.stringMatching(/^main\.ts:4/) }],
  });
  expect(await testEnvironment.cluster.resourceVersion(testEnvironment.ref('v1', 'Service', 'unnamed'))).toBe(before);
});
