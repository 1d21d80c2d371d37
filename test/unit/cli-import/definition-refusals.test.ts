import { afterEach, beforeEach, expect, test } from 'vitest';
import { ImportProject, linesOf } from './import-program.js';

/** An import says by which errors an API server refuses a CRD. `test/apiserver/requests/definition-schemas.test.ts` compares these with a server. */

let project: ImportProject;
beforeEach(async () => {
  project = await ImportProject.make();
});
afterEach(() => project.remove());

const crd = (properties: string) => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  group: edge.example.com
  scope: Namespaced
  names: { kind: B, plural: bs }
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object, properties: { spec: { type: object, properties: ${properties} } } } } }]
`;
const map = 'type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys';
const item = 'items: { type: object, properties: { k: { type: string } }, required: [k] }';

test.each([
  ['keys of an item', `{ a: { ${map}: [k], ${item} } }`, []],
  ['keys that no item has', `{ a: { ${map}: [ghost], ${item} } }`, ['entries must all be names of item properties']],
  [
    'a key that is an object',
    `{ a: { ${map}: [k], items: { type: object, properties: { k: { type: object } }, required: [k] } } }`,
    ['must be a scalar type'],
  ],
  [
    'keys without a default',
    `{ a: { ${map}: [k], items: { type: object, properties: { k: { type: string } } } } }`,
    ['must have a default or be a required property'],
  ],
  [
    'a map without keys',
    `{ a: { type: array, x-kubernetes-list-type: map, ${item} } }`,
    ['must not be empty if x-kubernetes-list-type is map'],
  ],
  ['an unknown list type', `{ a: { type: array, x-kubernetes-list-type: mapp, ${item} } }`, ['Unsupported value: "mapp"']],
  [
    'a list type of a text',
    '{ a: { type: string, x-kubernetes-list-type: set } }',
    ['must be array if x-kubernetes-list-type is specified'],
  ],
  ['a set of objects', `{ a: { type: array, x-kubernetes-list-type: set, ${item} } }`, ['must be atomic as item of a list']],
  [
    'a type in an alternative',
    '{ a: { oneOf: [{ type: string }, { type: integer }] } }',
    ['oneOf[0].type: Forbidden', 'oneOf[1].type: Forbidden', 'type: Required value'],
  ],
  ['a default beside a rule', '{ a: { type: string, default: x, x-kubernetes-validations: [{ rule: "self != null" }] } }', []],
  ['a default of another type', '{ a: { type: string, default: 1 } }', ['must be of type string']],
])('%s', async (_, properties, refusals) => {
  await project.put('crd.yaml', crd(properties));
  const { stderr, stdout, exitCode } = await project.import(['crd.yaml']);
  expect([exitCode, stdout]).toEqual([refusals.length === 0 ? 0 : 2, 'imports/edge.example.com/v1.ts: B\n']);
  const lines = stderr.split('\n').filter((line) => line.endsWith('(definition-refused)'));
  expect(lines).toEqual(refusals.map((text) => expect.stringContaining(text)));
  for (const line of lines)
    expect(line).toContain('error: B edge.example.com/v1: the API server refuses this CustomResourceDefinition: openAPIV3Schema.');
});

test('of many errors the first three are listed', async () => {
  const wrong = Array.from({ length: 6 }, (_, index) => `p${index}: { type: string, x-kubernetes-list-type: set }`);
  await project.put('crd.yaml', crd(`{ ${wrong.join(', ')} }`));
  const { stderr } = await project.import(['crd.yaml']);
  expect(stderr.split('\n').filter((line) => line.endsWith('(definition-refused)'))).toHaveLength(4);
  expect(stderr).toContain('refuses this CustomResourceDefinition: 3 more errors (definition-refused)');
});

test('one refused CRD of several fails the import, each time, while the builders of all are written', async () => {
  const refused = crd('{ a: { type: string, x-kubernetes-list-type: set } }');
  await project.put('crds/broken.yaml', refused);
  await project.put('crds/ok.yaml', crd('{ a: { type: string } }').replace('kind: B', 'kind: C').replace('plural: bs', 'plural: cs'));
  const written = 'imports/edge.example.com/v1.ts: B, C\n';
  const unchanged = '1 file is unchanged.\n';
  for (const [words, said] of [
    [['crds'], written],
    [['crds/broken.yaml', 'crds/ok.yaml'], unchanged],
    [['crds'], unchanged],
    [['crds', '--frozen'], unchanged],
  ] as const) {
    const { exitCode, stderr, stdout } = await project.import(words);
    expect([exitCode, stderr.match(/^error: B .*\(definition-refused\)$/gm)]).toEqual([2, [expect.any(String)]]);
    expect(stdout).toBe(said);
  }
});

test('the report names a refused CRD beside the others, and fails', async () => {
  await project.put('broken.yaml', crd('{ a: { type: string, x-kubernetes-list-type: set } }'));
  await project.put('ok.yaml', crd('{ a: { type: string } }').replace('kind: B', 'kind: C').replace('plural: bs', 'plural: cs'));
  const { exitCode, stderr, stdout } = await project.import(['broken.yaml', 'ok.yaml', '--report', '-o', 'json']);
  expect(linesOf(stdout).map(({ subject }) => subject)).toEqual(['B edge.example.com/v1', 'C edge.example.com/v1']);
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/^error: B edge\.example\.com\/v1: the API server refuses .*\n$/)]);
});
