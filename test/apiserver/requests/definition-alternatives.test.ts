import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { causesOf } from '../../harness/causes-of.js';
import { crdOf } from '../../harness/crd.js';
import { poll } from '../../harness/poll.js';
import { TestEnvironment } from '../../harness/test-environment.js';

/** Values against `anyOf`, `oneOf`, `allOf` and `not`, in the spec and in the status: the errors of kube-apiserver 1.36.3, in its order. */
const testEnvironment = await TestEnvironment.create('alternatives');
const { cluster, namespace } = testEnvironment;
const { properties, cases } = JSON.parse(readFileSync(new URL('./definitions/alternatives.json', import.meta.url), 'utf8')) as {
  readonly properties: object;
  readonly cases: readonly { readonly value: object; readonly spec: readonly string[]; readonly status: readonly string[] }[];
};

const group = `${namespace}.example.com`;
const schema = { type: 'object', properties };
await testEnvironment.crd(crdOf(group, 'Tried', { spec: schema, status: schema }));
const collection = `/apis/${group}/v1/namespaces/${namespace}/trieds`;
const named = (name: string) => ({ apiVersion: `${group}/v1`, kind: 'Tried', metadata: { name, namespace } });
await poll('the kind is served', async () => await cluster.client.call('POST', collection, { body: named('kept') }).catch(() => undefined));

const query = { dryRun: 'All' };

test.each(cases)('$value', async ({ value, spec, status }) => {
  const created = cluster.client.call('POST', collection, { body: { ...named('tried'), spec: value }, query });
  expect(await causesOf(created)).toEqual(spec);
  const contentType = 'application/merge-patch+json';
  const patched = cluster.client.call('PATCH', `${collection}/kept/status`, { body: { status: value }, query, contentType });
  expect(await causesOf(patched)).toEqual(status);
});
