import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { synthesize } from '../../../src/cli/commands/synth.js';
import { Project } from '../../harness/project.js';

const projects: Project[] = [];
afterEach(() => {
  for (const { directory } of projects.splice(0)) rmSync(directory, { recursive: true, force: true });
});

function project(files: Readonly<Record<string, string>>): Project {
  const made = new Project({ 'package.json': '{"type":"module"}', ...files }, {});
  projects.push(made);
  return made;
}

/** Runs a program in this process; `stderr` is what it printed. */
async function run(files: Readonly<Record<string, string>>, app = 'main.ts', env: NodeJS.ProcessEnv = {}) {
  const { directory: cwd } = project(files);
  const printed: string[] = [];
  const stderr = (text: string) => void printed.push(text);
  const host = { cwd, env: { ...process.env, HOME: cwd, XDG_CONFIG_HOME: cwd, ...env }, stderr };
  const assembly = await synthesize({ host, flags: { app } });
  return { ...assembly, stderr: printed.join(''), cwd };
}

const program = `import { App, Stack } from 'fieldwise';
import { Construct } from 'constructs';
import { web } from './web.js';

interface Options {
  readonly name: string;
}

enum Tier { Front, Back }

class Part<T> extends Construct {
  constructor(
    scope: Construct,
    private readonly options: Options,
  ) {
    super(scope, options.name);
    web(this, this.options.name satisfies string);
  }
}

const app = new App({ name: 'shop' });
const stack: Stack = new Stack(app, 'web', { namespace: 'edge' });
stack
  .own({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: \`tier-\${Tier.Back}\` } });
new Part<string>(stack, { name: 'part' });
/* two on a line */ stack.own({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } }); stack.own({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'y' } });
`;
const web = `import { own, type Intent } from 'fieldwise';
import type { Construct } from 'constructs';

export function web(scope: Construct, name: string): Intent {
  return own(scope, { apiVersion: 'v1', kind: 'Service', metadata: { name } });
}
`;

const sources = (assembly: Awaited<ReturnType<typeof run>>) =>
  assembly.manifest.stacks.flatMap(({ intents }) => intents.map(({ name, declaredBy }) => [name, declaredBy[0]?.source]));

