import { afterEach, beforeEach, expect, test } from 'vitest';
import { ImportProject, linesOf } from './import-program.js';

let project: ImportProject;
beforeEach(async () => {
  project = await ImportProject.make();
  await project.put('crd.yaml', crdOf('v1'));
});
afterEach(() => project.remove());

const list = (items: string) => `{ type: array, items: { type: object, ${items} } }`;
const crdOf = (version: string, kind = 'Gateway', group = 'edge.example.com') => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  group: ${group}
  scope: Namespaced
  names: { kind: ${kind}, plural: ${kind.toLowerCase()}s }
  versions:
    - name: ${version}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                plugins: ${list('required: [name], properties: { name: { type: string }, note: { type: string } }')}
                accounts: ${list('required: [name], properties: { name: { type: string }, namespace: { type: string } }')}
                env: ${list('required: [name], properties: { name: { type: string }, value: { type: string } }')}
                rules: ${list(`required: [name], properties: { name: { type: string }, backends: ${list('required: [id], properties: { id: { type: string } }')} }`)}
`;
const gateway = (spec: string) => `apiVersion: edge.example.com/v1\nkind: Gateway\nspec: ${spec}\n`;

async function shareable(...words: readonly string[]) {
  const { stdout, stderr } = await project.import(['crd.yaml', ...words, '--report', '-o', 'json']);
  const kinds = linesOf(stdout) as {
    shareable: { path: string; confidence: string; reason: string; listType?: string; staysAtomic?: string }[];
  }[];
  return {
    stderr,
    lists: kinds.flatMap((kind) => kind.shareable),
    types: kinds.flatMap((kind) => kind.shareable.flatMap((one) => one.listType ?? [])),
  };
}

test('a flag is offered only with a high confidence, and never inside a list that stays atomic', async () => {
  const { lists, types } = await shareable();
  expect(types).toEqual(['Gateway:.spec.plugins=map[name]', 'Gateway:.spec.env=map[name]']);
  expect(lists.find(({ path }) => path === '.spec.rules[].backends')).toMatchObject({ confidence: 'high', staysAtomic: '.spec.rules' });
  const { stdout } = await project.import(['crd.yaml', '--report']);
  expect(stdout).toContain("--list-type 'Gateway:.spec.env=map[name]', because its items have the structure of EnvVar in the built-in API");
  expect(stdout).toContain('no suggestion: keys have no effect inside .spec.rules, which is atomic');
  expect(stdout).toContain('perhaps name: items also have the field namespace');
});

test('the offered flags are list types that the import accepts', async () => {
  const { types } = await shareable();
  await project.import(['crd.yaml', ...types.flatMap((type) => ['--list-type', type])]);
  expect(await project.read('imports/edge.example.com/gateways.crd.yaml')).toContain('x-kubernetes-list-map-keys');
});

test('samples of a directory refute and support; a file that is not YAML is counted and does not stop the others', async () => {
  await project.put(
    'samples/deep/two.yaml',
    `${gateway('{ plugins: [{ name: a }, { name: a }] }')}---\n${gateway('{ env: [{ name: a }, { name: b }] }')}`,
  );
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    await project.put(
      `samples/${name}.json`,
      `{ "kind": "List", "items": [${JSON.stringify({ apiVersion: 'edge.example.com/v1', kind: 'Gateway', spec: { accounts: [{ name: 'x' }, { name: 'y' }] } })}] }`,
    );
  }
  await project.put('samples/templates/gateway.yaml', 'kind: {{ .Values.kind }}\nspec: [\n');
  await project.put('samples/notes.txt', 'not read');
  const { lists, types, stderr } = await shareable('--samples', 'samples');
  expect(types).toEqual(['Gateway:.spec.accounts=map[name]', 'Gateway:.spec.env=map[name]']);
  expect(lists[0]).toMatchObject({
    keys: [],
    confidence: 'none',
    reason: 'two items of samples/deep/two.yaml (document 1) have the same name',
  });
  expect(lists[1]?.reason).toBe('the items of 5 lists of 5 sample files differ in name');
  expect(stderr).toMatch(/^1 sample file skipped, first samples\/templates\/gateway\.yaml: .+\.\n$/);
});

test('samples of other kinds alone are a warning', async () => {
  await project.put('other.yaml', 'kind: Gateway\napiVersion: mesh.example.com/v1\n');
  expect((await shareable('--samples', 'other.yaml')).stderr).toBe(
    'warning: none of the samples is of an imported kind, so they change nothing\n',
  );
});

test.each([
  [['--samples', 'none', '--report'], 'input-missing', 'does not exist'],
  [['--samples', 'empty', '--report'], 'input-empty', 'There is no sample'],
  [['--samples', 'broken.yaml', '--report'], 'input-empty', 'No sample can be read: broken.yaml'],
  [['--samples', 'crd.yaml'], 'flag-without-use', '--samples has no effect without --report'],
])('%j: %s', async (words, code, message) => {
  await project.put('empty/readme.md', '');
  await project.put('broken.yaml', 'a: [');
  await expect(project.import(['crd.yaml', ...words])).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
});

test('kinds of one name in two groups, and versions that differ, are told apart in the flags', async () => {
  await project.put('other.yaml', crdOf('v1', 'Gateway', 'mesh.example.com'));
  expect((await shareable('other.yaml')).types).toEqual([
    'Gateway.edge.example.com:.spec.plugins=map[name]',
    'Gateway.edge.example.com:.spec.env=map[name]',
    'Gateway.mesh.example.com:.spec.plugins=map[name]',
    'Gateway.mesh.example.com:.spec.env=map[name]',
  ]);
  const [, second = ''] = crdOf('v1beta1').split('  versions:\n');
  await project.put(
    'crd.yaml',
    `${crdOf('v1')}${second.replace('required: [name], properties: { name: { type: string }, note', 'properties: { name: { type: string }, note')}`,
  );
  expect((await shareable()).types).toEqual([
    'Gateway.edge.example.com/v1:.spec.plugins=map[name]',
    'Gateway:.spec.env=map[name]',
    'Gateway:.spec.env=map[name]',
  ]);
});

test('no flag is offered for the built-in API, whose lists nobody can change', async () => {
  const { stdout } = await project.import(['k8s', '--report', '-o', 'json']);
  const kinds = linesOf(stdout) as { shareable: { listType?: string; reason: string }[] }[];
  const lists = kinds.flatMap((kind) => kind.shareable);
  expect(lists.length).toBeGreaterThan(100);
  expect(new Set(lists.map(({ reason }) => reason))).toEqual(new Set(['the type of a built-in list cannot be changed']));
});
