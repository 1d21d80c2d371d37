import { toJsonSchema } from '@valibot/to-json-schema';
import { expect, it } from 'vitest';
import { configFileSchema } from '../../../src/cli/config/config-schema.js';

const file = new URL('../../../schema/fieldwise.schema.json', import.meta.url);

/** The published schema, made of the one that the command line checks by. */
function published(): string {
  const { $schema, ...schema } = toJsonSchema(configFileSchema, { errorMode: 'ignore' });
  return `${JSON.stringify({ $schema, title: 'fieldwise.yaml', ...schema }, undefined, 2)}\n`;
}

it('schema/fieldwise.schema.json is that of the configuration; vitest -u writes it', async () => {
  await expect(published()).toMatchFileSnapshot(file.pathname);
});

it('describes every key, and allows no other', () => {
  const schema = JSON.parse(published());
  expect(schema).toMatchObject({ type: 'object', additionalProperties: false, required: [] });
  expect(Object.keys(schema.properties)).toEqual(Object.keys(configFileSchema.entries));
  for (const [key, property] of Object.entries<{ description?: string; properties?: object }>(schema.properties)) {
    expect(property.description ?? property.properties, key).toBeDefined();
  }
});
