import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { generateModules, readCrd } from '../../../codegen/index.js';
import { resolve } from '../../../src/schema/index.js';
import { ImportedTypes } from '../../../src/synth/declared/imported-types.js';
import { ShippedTypes } from '../../../src/synth/declared/shipped-types.js';
import { unknownKind } from '../../../src/synth/lint/unknown-kind.js';

const project = mkdtempSync(join(tmpdir(), 'fieldwise-imported-'));
afterAll(() => rmSync(project, { recursive: true }));

const crd = parse(readFileSync(fileURLToPath(new URL('../codegen/fixtures/odd-thing.yaml', import.meta.url)), 'utf8')) as unknown;
const { files } = await generateModules(readCrd(crd, { docs: true }).roots, { docs: true });
const { path, text } = files[0]!;
const apiVersion = path.replace(/\.ts$/, '');

function write(content: string, file = path) {
  const target = join(project, 'imports', file);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, content);
}

const types = () => new ImportedTypes(project, new ShippedTypes());
beforeEach(() => rmSync(join(project, 'imports'), { recursive: true, force: true }));

test('the type of a kind comes from the text of its module, with the types that the module imports', () => {
  write(text);
  const root = types().root(apiVersion, 'OddThing');
  const fields = resolve(root!.schema, root!.type).map!.fields;
  expect([...fields.keys()]).toEqual(expect.arrayContaining(['metadata', 'spec']));
  expect(resolve(root!.schema, fields.get('metadata')!.type).map!.fields.has('ownerReferences')).toBe(true);
  expect(types().root(apiVersion, 'Other')).toBeUndefined();
});

test.each([
  ['no module', undefined],
  ['another file', 'export {};\n'],
  ['a file that would run', "throw new Error('run');\n"],
  ['a module that is cut off', text.slice(0, -200)],
  ['a table that is no JSON', text.replace('{"apiVersion"', '{apiVersion')],
  ['an import that is not there', text.replaceAll('fieldwise/k8s/meta/v1', '../gone/v1.js')],
  ['an import outside the imports', text.replaceAll('fieldwise/k8s/meta/v1', '../../../etc/passwd')],
])('%s has no types', (_, content) => {
  if (content !== undefined) write(content);
  expect(types().root(apiVersion, 'OddThing')).toBeUndefined();
});

test.each(['../../etc/v1', 'a/../../b/v1', '..', '', 'edge.example.com/v1/../../x', `${'a'.repeat(100_000)}.b/v1`])(
  'an apiVersion that leads elsewhere has no types: %s',
  (odd) => expect(types().root(odd, 'OddThing')).toBeUndefined(),
);

test('a module with the line ends of Windows has the same types', () => {
  write(text.replaceAll('\n', '\r\n'));
  expect(types().root(apiVersion, 'OddThing')?.kind).toBe('OddThing');
});

test('a kind of NAME:=SPEC is found, and of two sources neither', () => {
  write(text, `a-${path}`);
  expect(types().root(apiVersion, 'OddThing')?.kind).toBe('OddThing');
  write(text, `b-${path}`);
  expect(types().root(apiVersion, 'OddThing')).toBeUndefined();
  expect(
    new Set(
      types()
        .kindsOfGroup(apiVersion)
        .map(({ kind }) => kind),
    ),
  ).toEqual(new Set(['OddThing']));
});

test('a literal of a kind of two sources is not said to be unknown', () => {
  write(text, `a-${path}`);
  write(text);
  const placed = { intent: { identity: { apiVersion, kind: 'OddThing', name: 'x' } } } as unknown as Parameters<typeof unknownKind>[0];
  expect(unknownKind(placed, { shipped: new ShippedTypes(), imported: types() })).toEqual([]);
});
