import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ApiCallError } from '../harness/api-client.js';
import { crdOf } from '../harness/crd.js';
import { TestEnvironment } from '../harness/test-environment.js';

/**
 * Members of a schema with rules, and the errors by which kube-apiserver 1.36.3 refuses them; none where it accepts them. Which other errors keep
 * rules from being read, and how defaults are validated.
 */
const testEnvironment = await TestEnvironment.create('definition-schemas');
const { cluster, namespace } = testEnvironment;
const recorded = JSON.parse(readFileSync(new URL('./definitions/schemas.json', import.meta.url), 'utf8')) as readonly {
  readonly properties: object;
  readonly errors: readonly string[];
}[];

test.each(recorded)('$properties', async ({ properties, errors }) => {
  const spec = { type: 'object', properties, 'x-kubernetes-validations': [{ rule: 'around' }] };
  const body = crdOf(`${namespace}.example.com`, 'Tried', { spec });
  const path = await cluster.path(body);
  const error = await cluster.client.call('POST', path.slice(0, path.lastIndexOf('/')), { body, query: { dryRun: 'All' } }).then(
    () => undefined,
    (thrown: ApiCallError) => thrown,
  );
  const causes = (error?.body.details?.causes ?? []) as readonly { readonly field: string; readonly message: string }[];
  expect(causes.map(({ field, message }) => `${field}: ${message}`).toSorted()).toEqual(errors);
});
