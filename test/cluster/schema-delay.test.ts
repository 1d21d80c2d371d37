import { expect, test } from 'vitest';
import { crdOf } from '../harness/crd.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

// An API server stores a changed CustomResourceDefinition at once, and applies its schema a moment later. A loaded server was seen to reject
// an object in this moment; here a proxy answers as it did.

const testEnvironment = await TestEnvironment.create('schema-delay');
const group = `${testEnvironment.namespace}.example.com`;
testEnvironment.removeCrdLater(`gateways.${group}`);

const definition = (properties: object) => crdOf(group, 'Gateway', { spec: { type: 'object', properties } });
const gateway = (spec: object) => ({ apiVersion: `${group}/v1`, kind: 'Gateway', metadata: { name: 'public' }, spec });
const text = { type: 'string' };

test('an object is applied again until the server applies the schema that the run has changed, and only then', async () => {
  const project = testEnvironment.program({ base: [own(definition({ class: text })), own(gateway({ class: 'a' }))] });
  expect((await project.deploy()).exitCode).toBe(0);
  const proxy = await testEnvironment.proxy();
  let rejections = 0;
  proxy.onRequest = ({ method, path }) => {
    if (method !== 'PATCH' || !path.includes('/gateways/') || rejections === 3) return undefined;
    rejections += 1;
    const message = `failed to create typed patch object (${testEnvironment.namespace}/public; ${group}/v1, Kind=Gateway): .spec.size: field not declared in schema`;
    return { status: 500, body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 } };
  };
  const declared = own(gateway({ class: 'a', size: 1 }));
  project.write({ 'main.ts': testEnvironment.text({ base: [own(definition({ class: text, size: { type: 'integer' } })), declared] }) });
  const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
  expect(report.exitCode, String(report)).toBe(0);
  expect(rejections).toBe(3);
  expect(report.results[`Gateway ${testEnvironment.namespace}/public`]).toBe('updated');
  expect((await testEnvironment.cluster.get(testEnvironment.ref(`${group}/v1`, 'Gateway', 'public'))).spec).toEqual({
    class: 'a',
    size: 1,
  });

  // This run changes no definition: the rejection is one.
  rejections = 0;
  const again = await project.deploy([], { kubeconfig: proxy.kubeconfig });
  expect(again.exitCode, String(again)).toBe(4);
  expect(again.only('Gateway')).toMatchObject({ result: 'failed', error: { code: 'field-unknown' } });
  expect(rejections).toBe(1);
});
