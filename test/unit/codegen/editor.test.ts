import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { generateModules, readCrd } from '../../../codegen/index.js';
import { editorViews } from '../../harness/editor.js';

/** What an editor shows of generated modules: each doc comment stands in the file once, beside the literal's field. */

const root = fileURLToPath(new URL('../../..', import.meta.url));
const directory = mkdtempSync(join(root, 'test/unit/codegen/editor-'));
afterAll(() => rmSync(directory, { recursive: true }));
const program = join(directory, 'program.ts');

const crd = parse(readFileSync(join(root, 'test/unit/codegen/fixtures/odd-thing.yaml'), 'utf8')) as {
  spec: { versions: { schema: { openAPIV3Schema: { properties: Record<string, unknown> } } }[] };
};
crd.spec.versions[0]!.schema.openAPIV3Schema.properties.documented = {
  type: 'object',
  description: 'What documents.',
  properties: {
    ports: { type: 'array', description: 'The ports.\n\nDeprecated: use doors', items: { type: 'integer' } },
    'a-b': { type: 'string', description: 'A hyphen.' },
    free: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { known: { type: 'string', description: 'What is known.' } },
    },
  },
};
const { roots } = readCrd(crd, { docs: true });
const { files } = await generateModules(roots, { docs: true, runtime: () => '../../../../src/builders/index.js' });
const text = files[0]!.text.replaceAll("'fieldwise/k8s/", "'../../../../generated/");
writeFileSync(join(directory, 'v1.ts'), text);

test('a description stands in a module once', () => {
  expect(text.split('The ports.')).toHaveLength(2);
});

test('a method inherits the comment of its field, typed in part, called, and among its parameters', () => {
  const [typed, called, argument] = editorViews(
    program,
    `import { oddThingDocumented } from './v1.js';
     oddThingDocumented().wi¦;
     oddThingDocumented().with¦Ports(¦[1]);`,
  );
  const comment = 'The ports.\n\nDeprecated: use doors\n\nAtomic list: one owner, replaced as a whole.';
  expect(typed!.docOf('withPorts')).toBe(comment);
  expect(called!.hover).toBe(comment);
  expect(argument!.parameters).toBe(comment);
  expect(typed!.completions.filter((name) => name.startsWith('with'))).toEqual(['withAB', 'withFree', 'withPorts']);
});

test('a method whose name is not made of the field alone says which field it declares', () => {
  const [view] = editorViews(program, "import { oddThingDocumented } from './v1.js';\noddThingDocumented().with¦AB('');");
  expect(view!.hover).toBe('Declares `a-b`.\n\nA hyphen.');
});

test('a literal offers fields, never methods, and shows their comments', () => {
  const [own, inner] = editorViews(
    program,
    "import { oddThing, oddThingDocumented } from './v1.js';\noddThing('a').set('x', oddThingDocumented().withFree({ ¦ }));\noddThingDocumented().withFree({ kn¦own: '' });",
  );
  expect(own!.completions).toEqual(['known']);
  expect(own!.docOf('known')).toBe('What is known.');
  expect(inner!.hover).toBe('What is known.');
});

test('a whole object has no methods for apiVersion and kind, and own() offers the fields of a literal only', () => {
  const [methods, literal] = editorViews(
    program,
    `import { oddThing } from './v1.js';
     import { deployment } from '../../../../generated/apps/v1.js';
     import { App, Stack } from '../../../../src/entry/index.js';
     oddThing('a').with¦;
     const stack = new Stack(new App({ name: 'a' }), 'b');
     stack.own(deployment('web'));
     stack.own({ ¦ });`,
  );
  expect(methods!.completions.filter((name) => /^with(Api|Kind|Metadata)/.test(name))).toEqual(['withMetadata']);
  expect(literal!.completions).toEqual(['apiVersion', 'kind', 'metadata']);
});

test('the function of a part shows the description of its type', () => {
  const [view] = editorViews(program, "import { odd¦ThingDocumented } from './v1.js';");
  expect(view!.hover).toBe('What documents.');
});

test('the built-in API: fields of a literal in a list, and methods of a builder', () => {
  const [literal, builder] = editorViews(
    program,
    `import { deployment, podSpec } from '../../../../generated/apps/v1.js';
     podSpec().withContainers({ name: 'web', ¦ });
     deployment('web').with¦Spec({});`,
  );
  expect(literal!.completions).toContain('livenessProbe');
  expect(literal!.completions.filter((name) => name.startsWith('with') || name === 'build')).toEqual([]);
  expect(literal!.docOf('args')).toMatch(/^Atomic list: one owner/);
  expect(builder!.hover).toMatch(/^Object: each field has owners of its own\./);
});
