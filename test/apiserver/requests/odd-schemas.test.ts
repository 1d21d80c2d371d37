import { expect, test } from 'vitest';
import type { ResponseBody } from '../../harness/api-client.js';
import { causesOf } from '../../harness/causes-of.js';
import { crdOf } from '../../harness/crd.js';
import { TestEnvironment } from '../../harness/test-environment.js';

/** Schemas that a server accepts, and reads otherwise than they are meant: limits beyond a type, null in an enum, a root without fields. */
const testEnvironment = await TestEnvironment.create('odd-schemas');
const { cluster, namespace } = testEnvironment;
const group = `${namespace}.example.com`;
const apiVersion = `${group}/v1`;

const schemas = {
  // The limits of int64, as the doubles that are nearest to them.
  both: { type: 'integer', format: 'int64', minimum: -(2 ** 63), maximum: 2 ** 63 },
  most: { type: 'integer', maximum: 2 ** 63 },
  multiple: { type: 'integer', format: 'int32', multipleOf: 3e9 },
  large: { type: 'integer', format: 'int32', maximum: 2 ** 31 },
  number: { type: 'number', maximum: 2 ** 63 },
  float: { type: 'number', format: 'float', maximum: 1e300 },
  choice: { type: 'integer', nullable: true, enum: [1, null] },
  text: { type: 'string', enum: ['a', null] },
};
await testEnvironment.crd(crdOf(group, 'Odd', { spec: { type: 'object', properties: schemas } }));

const beyond = (what: string, type: string, field: string) =>
  `<nil>: Invalid value: "": ${what} value must be of type ${type} in spec.${field}`;

test.each<readonly [field: keyof typeof schemas, value: unknown, causes: readonly string[]]>([
  ['both', 5, ['Minimum boundary', 'Maximum boundary'].map((what) => beyond(what, 'integer with format int64', 'both'))],
  ['most', 5, [beyond('Maximum boundary', 'integer (default format)', 'most')]],
  [
    'multiple',
    5,
    [
      beyond('MultipleOf', 'integer with format int32', 'multiple'),
      'spec.multiple: Invalid value: 5: spec.multiple in body should be a multiple of 3e+09',
    ],
  ],
  [
    'large',
    2147483649,
    [
      beyond('Checked', 'integer with format int32', 'large'),
      beyond('Maximum boundary', 'integer with format int32', 'large'),
      'spec.large: Invalid value: 2.147483649e+09: spec.large in body should be less than or equal to 2.147483648e+09',
    ],
  ],
  ['number', 5, ['spec.number: Invalid value: 5: spec.number in body should be less than or equal to -9223372036854775808']],
  ['number', 0.5, []],
  ['float', 5, [beyond('Maximum boundary', 'number with format float', 'float')]],
  ['choice', 2, ['spec.choice: Unsupported value: 2: supported values: "1", "null"']],
  ['choice', null, ['spec.choice: Unsupported value: null: supported values: "1", "null"']],
  ['choice', 1, []],
  ['text', '', ['spec.text: Unsupported value: "": supported values: "a", "null"']],
])('a value of %s: %j', async (field, value, causes) => {
  const object = { ...testEnvironment.ref(apiVersion, 'Odd', 'tried'), spec: { [field]: value } };
  const path = (await cluster.path(object)).replace(/\/tried$/, '');
  const found = await causesOf(cluster.client.call('POST', path, { body: object, query: { dryRun: 'All' } }));
  expect(found).toEqual(causes);
});

test('null in an enum stays in the definition', async () => {
  const { spec } = await cluster.get(testEnvironment.ref('apiextensions.k8s.io/v1', 'CustomResourceDefinition', `odds.${group}`));
  expect(spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.choice.enum).toEqual([1, null]);
});

test.each([
  ['no fields', {}, true],
  ['fields that are unknown', { 'x-kubernetes-preserve-unknown-fields': true }, false],
] as const)('an apply to a root with %s', async (_, open, isRefused) => {
  const kind = isRefused ? 'Bare' : 'Open';
  const definition: ResponseBody = crdOf(group, kind);
  definition.spec.versions[0].schema.openAPIV3Schema = { type: 'object', ...open };
  await testEnvironment.crd(definition);
  const object = (content: object) => ({ ...testEnvironment.ref(apiVersion, kind, 'tried'), ...content });
  await expect(cluster.apply('test', object({}))).resolves.toMatchObject({ kind });
  for (const field of ['spec', 'data']) {
    const applied = cluster.apply('test', object({ [field]: { a: 1 } }));
    const message = expect.stringMatching(
      new RegExp(`^failed to create typed patch object \\(.*\\): \\.${field}: field not declared in schema$`),
    );
    if (isRefused) await expect(applied).rejects.toMatchObject({ status: 500, body: { message } });
    else await expect(applied).resolves.toMatchObject({ [field]: { a: 1 } });
  }
  // Another write drops what the schema does not have.
  const path = (await cluster.path(object({}))).replace(/\/tried$/, '/');
  const created = await cluster.client.call('POST', path.slice(0, -1), {
    body: { ...object({ spec: { a: 1 } }), metadata: { name: 'created' } },
  });
  expect(created.spec).toEqual(isRefused ? undefined : { a: 1 });
});
