import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { causesOf } from '../../harness/causes-of.js';
import { crdOf } from '../../harness/crd.js';
import { TestEnvironment } from '../../harness/test-environment.js';

/**
 * Whole schemas, and the errors by which kube-apiserver 1.36.3 refuses them; none where it accepts them: what the root may say beside a
 * status subresource, what its alternatives restrict, and defaults of metadata and of embedded resources.
 */
const testEnvironment = await TestEnvironment.create('definition-roots');
const { cluster, namespace } = testEnvironment;
const recorded = JSON.parse(readFileSync(new URL('./definitions/roots.json', import.meta.url), 'utf8')) as readonly {
  readonly schema: object;
  readonly status?: true;
  readonly errors: readonly string[];
}[];

test.each(recorded)('$schema', async ({ schema, status, errors }) => {
  const { spec, ...definition } = crdOf(`${namespace}.example.com`, 'Tried');
  const subresources = status === undefined ? {} : { subresources: { status: {} } };
  const versions = [{ name: 'v1', served: true, storage: true, ...subresources, schema: { openAPIV3Schema: schema } }];
  const body = { ...definition, spec: { ...spec, scope: 'Cluster', versions } };
  const path = await cluster.path(body);
  const answer = cluster.client.call('POST', path.slice(0, path.lastIndexOf('/')), { body, query: { dryRun: 'All' } });
  expect((await causesOf(answer)).toSorted()).toEqual(errors);
});
