import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ApiCallError, ResponseBody } from '../../harness/api-client.js';
import { crdOf } from '../../harness/crd.js';
import { TestEnvironment } from '../../harness/test-environment.js';

/** What kube-apiserver 1.36.3 says of numbers, in and beyond the limits and types of their schemas. */
const testEnvironment = await TestEnvironment.create('number-limits');
const { cluster } = testEnvironment;
const kind = 'Limited';
const apiVersion = `${testEnvironment.namespace}.example.com/v1`;

const { values, schemas } = JSON.parse(readFileSync(new URL('./definitions/number-limits.json', import.meta.url), 'utf8')) as {
  readonly values: readonly (number | string | boolean)[];
  /** With the messages about a list of all values. */
  readonly schemas: readonly { readonly schema: ResponseBody; readonly messages: readonly string[] }[];
};

const lists = schemas.map(({ schema }, index) => [`list${index}`, { type: 'array', items: schema }] as const);
await testEnvironment.crd(crdOf(apiVersion.replace('/v1', ''), kind, { spec: { type: 'object', properties: Object.fromEntries(lists) } }));

test.each(schemas.map(({ schema, messages }, index) => [JSON.stringify(schema), index, messages] as const))(
  '%s',
  async (_, index, messages) => {
    const body = { ...testEnvironment.ref(apiVersion, kind, 'tried'), spec: { [`list${index}`]: values } };
    const path = await cluster.path(body);
    const call = cluster.client.call('POST', path.slice(0, path.lastIndexOf('/')), { body, query: { dryRun: 'All' } });
    const error = await call.then(
      () => undefined,
      (thrown: ApiCallError) => thrown,
    );
    const found = (error?.body.details?.causes ?? []) as readonly { readonly field: string; readonly message: string }[];
    expect(found.map(({ field, message }) => `${field}: ${message}`.replaceAll(`list${index}`, 'list'))).toEqual(messages);
  },
);
