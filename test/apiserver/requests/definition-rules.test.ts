import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ApiCallError } from '../../harness/api-client.js';
import { crdOf } from '../../harness/crd.js';
import { TestEnvironment } from '../../harness/test-environment.js';

/** Schemas of CustomResourceDefinitions, and the errors by which kube-apiserver 1.36.3 refuses them; none where it accepts them. */
const testEnvironment = await TestEnvironment.create('definition-rules');
const { cluster, namespace } = testEnvironment;
const recorded = JSON.parse(readFileSync(new URL('./definitions/recorded.json', import.meta.url), 'utf8')) as readonly (readonly [
  schema: object,
  errors: readonly string[],
])[];

test.each(recorded)('%j', async (schema, errors) => {
  const { spec, ...definition } = crdOf(`${namespace}.example.com`, 'Tried');
  const versions = spec.versions.map((version) => ({ ...version, schema: { openAPIV3Schema: schema } }));
  const body = { ...definition, spec: { ...spec, versions } };
  const path = await cluster.path(body as never);
  const error = await cluster.client
    .call('POST', path.slice(0, path.lastIndexOf('/')), { body: body as never, query: { dryRun: 'All' } })
    .then(
      () => undefined,
      (thrown: ApiCallError) => thrown,
    );
  const causes = (error?.body.details?.causes ?? []) as readonly { readonly field: string; readonly message: string }[];
  // The name of a type has a number that differs each time.
  expect(causes.map(({ field, message }) => `${field}: ${message}`.replaceAll(/selfType\d+/g, 'selfType')).toSorted()).toEqual(
    errors.toSorted(),
  );
});
