import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { own, programOf } from '../../../harness/program-text.js';
import { Project } from '../../../harness/project.js';

const config = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: '1' } });
const configuration = 'name: shop\napp: main.ts\nnamespace: edge\ngitops: { repoURL: https://git.example.com/shop.git }\n';
const projects: Project[] = [];
afterAll(() => {
  for (const { directory } of projects) rmSync(directory, { recursive: true, force: true });
});

function project(files: Readonly<Record<string, string>> = {}): Project {
  const made = new Project({ 'fieldwise.yaml': configuration, 'main.ts': programOf({ web: [own(config('web'))] }), ...files }, {});
  projects.push(made);
  return made;
}

/** All files of a directory, with their texts. */
function texts(made: Project, below: string): Record<string, string> {
  const files = made.files(below).filter((name) => name.includes('.'));
  return Object.fromEntries(files.map((name) => [name, made.read(join(below, name))]));
}

test.each([
  { tool: 'argocd', documents: 'applications' },
  { tool: 'flux', documents: 'kustomizations' },
])('writes a directory for $tool beside fieldwise.yaml, and says what is lost', async ({ tool, documents }) => {
  const made = project();
  const { exitCode, stdout, stderr } = await made.run(['synth', '--for', tool]);
  expect(exitCode, stderr).toBe(0);
  const files = ['files.json', 'not-carried-over.md', `${documents}/web.yaml`, 'stacks/web/objects.yaml'];
  expect(Object.keys(texts(made, tool)).sort()).toEqual(files.sort());
  expect(stdout).toMatch(new RegExp(`1 stack, 1 object in ${tool}\n[^]*\n {2}wrote stacks/web/objects\\.yaml\n`));
  const lines = stderr.split('\n').filter((line) => line.endsWith(' [not-carried-over]'));
  expect(lines.length).toBeGreaterThan(0);
  const listed = made.read(`${tool}/not-carried-over.md`);
  for (const line of lines) expect(listed).toContain(line.slice('warning: '.length, -' [not-carried-over]'.length));
  expect(existsSync(join(made.directory, 'dist'))).toBe(false);
});

test('the same program gives the same bytes, and an object that is no longer declared is gone', async () => {
  const made = project();
  await made.run(['synth', '--for', 'flux']);
  const first = texts(made, 'flux');
  expect((await made.run(['synth', '--for', 'flux'])).exitCode).toBe(0);
  expect(texts(made, 'flux')).toEqual(first);
  made.write({ 'main.ts': programOf({ api: [own(config('api'))] }) });
  expect((await made.run(['synth', '--for', 'flux'])).exitCode).toBe(0);
  expect(Object.keys(texts(made, 'flux')).filter((name) => name.includes('web'))).toEqual([]);
});

test.each([
  {
    what: 'the program is refused',
    files: { 'main.ts': programOf({ web: [own(config('web'), { conflicts: 'yield' })] }) },
    message: /yields every field.*\[gitops-refused\]/,
  },
  { what: 'the program fails', files: { 'main.ts': 'throw new Error("broken");\n' }, message: /broken.*\[program-failed\]/ },
  {
    what: 'a file of somebody else is there',
    files: { 'argocd/stacks/web/mine.yaml': 'a: 1\n' },
    message: /stacks\/web\/mine\.yaml, and `synth --for` did not write it.*\[output-not-an-assembly\]/,
  },
  {
    what: 'nobody says where Argo CD gets it',
    files: { 'fieldwise.yaml': 'name: shop\napp: main.ts\nnamespace: edge\n' },
    message: /no repository from which Argo CD gets them.*gitops: \{ repoURL.*\[gitops-source-missing\]/,
  },
])('$what: exit code 2, and the directory is as it was', async ({ files, message }) => {
  const made = project();
  await made.run(['synth', '--for', 'argocd']);
  const before = texts(made, 'argocd');
  made.write(files as Record<string, string>);
  const { exitCode, stderr } = await made.run(['synth', '--for', 'argocd']);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(message);
  const { 'stacks/web/mine.yaml': _, ...after } = texts(made, 'argocd');
  expect(after).toEqual(before);
  expect(made.files('.').filter((name) => /^\.?argocd./.test(name) && !name.startsWith('argocd/'))).toEqual([]);
});

test.each(['argocd', 'flux'])('the documents of another app or instance are not replaced by those for %s', async (tool) => {
  const made = project();
  expect((await made.run(['synth', '--for', tool])).exitCode).toBe(0);
  const before = texts(made, tool);
  for (const words of [['--instance', 'blue'], []]) {
    if (words.length === 0) made.write({ 'fieldwise.yaml': configuration.replace('name: shop', 'name: other') });
    const { exitCode, stderr } = await made.run(['synth', '--for', tool, ...words]);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/documents of app shop, instance default, .*--outdir.*\[output-of-another-app\]/),
    ]);
    expect(texts(made, tool)).toEqual(before);
  }
  expect((await made.run(['synth', '--for', tool, '--outdir', 'other'])).exitCode).toBe(0);
});

