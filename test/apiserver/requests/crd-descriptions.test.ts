import { expect, test } from 'vitest';
import { crdOf } from '../../harness/crd.js';
import { poll } from '../../harness/poll.js';
import { TestEnvironment } from '../../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('crd-descriptions');
const { client } = testEnvironment.cluster;

test('the descriptions and rules of a CustomResourceDefinition are published', async () => {
  const group = `${testEnvironment.namespace}.example.com`;
  const spec = {
    type: 'object',
    description: 'What is wanted.',
    properties: {
      size: {
        type: 'integer',
        description: 'In litres.',
        'x-kubernetes-validations': [{ rule: 'self < 9 || oldSelf.hasValue()', message: 'is small', optionalOldSelf: true }],
      },
      parts: {
        type: 'array',
        description: 'Its parts.',
        maxItems: 9,
        items: {
          type: 'object',
          properties: { name: { type: 'string', description: 'A name.' } },
          'x-kubernetes-validations': [{ rule: 'has(self.name)', reason: 'FieldValueForbidden', fieldPath: '.name' }],
        },
      },
      labels: { type: 'object', additionalProperties: { type: 'string', description: 'A value.' } },
    },
    'x-kubernetes-validations': [{ rule: 'has(self.size)', messageExpression: "'no ' + 'size'" }],
  };
  await testEnvironment.crd(crdOf(group, 'Widget', { spec }));
  const schema = await poll('the schema is published', async () => {
    const document = await client.call('GET', `/openapi/v3/apis/${group}/v1`).catch(() => undefined);
    const schemas: Record<string, { properties: { spec: unknown } }> = document?.components.schemas ?? {};
    return Object.entries(schemas).find(([name]) => name.endsWith('.v1.Widget'))?.[1];
  });
  expect(schema.properties.spec).toMatchObject(spec);
  const { definitions } = await client.call('GET', '/openapi/v2');
  const [, old] =
    Object.entries<typeof schema>(definitions).find(([name]) => name.endsWith(`${testEnvironment.namespace}.v1.Widget`)) ?? [];
  expect(old?.properties.spec).toMatchObject(spec);
});
