import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { causesOf } from '../../harness/causes-of.js';
import { crdOf } from '../../harness/crd.js';
import { TestEnvironment } from '../../harness/test-environment.js';

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

/** Returns the errors by which the server refuses a definition, in its order. */
async function errorsOf(spec: object): Promise<readonly string[]> {
  const body = crdOf(`${namespace}.example.com`, 'Tried', { spec });
  const path = await cluster.path(body);
  return causesOf(cluster.client.call('POST', path.slice(0, path.lastIndexOf('/')), { body, query: { dryRun: 'All' } }));
}

test.each(recorded)('$properties', async ({ properties, errors }) => {
  const spec = { type: 'object', properties, 'x-kubernetes-validations': [{ rule: 'around' }] };
  expect((await errorsOf(spec)).toSorted()).toEqual(errors);
});

const empty = (field: string, value = 'empty') => `${field}: Forbidden: must be ${value} to be structural`;
const typeless = (field: string, of = 'object fields') => `${field}.type: Required value: must not be empty for specified ${of}`;
const unsupported = (field: string, name: string) => `${field}.${name}: Forbidden: ${name} is not supported`;

test.each<readonly [title: string, spec: object, errors: readonly string[]]>([
  [
    'alternatives with types',
    { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    [empty('.anyOf[0].type'), empty('.anyOf[1].type'), typeless('')],
  ],
  [
    'every alternative',
    {
      ...{ anyOf: [{ type: 'string', default: 1 }], allOf: [{ type: 'string', description: 'x' }], oneOf: [{ type: 'string' }] },
      not: { type: 'string', nullable: true },
    },
    [
      ...[empty('.allOf[0].description'), empty('.allOf[0].type'), empty('.anyOf[0].default', 'undefined'), empty('.anyOf[0].type')],
      ...[empty('.not.nullable', 'false'), empty('.not.type'), empty('.oneOf[0].type'), typeless('')],
    ],
  ],
  [
    'names with signs, and members of other kinds',
    { type: 'object', properties: { a: { type: 'array' }, b: {}, A: {}, _: {}, 'a.b': {} } },
    [
      ...['A', '_', 'a.b'].map((name) => typeless(`.properties[${name}]`)),
      '.properties[a].items: Required value: must be specified',
      typeless('.properties[b]'),
    ],
  ],
  [
    'defaults, which only a structural schema has',
    { type: 'object', properties: { d: { type: 'integer', default: 'a' }, b: { items: {} } } },
    [typeless('.properties[b].items', 'array items'), typeless('.properties[b]')],
  ],
  [
    'members that no structural schema has, also in alternatives, before all others',
    {
      properties: {
        a: {
          anyOf: [{ properties: { x: { id: 'x' } } }, { 'x-kubernetes-preserve-unknown-fields': false }, { items: [{ type: 'string' }] }],
        },
      },
    },
    [
      unsupported('.properties[a].anyOf[0].properties[x]', 'id'),
      '.properties[a].anyOf[1].x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined',
      '.properties[a].anyOf[2].items: Forbidden: items must be a schema object and not an array',
    ],
  ],
  [
    'in other alternatives',
    { oneOf: [{ items: { $ref: 'x' } }, { additionalProperties: { id: 'y' } }], not: { definitions: { x: {} } } },
    [unsupported('.not', 'definitions'), unsupported('.oneOf[0].items', '$ref'), unsupported('.oneOf[1].additionalProperties', 'id')],
  ],
])('the order of errors: %s', async (_, spec, errors) => {
  const path = 'spec.validation.openAPIV3Schema.properties[spec]';
  expect(await errorsOf(spec)).toEqual(errors.map((error) => `${path}${error}`));
});
