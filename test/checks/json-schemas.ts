import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGenerator } from 'ts-json-schema-generator';
import { root } from './command.js';

/** The directory of the JSON Schemas of `-o json`, in the package. */
export const schemaDirectory = 'schema/json';

const source = 'src/cli/json/lines.ts';

/** Returns the text of the JSON Schema of each command that has `-o json`, by file, made of the types of what it prints. */
export function jsonSchemas(): ReadonlyMap<string, string> {
  const generator = createGenerator({
    path: join(root, source),
    tsconfig: join(root, 'tsconfig.json'),
    skipTypeCheck: true,
    expose: 'export',
    // Readers ignore members that they do not know, so that a later version may add some.
    additionalProperties: true,
  });
  return new Map(
    printedTypes().map(({ type, command }) => {
      const { $schema, ...schema } = generator.createSchema(type);
      requireTyped(schema, type);
      const text = JSON.stringify({ $schema, title: `fieldwise ${command} -o json`, ...schema }, withoutUnions, 2);
      return [`${command}.schema.json`, `${text}\n`];
    }),
  );
}

/** Strict readers refuse a list of types. */
function withoutUnions(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('type' in value) || !Array.isArray(value.type)) return value;
  const { type, ...others } = value;
  return { ...others, anyOf: type.map((one: unknown) => ({ type: one })) };
}

/** The generator gives no type to a member of a `Pick` or `Omit` whose interface inherits it. @throws Error that names the member. */
export function requireTyped(schema: unknown, at: string): void {
  if (typeof schema !== 'object' || schema === null) return;
  for (const [name, member] of Object.entries(schema)) {
    if (name === 'properties') {
      const untyped = Object.keys(member).find((one) => Object.keys(member[one]).every((key) => key === 'description'));
      if (untyped !== undefined) throw new Error(`${at} has no type for ${untyped}: pick it from the interface that declares it`);
    }
    requireTyped(member, `${at}/${name}`);
  }
}

/** Returns the types of the source that have a command in their first line, such as `DiffLine`. */
function printedTypes(): { readonly type: string; readonly command: string }[] {
  const text = readFileSync(join(root, source), 'utf8');
  const pattern = /\/\*\* A line of `fieldwise (\w+)(?: --report)? -o json`.*\*\/\nexport (?:type|interface) (\w+)/g;
  return [...text.matchAll(pattern)].map(([, command = '', type = '']) => ({ type, command }));
}

/** Writes the schemas. */
export function writeJsonSchemas(): void {
  mkdirSync(join(root, schemaDirectory), { recursive: true });
  for (const [file, text] of jsonSchemas()) writeFileSync(join(root, schemaDirectory, file), text);
}

/** Compares the schemas of the package with those of the types. */
export function jsonSchemaDrift(schemas = jsonSchemas()): string[] {
  const directory = join(root, schemaDirectory);
  const changed = [...schemas].flatMap(([file, text]) => {
    const path = join(directory, file);
    return existsSync(path) && readFileSync(path, 'utf8') === text
      ? []
      : [`${schemaDirectory}/${file} is not that of ${source}: npm run json-schemas`];
  });
  const useless = existsSync(directory) ? readdirSync(directory).filter((file) => !schemas.has(file)) : [];
  return [...changed, ...useless.map((file) => `${schemaDirectory}/${file} is of no command`)];
}
