import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { registerImport } from '../../../src/cli/commands/import.js';

const gateway = await readFile(new URL('./fixtures/shared-gateway.yaml', import.meta.url), 'utf8');
const other = gateway.replaceAll('SharedGateway', 'Other').replaceAll('sharedgateway', 'other');
const configMap = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: x }\n';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'fieldwise-import-'));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(cwd, path)), { recursive: true });
  await writeFile(join(cwd, path), text);
}

async function run(...args: string[]) {
  const printed = { stdout: '', stderr: '' };
  const stdout = (text: string) => {
    printed.stdout += text;
  };
  const stderr = (text: string) => {
    printed.stderr += text;
  };
  const program = new Command('fieldwise').exitOverride();
  registerImport(program, { stdout, stderr, setExitCode: () => {}, cwd, env: { HOME: cwd } });
  await program.parseAsync(['import', ...args], { from: 'user' });
  return printed;
}

const files = async () =>
  (await readdir(cwd, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(cwd.length + 1))
    .sort();

test('writes a module for the group-version and says what only the server checks', async () => {
  await put(
    'crd.yaml',
    gateway.replace('{ type: integer, format: int32, minimum: 1 }', '{ type: integer, x-kubernetes-validations: [{ rule: self > 0 }] }'),
  );
  const { stdout, stderr } = await run('crd.yaml');
  expect(stdout).toBe(`${join('imports', 'edge.example.com', 'v1.ts')}: SharedGateway\n`);
  expect(stderr).toBe(
    'note: SharedGateway edge.example.com/v1: only the API server checks x-kubernetes-validations (1), first at .spec.replicas (value-rule-not-checked)\n',
  );
  expect(await files()).toEqual(['crd.yaml', join('imports', 'edge.example.com', 'v1.ts'), join('imports', 'fieldwise.lock.json')]);
  const first = await readFile(join(cwd, 'imports/edge.example.com/v1.ts'), 'utf8');
  expect(first).toContain('What the gateway listens to. Ends no comment *\\/ here.');
  await run('crd.yaml');
  expect(await readFile(join(cwd, 'imports/edge.example.com/v1.ts'), 'utf8')).toBe(first);
});

test.each([
  ['a directory, with everything below it', { 'crds/a.yaml': gateway, 'crds/deep/b.yml': other, 'crds/readme.md': '#' }, ['crds']],
  ['several documents in a file', { 'all.yaml': `# both\n---\n${gateway}---\n${other}` }, ['all.yaml']],
  [
    'JSON and YAML',
    { 'a.json': JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [] }), 'b.yaml': gateway, 'c.yaml': other },
    ['b.yaml', 'c.yaml'],
  ],
  [
    'a List of CRDs',
    {
      'list.yaml': `apiVersion: v1\nkind: List\nitems:\n${[gateway, other].map((text) => `- ${text.trimEnd().replaceAll('\n', '\n  ')}\n`).join('')}`,
    },
    ['list.yaml'],
  ],
])('reads %s', async (_, inputs, specs) => {
  for (const [path, text] of Object.entries(inputs)) await put(path, text);
  const { stdout } = await run(...specs, '--outdir', 'out', '--no-docs');
  expect(stdout).toBe(`${join('out', 'edge.example.com', 'v1.ts')}: Other, SharedGateway\n`);
  expect(await readFile(join(cwd, 'out/edge.example.com/v1.ts'), 'utf8')).not.toContain('What the gateway listens to');
});

test('other objects beside a CRD are passed over, and said to be', async () => {
  await put('mixed.yaml', `${configMap}---\n${gateway}`);
  const { stderr } = await run('mixed.yaml');
  expect(stderr).toMatch(/^note: mixed\.yaml: skipped 1 document of other kinds \(1 ConfigMap\) \(-v lists them\)\.\n/);
});

test('k8s alone points to what ships', async () => {
  const { stdout } = await run('k8s');
  expect(stdout).toMatch(/fieldwise\/k8s\/apps\/v1/);
  expect(await files()).toEqual([]);
});

test('k8s from OpenAPI documents of another version', async () => {
  const gvk = { group: 'apps', version: 'v1', kind: 'Tiny' };
  const document = {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'v9.99' },
    paths: { '/apis/apps/v1/namespaces/{namespace}/tinies/{name}': { patch: { 'x-kubernetes-group-version-kind': gvk } } },
    components: {
      schemas: {
        'io.k8s.api.apps.v1.Tiny': { type: 'object', properties: { spec: { type: 'string' } }, 'x-kubernetes-group-version-kind': [gvk] },
      },
    },
  };
  await put('openapi/apps.json', JSON.stringify(document));
  await put('openapi/index.json', '{}');
  const { stdout } = await run('k8s', '--openapi', 'openapi');
  expect(stdout).toBe(`${join('imports', 'apps', 'v1.ts')}: Tiny\n`);
});