test.each([
  ['argocd', 'Argo CD', 'flux', 'Flux'],
  ['flux', 'Flux', 'argocd', 'Argo CD'],
])('the documents for %s are not replaced by those for another tool', async (tool, title, other, otherTitle) => {
  const made = project();
  expect((await made.run(['synth', '--for', tool])).exitCode).toBe(0);
  const before = texts(made, tool);
  const { exitCode, stderr } = await made.run(['synth', '--for', other, '--outdir', tool]);
  expect([exitCode, stderr.replaceAll(/\s+/g, ' ')]).toEqual([
    2,
    expect.stringMatching(
      new RegExp(`documents for ${title}, and those for ${otherTitle} would replace .*--outdir.*\\[output-of-another-tool\\]`),
    ),
  ]);
  expect(texts(made, tool)).toEqual(before);
  expect((await made.run(['synth', '--for', tool, '--outdir', tool])).exitCode).toBe(0);
});

test('an assembly is not overwritten', async () => {
  const made = project();
  await made.run(['synth']);
  const { exitCode, stderr } = await made.run(['synth', '--for', 'flux', '--outdir', 'dist']);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/\[output-not-an-assembly\]/);
  expect((await made.run(['synth', '-a', 'dist', '-p'])).exitCode).toBe(0);
});

test('an environment has a directory and settings of its own', async () => {
  const made = project({
    'fieldwise.yaml': `${configuration}environments: { prod: { gitops: { targetRevision: release, server: 'https://prod.example.com' } }, dev: {} }\n`,
  });
  const { exitCode, stderr } = await made.run(['synth', '--for', 'argocd', '-e', 'prod']);
  expect(exitCode, stderr).toBe(0);
  const { metadata, spec } = parse(made.read('argocd/prod/applications/web.yaml'));
  expect(metadata.name).toBe('shop-prod-web');
  expect(spec).toMatchObject({
    source: { repoURL: 'https://git.example.com/shop.git', targetRevision: 'release', path: 'argocd/prod/stacks/web' },
    destination: { server: 'https://prod.example.com' },
  });
});

test('a directory outside of the project needs its path in the repository', async () => {
  const made = project();
  const outside = `${made.directory}-outside`;
  const { exitCode, stderr } = await made.run(['synth', '--for', 'flux', '--outdir', outside]);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/a directory outside of the project.*gitops: \{ path: … \}.*\[gitops-source-missing\]/);
  made.write({ 'fieldwise.yaml': configuration.replace(' }', ', path: ./clusters/shop/ }') });
  expect((await made.run(['synth', '--for', 'flux', '--outdir', outside])).exitCode).toBe(0);
  const { spec } = parse(made.read(`../${outside.split('/').at(-1)}/kustomizations/web.yaml`));
  expect(spec.path).toBe('./clusters/shop/stacks/web');
  rmSync(outside, { recursive: true });
});

test('a finished assembly and documents without a program are written, too', async () => {
  const made = project({ 'web.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: web, namespace: edge }\ndata: { a: "1" }\n' });
  await made.run(['synth']);
  made.write({ 'main.ts': 'throw new Error("not needed");\n' });
  expect((await made.run(['synth', '--for', 'flux', '-a', 'dist'])).exitCode).toBe(0);
  const of = ['synth', '--for', 'flux', '-f', 'web.yaml', '--stack', 'web', '--name', 'docs', '--outdir', 'other'];
  const { exitCode, stderr } = await made.run(of);
  expect(exitCode, stderr).toBe(0);
  expect(made.read('other/stacks/web/objects.yaml')).toMatch(/\nkind: ConfigMap\n/);
});

test('with -o json, each loss is a line; --stdout is refused', async () => {
  const made = project();
  const { stdout } = await made.run(['synth', '--for', 'flux', '-o', 'json']);
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.filter(({ event, code }) => event === 'warning' && code === 'not-carried-over').length).toBeGreaterThan(0);
  expect(lines.at(-1)).toMatchObject({ event: 'summary', directory: 'flux', objects: 1 });
  const { exitCode, stderr } = await made.run(['synth', '--for', 'flux', '-p']);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/\[flag-without-use\]/);
});
