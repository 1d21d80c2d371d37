import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateModules, readCrd } from 'fieldwise/codegen';
import { ts } from 'ts-morph';
import { afterAll, expect, test } from 'vitest';

/** Text that ends comments, strings and templates, and would leave a mark if any of it ran. */
const poison = `*/ globalThis.poisoned = 1; /* ' " \` \${globalThis.poisoned = 1} \\ \u2028 \r\n // @ts-nocheck`;
const names = [
  poison,
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'build',
  'set',
  'class',
  'default',
  'import',
  '$ref',
  '$id',
  'title',
  'description',
  'type',
  'properties',
  'items',
  'a b',
  'a"b',
  "a'b",
  'a\nb',
  '1x',
  '日本',
  '',
  'T0',
  '$p0',
  'name.with.dots',
];

/** What such a module exports, as far as these tests know. */
interface Builder {
  withSpec(value: unknown): Builder;
  withP9999(value: unknown): Builder;
  build(): { readonly spec: Readonly<Record<string, unknown>> };
}

const directories: string[] = [];
afterAll(() => Promise.all(directories.map((directory) => rm(directory, { recursive: true, force: true }))));

function crd(properties: object, kind = 'Delete') {
  const schema = {
    type: 'object',
    description: poison,
    properties: { spec: { type: 'object', description: poison, properties }, status: { type: 'object' } },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    spec: {
      group: 'evil.example.com',
      scope: 'Cluster',
      names: { kind, plural: 'deletes' },
      versions: [{ name: 'v1', subresources: { status: {} }, schema: { openAPIV3Schema: schema } }],
    },
  };
}

/** Generates, checks that the text is plain declarations, writes and loads it. */
async function load(document: unknown) {
  const { files, diagnostics } = await generateModules(readCrd(document, { docs: true }).roots, { docs: true });
  const text = files[0]!.text;
  const file = ts.createSourceFile('v1.ts', text, ts.ScriptTarget.ES2022, true);
  const allowed = new Set([
    ts.SyntaxKind.ImportDeclaration,
    ts.SyntaxKind.ExportDeclaration,
    ts.SyntaxKind.InterfaceDeclaration,
    ts.SyntaxKind.TypeAliasDeclaration,
    ts.SyntaxKind.FunctionDeclaration,
    ts.SyntaxKind.VariableStatement,
  ]);
  expect(file.statements.filter(({ kind }) => !allowed.has(kind)).map((statement) => statement.getText())).toEqual([]);
  expect((file as unknown as { parseDiagnostics: unknown[] }).parseDiagnostics).toEqual([]);
  const directory = await mkdtemp(fileURLToPath(new URL('./hostile-', import.meta.url)));
  directories.push(directory);
  await writeFile(join(directory, 'v1.ts'), text);
  return {
    text,
    findings: diagnostics,
    module: (await import(/* @vite-ignore */ join(directory, 'v1.ts'))) as Record<string, (...args: string[]) => Builder>,
  };
}

test('names, enums, defaults and descriptions cannot put code into a module', async () => {
  const properties = Object.fromEntries(
    names.map((name) => [
      name,
      {
        type: 'object',
        description: poison,
        properties: Object.fromEntries([
          [name, { type: 'string', description: poison, default: poison, enum: ['', name, poison] }],
          ['n', { type: 'integer', enum: [1, 2] }],
        ]),
      },
    ]),
  );
  const keyed = {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': [poison, 'class'],
    items: { type: 'object', required: [poison], properties: { [poison]: { type: 'string' }, class: { type: 'string' } } },
  };
  const { module } = await load(crd({ ...properties, keyed }));
  expect((globalThis as { poisoned?: unknown }).poisoned).toBeUndefined();
  const spec = Object.fromEntries(names.map((name) => [name, Object.fromEntries([[name, poison]])]));
  const built = module.delete_!('x')
    .withSpec({ ...spec, keyed: [module.keyed!(poison)] })
    .build();
  expect(Object.keys(built.spec).sort()).toEqual([...names, 'keyed'].sort());
  expect(built.spec[poison]).toEqual({ [poison]: poison });
  expect(built.spec.keyed).toEqual([{ [poison]: poison }]);
  expect(Object.getOwnPropertyDescriptor(built.spec, '__proto__')?.value).toEqual(Object.fromEntries([['__proto__', poison]]));
  expect((globalThis as { poisoned?: unknown }).poisoned).toBeUndefined();
});

test('a field whose name every object has is untyped in literals, which is said', async () => {
  const { findings, text } = await load(crd({ toString: { type: 'string' }, other: { type: 'string' } }, 'Named'));
  expect(text).toMatch(/readonly toString\?: any/);
  expect(findings.map(({ code, message }) => `${code}: ${message}`)).toEqual([
    'node-widened: field "toString" takes any value in a literal, because every object has a member of that name; withToString knows its type',
  ]);
});

test('ten thousand properties and two hundred levels', async () => {
  const many = {
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`p${index}`, { type: 'string' }])),
  };
  let deep: object = { type: 'string' };
  for (let level = 0; level < 200; level++) deep = { type: 'object', properties: { [`d${level}`]: deep } };
  const { module } = await load(crd({ many, deep }, 'Thing'));
  expect(module.many!().withP9999('x').build()).toEqual({ p9999: 'x' });
});

test('a schema that is too deep is refused with its path', () => {
  let deep: object = { type: 'string' };
  for (let level = 0; level < 5000; level++) deep = { type: 'object', properties: { d: deep } };
  expect(() => readCrd(crd({ deep }))).toThrow(
    expect.objectContaining({ code: 'schema-too-deep', location: { field: expect.stringMatching(/^\.spec\.deep\.d\.d/) } }),
  );
});