test.each([
  ['a missing file', {}, ['nope.yaml'], 'input-missing', 'nope.yaml'],
  ['an address that is none', {}, ['https://[/crd.yaml'], 'spec-invalid', undefined],
  ['a NAME that climbs', { 'crd.yaml': gateway }, ['../x:=crd.yaml'], 'spec-invalid', undefined],
  ['no source at all', {}, [], 'imports-missing', undefined],
  ['a version of Kubernetes that does not ship', {}, ['k8s@1.2'], 'kubernetes-version-unknown', undefined],
  ['-o json without --report', { 'crd.yaml': gateway }, ['crd.yaml', '-o', 'json'], 'flag-without-use', undefined],
  ['an empty file', { 'crd.yaml': ' \n' }, ['crd.yaml'], 'input-empty', 'crd.yaml'],
  ['only comments', { 'crd.yaml': '# nothing\n---\n' }, ['crd.yaml'], 'input-empty', 'crd.yaml'],
  ['YAML that does not parse', { 'crd.yaml': 'apiVersion: v1\nkind: [a\n' }, ['crd.yaml'], 'yaml-invalid', 'crd.yaml:3:1'],
  ['a key twice', { 'crd.yaml': 'kind: a\nkind: b\n' }, ['crd.yaml'], 'yaml-invalid', 'crd.yaml:2:1'],
  ['JSON that does not parse', { 'crd.json': '{"kind": }}' }, ['crd.json'], 'yaml-invalid', 'crd.json:1:11'],
  ['nothing but other objects', { 'cm.yaml': configMap }, ['cm.yaml'], 'crd-invalid', 'cm.yaml'],
  ['a directory without CRDs', { 'dir/cm.yaml': configMap }, ['dir'], 'crd-invalid', 'dir'],
  ['a CRD without names', { 'crd.yaml': gateway.replace(/names:.*\n/, '\n') }, ['crd.yaml'], 'crd-invalid', 'crd.yaml'],
  [
    'two CRDs of one kind',
    { 'a.yaml': gateway, 'b.yaml': gateway.replace('scope: Namespaced', 'scope: Cluster') },
    ['a.yaml', 'b.yaml'],
    'crd-twice',
    'b.yaml',
  ],
  ['OpenAPI v2', { 'v2.json': '{"swagger": "2.0"}' }, ['k8s', '--openapi', 'v2.json'], 'openapi-invalid', 'v2.json'],
  ['documents without kinds', { 'v3.json': '{"openapi": "3.0.0"}' }, ['k8s', '--openapi', 'v3.json'], 'openapi-invalid', 'v3.json'],
  ['--openapi without k8s', { 'crd.yaml': gateway }, ['crd.yaml', '--openapi', 'x'], 'flag-without-use', undefined],
  [
    'a file that someone wrote',
    { 'crd.yaml': gateway, 'imports/edge.example.com/v1.ts': 'mine' },
    ['crd.yaml'],
    'output-not-generated',
    join('imports', 'edge.example.com', 'v1.ts'),
  ],
  ['an output that is a file', { 'crd.yaml': gateway, imports: '' }, ['crd.yaml'], 'output-not-written', 'imports'],
])('refuses %s and writes nothing', async (_, inputs, specs, code, file) => {
  for (const [path, text] of Object.entries(inputs)) await put(path, text);
  const before = await files();
  const failure = await run(...specs).catch((error: unknown) => error);
  expect(failure).toMatchObject({
    name: 'FieldwiseError',
    code,
    kind: 'usage',
    next: expect.any(String),
    location: file === undefined ? {} : { file },
  });
  expect((failure as { describe(): string }).describe()).not.toContain('\n');
  expect(await files()).toEqual(before);
});

test('a second import of the same group does not take the first one’s kinds away unasked', async () => {
  await put('a.yaml', gateway);
  await put('b.yaml', other);
  await run('a.yaml');
  await expect(run('b.yaml')).rejects.toMatchObject({ code: 'output-loses-kinds', message: expect.stringContaining('SharedGateway') });
  expect((await run('a.yaml', 'b.yaml')).stdout).toContain('Other, SharedGateway');
  expect((await run('b.yaml', '--replace')).stdout).toContain('v1.ts: Other\n');
});

test('no other command loads the generator’s libraries', async () => {
  const directory = fileURLToPath(new URL('../../../', import.meta.url));
  const sources = [
    ...(await readdir(join(directory, 'src'), { recursive: true })).map((path) => join('src', path)),
    ...(await readdir(join(directory, 'codegen'))).map((path) => join('codegen', path)),
  ];
  const eager: string[] = [];
  for (const path of sources.filter((name) => name.endsWith('.ts'))) {
    const text = await readFile(join(directory, path), 'utf8');
    if (/^import (?!type )[^;]*from '(ts-morph|json-schema-to-typescript)'/m.test(text)) eager.push(path);
  }
  expect(eager).toEqual([]);
});
