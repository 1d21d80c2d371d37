import { expect, test } from 'vitest';
import { crdOf } from '../harness/crd.js';
import { poll } from '../harness/poll.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('crd-descriptions');
const { client } = testEnvironment.cluster;

test('the descriptions of a CustomResourceDefinition are published', async () => {
  const group = `${testEnvironment.namespace}.example.com`;
  const spec = {
    type: 'object',
    description: 'What is wanted.',
    properties: {
      size: { type: 'integer', description: 'In litres.' },
      parts: {
        type: 'array',
        description: 'Its parts.',
        items: { type: 'object', properties: { name: { type: 'string', description: 'A name.' } } },
      },
      labels: { type: 'object', additionalProperties: { type: 'string', description: 'A value.' } },
    },
  };
  await testEnvironment.crd(crdOf(group, 'Widget', { spec }));
  const schema = await poll('the schema is published', async () => {
    const document = await client.call('GET', `/openapi/v3/apis/${group}/v1`).catch(() => undefined);
    const schemas: Record<string, { properties: { spec: unknown } }> = document?.components.schemas ?? {};
    return Object.entries(schemas).find(([name]) => name.endsWith('.v1.Widget'))?.[1];
  });
  expect(schema.properties.spec).toMatchObject(spec);
});
