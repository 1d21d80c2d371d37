import { afterAll, expect, test } from 'vitest';
import { generateModules } from '../../../codegen/index.js';
import { encodeType, readCrd } from '../../../src/schema/index.js';
import { ScratchProject } from '../../corpus/scratch-project.js';
import { crdOf } from '../../harness/crd.js';

/** A struct below an object that preserves unknown fields: its own unknown fields are pruned. */

const project = new ScratchProject();
afterAll(() => project.remove());

const mirror = { type: 'object', properties: { disabled: { type: 'boolean' } } };
const preserve = { 'x-kubernetes-preserve-unknown-fields': true };
const spec = { type: 'object', ...preserve, properties: { mirror, empty: { type: 'object' }, kept: { ...mirror, ...preserve } } };
const { roots } = readCrd(crdOf('prune.example.com', 'Thing', { spec }));

test.each([
  ['{ free: { deep: [1] } }', []],
  ['{ mirror: { disabled: false } }', []],
  ['{ kept: { more: 1 } }', []],
  ['{ mirror: { dsiabled: false } }', [expect.stringContaining("'dsiabled' does not exist")]],
  ['{ empty: { more: 1 } }', [expect.stringContaining("'number' is not assignable to type 'never'")]],
])('%s', async (literal, errors) => {
  const [module] = (await generateModules(roots)).files;
  project.write('v1.ts', module!.text);
  const program = project.write('program.ts', `import { thing } from './v1.js';\nthing('x').withSpec(${literal});\n`);
  expect(project.check([program])(program)).toEqual(errors);
});

test('the table says so in fewer bytes than before', () => {
  const [root] = roots;
  const type = root!.schema.types.get((root!.type as { name: string }).name)!;
  const { f } = encodeType(type, (name) => name) as { readonly f: Readonly<Record<string, unknown>> };
  expect(f.spec).toEqual({
    f: { mirror: { f: { disabled: 'b' }, p: 1 }, empty: { f: {}, p: 1 }, kept: { f: { disabled: 'b' }, e: 'any' } },
    e: 'any',
  });
});