describe('a TypeScript program', () => {
  it('is run, and its declarations have their places in the source', async () => {
    const assembly = await run({ 'main.ts': program, 'web.ts': web });
    expect(sources(assembly)).toEqual([
      ['tier-1', 'main.ts:24:4'],
      ['part', 'web.ts:5:10'],
      ['x', 'main.ts:26'],
      ['y', 'main.ts:26'],
    ]);
  });

  it('has the same places when it is run by tsx', async () => {
    const tsx = join(import.meta.dirname, '../../../node_modules/.bin/tsx');
    const assembly = await run({ 'main.ts': `${program}app.synth();\n`, 'web.ts': web }, `${tsx} main.ts`);
    expect(sources(assembly)).toEqual([
      ['tier-1', 'main.ts:24:4'],
      ['part', 'web.ts:5:10'],
      ['x', 'main.ts:26:27'],
      ['y', 'main.ts:26:104'],
    ]);
  });

  it('may be JavaScript, in a project of whatever module type', async () => {
    const text =
      "const { App, Stack } = await import('fieldwise');\nnew Stack(new App({ name: 'a' }), 'b').own({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } });\n";
    expect(sources(await run({ 'main.mjs': text }, 'main.mjs'))).toEqual([['s', 'main.mjs:2:40']]);
    expect(sources(await run({ 'package.json': '{}', 'main.ts': text }, 'main.ts'))).toEqual([['s', 'main.ts:2:40']]);
  });

  it('prints to stderr, since stdout is ours', async () => {
    const text =
      "import { App } from 'fieldwise';\nconsole.log('one');\nprocess.stdout.write('two\\n');\nnew App({ name: 'a' }).synth();\n";
    const { stderr } = await run({ 'main.ts': text }, `${process.execPath} --import ${tsxLoader()} main.ts`);
    expect(stderr).toBe('one\ntwo\n');
  });

  it('gets context, name, instance, namespace and policy of the configuration', async () => {
    const { manifest, objects } = await run({
      'fieldwise.yaml': 'name: shop\ninstance: staging\nnamespace: edge\nprune: true\ncontext: { tag: v2 }\npolicy: { conflicts: fail }\n',
      'main.ts': `import { App, Stack } from 'fieldwise';
const app = new App();
new Stack(app, 'web').own({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { tag: app.node.tryGetContext('tag') } });
`,
    });
    expect(manifest).toMatchObject({ app: 'shop', instance: 'staging', stacks: [{ manager: 'fieldwise/shop/staging/web', prune: true }] });
    expect(manifest.stacks[0]?.intents[0]?.policy.conflicts).toBe('fail');
    expect(objects[0]?.[0]).toMatchObject({ metadata: { namespace: 'edge' }, data: { tag: 'v2' } });
    expect(process.env.FIELDWISE_OUTDIR).toBeUndefined();
  });

  it('may call synth itself, and with builders', async () => {
    const { objects } = await run({
      'main.ts': `import { App, Stack } from 'fieldwise';
import { deployment } from 'fieldwise/k8s/apps/v1';
const app = new App({ name: 'shop', outdir: 'elsewhere' });
new Stack(app, 'web').own(deployment('a').withSpec({ replicas: 2 }), { fields: { 'spec.replicas': { conflicts: 'yield' } } });
app.synth();
`,
    });
    expect(objects).toEqual([[{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' }, spec: { replicas: 2 } }]]);
  });

  it('is not needed where an assembly is finished', async () => {
    const { cwd, manifest } = await run({ 'main.ts': "import { App } from 'fieldwise';\nnew App({ name: 'a' });\n" });
    const again = await synthesize({ host: { cwd, env: {}, stderr: () => undefined }, flags: { app: 'dist', output: 'unused' } });
    expect(again.manifest).toEqual(manifest);
  });
});

describe('a program that goes wrong', () => {
  const cases: [string, Record<string, string>, string, object, string][] = [
    [
      'throws',
      { 'main.ts': "import 'fieldwise';\n\nthrow new TypeError('no such thing');\n" },
      'program-failed',
      { source: 'main.ts:3' },
      'TypeError: no such thing',
    ],
    ['throws no error', { 'main.ts': "throw 'text';\n" }, 'program-failed', { file: expect.stringMatching(/main\.ts$/) }, 'text'],
    ['does not parse', { 'main.ts': 'const a = 1;\nconst b = {;\n' }, 'program-failed', { source: 'main.ts:2:11' }, 'ParseError'],
    [
      'imports what is not there',
      { 'main.ts': "import './nope.js';\n" },
      'program-failed',
      { source: 'main.ts:1' },
      "Cannot find module './nope.js'",
    ],
    ['makes no App', { 'main.ts': 'export {};\n' }, 'program-without-app', {}, 'The program makes no App'],
    [
      'makes two Apps',
      { 'main.ts': "import { App } from 'fieldwise';\nnew App({ name: 'a' }), new App();\n" },
      'program-with-several-apps',
      {},
      'makes 2 Apps: a, (without name)',
    ],
    ['gives no name', { 'main.ts': "import { App } from 'fieldwise';\nnew App();\n" }, 'app-without-name', {}, 'The app has no name'],
    [
      'declares nonsense',
      { 'main.ts': "import { App, Stack } from 'fieldwise';\nnew Stack(new App({ name: 'a' }), 'b').own({ kind: 'X' } as never);\n" },
      'intent-without-kind',
      { construct: 'a/b/own-X', source: 'main.ts:2:40' },
      'The intent has no apiVersion',
    ],
  ];
  it.each(cases)('%s', async (_, files, code, place, message) => {
    const error = await run(files).catch((thrown) => thrown);
    expect(error).toMatchObject({ code, kind: 'usage', place });
    expect(error.message).toContain(message);
    expect(error.describe()).not.toMatch(/\n\s+at /);
  });

  it.each([
    ['absent.ts', 'program-not-found'],
    ['.', 'program-not-found'],
    ['exit 3', 'program-failed'],
    ['true', 'program-without-assembly'],
  ])('named %s', async (app, code) => {
    await expect(run({}, app)).rejects.toMatchObject({ code });
  });

  it('named nowhere', async () => {
    await expect(run({}, '')).rejects.toMatchObject({ code: 'app-not-configured' });
  });

  it('is told from one that ran before into the same directory', async () => {
    const { cwd } = await run({ 'main.ts': "import { App } from 'fieldwise';\nnew App({ name: 'a' });\n" });
    const host = { cwd, env: { ...process.env }, stderr: () => undefined };
    await expect(synthesize({ host, flags: { app: 'true' } })).rejects.toMatchObject({ code: 'program-without-assembly' });
  });
});

function tsxLoader(): string {
  return join(import.meta.dirname, '../../../node_modules/tsx/dist/loader.mjs');
}
