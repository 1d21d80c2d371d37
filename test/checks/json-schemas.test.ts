import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from './command.js';
import { jsonSchemaDrift, requireTyped, schemaDirectory } from './json-schemas.js';

const written = new Map(
  readdirSync(join(root, schemaDirectory)).map((file) => [file, readFileSync(join(root, schemaDirectory, file), 'utf8')]),
);

it.each([
  ['the schemas that are there', written, []],
  ['another text of a schema', new Map([...written, ['diff.schema.json', '{}\n']]), ['diff.schema.json is not that of']],
  ['a schema that is not there', new Map([...written, ['undo.schema.json', '{}\n']]), ['undo.schema.json is not that of']],
  ['a schema of no command', new Map([...written].slice(1)), ['is of no command']],
])('drift: %s', (_, schemas, problems) => {
  expect(jsonSchemaDrift(schemas)).toEqual(problems.map((problem) => expect.stringContaining(problem)));
});

it('refuses a member to which the generator gave no type', () => {
  const typed = { definitions: { One: { type: 'object', properties: { a: { type: 'string' }, b: { $ref: '#/definitions/Two' } } } } };
  expect(() => requireTyped(typed, 'Line')).not.toThrow();
  const untyped = { definitions: { One: { type: 'object', properties: { a: { description: 'Of no type.' } } } } };
  expect(() => requireTyped(untyped, 'Line')).toThrow('Line/definitions/One has no type for a');
});
