import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { readAssembly } from '../../../src/assembly/index.js';
import { synthesize } from '../../../src/cli/program/synthesize.js';
import { Project } from '../../harness/project.js';

const projects: Project[] = [];
afterEach(() => {
  for (const { directory } of projects.splice(0)) rmSync(directory, { recursive: true, force: true });
});

/** What jiti has transpiled, as a project keeps it from run to run: a program that requires Fieldwise has all of it transpiled. */
const transpiled = mkdtempSync(join(tmpdir(), 'fieldwise-transpiled-'));
afterAll(() => rmSync(transpiled, { recursive: true, force: true }));

function project(files: Readonly<Record<string, string>>): Project {
  const made = new Project({ 'package.json': '{"type":"module"}', ...files }, {});
  symlinkSync(transpiled, join(made.directory, 'node_modules/.cache'));
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

  describe('with an App of cdk8s beside that of Fieldwise', () => {
    const head = `import { App as Cdk8sApp, ApiObject, Chart } from 'cdk8s';
import { acknowledge, App, Stack } from 'fieldwise';
`;
    const forgotten = (name: string) => `const old = new Cdk8sApp();
const legacy = new Chart(old, 'legacy', { namespace: 'shop' });
new ApiObject(legacy, 'x', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '${name}' } });
`;
    const ours = `const app = new App({ name: 'shop' });
new Stack(app, 'web').own({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'ours' } });
`;
    const tsx = `${process.execPath} --import ${tsxLoader()} main.ts`;
    const inChart =
      'ConfigMap shop/a is in the App of cdk8s, in the chart "legacy", which nobody deploys. Create the chart below the App of Fieldwise, as `new Chart(app, …)`.';
    const bare =
      'ConfigMap a is in a chart without an App, which nobody deploys. Create it below the App of Fieldwise, as `new Chart(app, …)`.';
    const two =
      'ConfigMap shop/a and ConfigMap b are in the App of cdk8s, in the charts "legacy" and "other/deep", which nobody deploys. Create the charts below the App of Fieldwise, as `new Chart(app, …)`.';

    it.each<readonly [what: string, app: string, text: string, found: readonly (readonly [string, string])[]]>([
      ['made before it', 'main.ts', head + forgotten('a') + ours, [[inChart, 'main.ts:3']]],
      ['made after it', 'main.ts', head + ours + forgotten('a'), [[inChart, 'main.ts:5']]],
      ['by a command, made before it', tsx, `${head}${forgotten('a')}${ours}app.synth();\n`, [[inChart, 'main.ts:3:13']]],
      ['by a command, made after it', tsx, `${head}${ours}${forgotten('a')}app.synth();\n`, [[inChart, 'main.ts:5:13']]],
      ['that writes its YAML', 'main.ts', `${head}${forgotten('a')}${ours}old.synth();\n`, [[inChart, 'main.ts:3']]],
      [
        'of a class of the program',
        'main.ts',
        `${head}class Mine extends Cdk8sApp {\n  constructor() {\n    super();\n  }\n}\n${forgotten('a').replace('Cdk8sApp', 'Mine')}${ours}`,
        [[inChart, 'main.ts:8:13']],
      ],
      [
        'with two charts',
        'main.ts',
        `${head}${forgotten('a')}const other = new Chart(old, 'other');\nnew ApiObject(new Chart(other, 'deep'), 'x', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' } });\n${ours}`,
        [[two, 'main.ts:3']],
      ],
      [
        'twice',
        'main.ts',
        `${head}{\n${forgotten('a')}}\n{\n${forgotten('a')}}\n${ours}`,
        [
          [inChart, 'main.ts:4'],
          [inChart, 'main.ts:9'],
        ],
      ],
      [
        'a chart without an App',
        'main.ts',
        `${head}new ApiObject(new Chart(undefined, 'legacy'), 'x', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });\n${ours}`,
        [[bare, 'main.ts:3']],
      ],
      ['without objects', 'main.ts', `${head}new Chart(new Cdk8sApp(), 'legacy');\n${ours}`, []],
      [
        'acknowledged',
        'main.ts',
        `${head}${forgotten('a')}${ours}acknowledge(app, 'objects-outside-app', 'Their YAML is for others');\n`,
        [],
      ],
      ['only that of Fieldwise', 'main.ts', head + ours + forgotten('a').replace('new Cdk8sApp()', 'app'), []],
    ])('%s', async (_, app, text, found) => {
      const { manifest } = await run({ 'main.ts': text }, app);
      expect(manifest.warnings).toEqual(
        found.map(([message, source]) => ({ code: 'objects-outside-app', message, source: expect.stringMatching(`^${source}(:|$)`) })),
      );
    });

    it('a program does not see that of the program before it', async () => {
      expect((await run({ 'main.ts': head + forgotten('a') + ours })).manifest.warnings).toHaveLength(1);
      expect((await run({ 'main.ts': head + ours })).manifest.warnings).toEqual([]);
    });
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

  it.each([
    ['of its own process', 'main.ts'],
    ['of another process', `${process.execPath} --import ${tsxLoader()} main.ts`],
  ])('gives the assembly that is read from its files: %s', async (_, app) => {
    const text = `import { App, Stack } from 'fieldwise';
const app = new App({ name: 'shop', policy: { wait: false } });
const stack = new Stack(app, 'web', { namespace: 'edge' });
stack.own({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }, { fields: { data: { releases: 'ask', conflicts: 'fail' } } });
stack.share({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' }, data: { c: 'd' } }, { conflicts: { otherwise: 'yield', fail: ['x'] } });
new Stack(app, 'next').addDependency(stack);
app.synth();
`;
    const { cwd, manifest, objects } = await run({ 'main.ts': text }, app);
    const read = await readAssembly(join(cwd, 'dist'));
    expect(manifest).toStrictEqual(read.manifest);
    expect(JSON.stringify(manifest)).toBe(JSON.stringify(read.manifest));
    expect(objects).toEqual(read.objects);
  });

  it('is read anew where it has changed its assembly after synth', async () => {
    const text = (file: string, from: string, to: string) => `import { readFileSync, writeFileSync } from 'node:fs';
import { App, Stack } from 'fieldwise';
const app = new App({ name: 'shop' });
new Stack(app, 'web').own({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
app.synth();
const file = app.outdir + '/${file}';
writeFileSync(file, readFileSync(file, 'utf8').replace('${from}', '${to}'));
`;
    const { manifest } = await run({ 'main.ts': text('manifest.json', '"prune":false', '"prune":true') });
    expect(manifest.stacks).toMatchObject([{ prune: true }]);
    for (const file of ['web.json', 'web.yaml'])
      await expect(run({ 'main.ts': text(file, 'ConfigMap', 'Secret') })).rejects.toMatchObject({ code: 'assembly-invalid' });
    const refused = run({ 'main.ts': text('manifest.json', '"kind":"ConfigMap"', '"kind":"Secret"') });
    await expect(refused).rejects.toThrow('its kind is "ConfigMap", but the manifest says "Secret"');
  });

  it('uses the YAML and the JSON patches of cdk8s, which are loaded late', async () => {
    const { objects, stderr } = await run({
      'main.ts': `import { ApiObject, Chart, JsonPatch, Yaml } from 'cdk8s';
import { App } from 'fieldwise';
const object = new ApiObject(new Chart(new App({ name: 'shop' }), 'web'), 'a', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
object.addJsonPatch(JsonPatch.add('/data', { b: 'c' }));
process.stdout.write(Yaml.stringify({ d: ['e', 0o17] }) + Yaml.stringify({ f: 'yes' }));
`,
    });
    expect(objects[0]?.[0]).toMatchObject({ metadata: { name: 'a' }, data: { b: 'c' } });
    expect(stderr).toBe('d:\n  - e\n  - 15\nf: "yes"\n');
  });

  it('is not needed where an assembly is finished', async () => {
    const { cwd, manifest } = await run({ 'main.ts': "import { App } from 'fieldwise';\nnew App({ name: 'a' });\n" });
    const again = await synthesize({ host: { cwd, env: {}, stderr: () => undefined }, flags: { app: 'dist', outdir: 'unused' } });
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
    ['does not parse', { 'main.ts': 'const a = 1;\nconst b = {;\n' }, 'program-failed', { source: 'main.ts:2:12' }, 'ParseError'],
    [
      'imports what is not there',
      { 'main.ts': "import './nope.js';\n" },
      'program-failed',
      { source: 'main.ts:1' },
      "Cannot find module './nope.js'",
    ],
    ['makes no App', { 'main.ts': 'export {};\n' }, 'program-without-app', {}, 'The program creates no App'],
    [
      'makes two Apps',
      { 'main.ts': "import { App } from 'fieldwise';\nnew App({ name: 'a' }), new App();\n" },
      'program-with-several-apps',
      {},
      'creates 2 Apps: a, (without a name)',
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
    expect(error).toMatchObject({ code, kind: 'usage', location: place });
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

/** Packages as they are installed: what each exports says how it was loaded. */
const packages = {
  'esm-only/package.json': '{"name":"esm-only","type":"module","exports":{".":{"import":"./index.js"}}}',
  'esm-only/index.js': "export const esm = 'esm'; export default () => 'default'; export const file = import.meta.url.split('/').pop();",
  'cjs-only/package.json': '{"name":"cjs-only","main":"main.js"}',
  'cjs-only/main.js':
    "module.exports = { cjs: 'cjs', directory: require('node:path').basename(__dirname), other: require('./other').other };",
  'cjs-only/other.js': "exports.other = 'other';",
  'both/package.json': '{"name":"both","exports":{".":{"import":"./esm.mjs","require":"./cjs.cjs"}}}',
  'both/esm.mjs': "export const loaded = 'import';",
  'both/cjs.cjs': "exports.loaded = 'require';",
  'awaits/package.json': '{"name":"awaits","type":"module","exports":"./index.js"}',
  'awaits/index.js': "export const awaited = await new Promise((resolve) => setImmediate(resolve, 'awaited'));",
  'in-typescript/package.json': '{"name":"in-typescript","type":"module","main":"src/index.ts"}',
  'in-typescript/src/index.ts': "export enum Kind { A = 'typescript' }",
  'platform-esm/package.json': '{"name":"platform-esm","type":"module","exports":"./index.js"}',
  'platform-esm/index.js': `import { Stack } from 'fieldwise'; import { configMap } from 'fieldwise/k8s/core/v1';
    export const platform = (app) => new Stack(app, 'esm', { namespace: 'edge' }).own(configMap('esm').withData({ a: 'b' }));`,
  'platform-cjs/package.json': '{"name":"platform-cjs","main":"index.js"}',
  'platform-cjs/index.js': `const { Stack } = require('fieldwise'); const { configMap } = require('fieldwise/k8s/core/v1');
    exports.platform = (app) => new Stack(app, 'cjs', { namespace: 'edge' }).own(configMap('cjs').withData({ a: 'b' }));`,
};
const installed = Object.fromEntries(Object.entries(packages).map(([path, text]) => [`node_modules/${path}`, text]));

const local = {
  'local/module.cjs': "module.exports = { local: 'cjs', file: require('node:path').basename(__filename) };",
  'local/awaits.ts': "export const localAwaited: string = await new Promise((resolve) => setImmediate(resolve, 'awaited'));",
  'local/module.mts': "export const mts: string = 'mts';",
  'local/module-of-old.cts': "const cts: string = 'cts';\nexport = { cts };",
  'local/directory/index.ts': "export const directory: string = 'directory';",
  'data.json': '{"data":"json"}',
};

const dependent = `import { createRequire } from 'node:module';
import { App, Stack } from 'fieldwise';
import byDefault, { esm, file } from 'esm-only';
import cjs, { directory as cjsDirectory } from 'cjs-only';
import { loaded } from 'both';
import { awaited } from 'awaits';
import { Kind } from 'in-typescript';
import { platform as esmPlatform } from 'platform-esm';
import { platform as cjsPlatform } from 'platform-cjs';
import ofCjs from './local/module.cjs';
import { localAwaited } from './local/awaits.js';
import { mts } from './local/module.mjs';
import ofCts from './local/module-of-old.cjs';
import { directory } from './local/directory';
import json from './data.json';
import attributed from './data.json' with { type: 'json' };

const require = createRequire(import.meta.url);
const later = { ...(await import('esm-only')), ...(await import('./data.json', { with: { type: 'json' } })).default };
const found = {
  esm, file, byDefault: byDefault(), cjs, cjsDirectory, loaded, required: require('both').loaded, awaited, kind: Kind.A, ofCjs, localAwaited, mts, ofCts,
  directory, json, attributed, requiredJson: require('./data.json'), later: [later.esm, later.data],
};
const app = new App({ name: 'shop' });
esmPlatform(app);
cjsPlatform(app);
new Stack(app, 'found').own({ apiVersion: 'example.com/v1', kind: 'Found', metadata: { name: 'found' }, data: found });
`;

const found = {
  ...{ esm: 'esm', file: 'index.js', byDefault: 'default' },
  ...{ cjs: { cjs: 'cjs', directory: 'cjs-only', other: 'other' }, cjsDirectory: 'cjs-only', loaded: 'import', required: 'require' },
  ...{ awaited: 'awaited', kind: 'typescript', ofCjs: { local: 'cjs', file: 'module.cjs' }, localAwaited: 'awaited', mts: 'mts' },
  ...{
    ofCts: { cts: 'cts' },
    directory: 'directory',
    json: { data: 'json' },
    attributed: { data: 'json' },
    requiredJson: { data: 'json' },
  },
  ...{ later: ['esm', 'json'] },
};

describe.each(['module', 'commonjs'])('in a project of type %s', (type) => {
  const manifest = { 'package.json': JSON.stringify({ type }) };

  it('CommonJS, ES modules, JSON and TypeScript are imported, wherever they come from', async () => {
    const { manifest: written, objects } = await run({ ...installed, ...local, ...manifest, 'main.ts': dependent });
    expect(written.stacks.map(({ name }) => name)).toEqual(['esm', 'cjs', 'found']);
    expect(objects.flat().map(({ metadata, data }) => [metadata.name, data])).toEqual([
      ['esm', { a: 'b' }],
      ['cjs', { a: 'b' }],
      ['found', found],
    ]);
  });

  const byImport = "import { App } from 'fieldwise';\nimport { platform } from 'platform-cjs';\nplatform(new App({ name: 'shop' }));\n";
  const byRequire = "const { App } = require('fieldwise');\nrequire('platform-esm').platform(new App({ name: 'shop' }));\n";
  it.each([
    ['main.cjs', byRequire, 'esm'],
    ['main.mjs', byImport, 'cjs'],
    ['main.mts', byImport, 'cjs'],
    ['main.cts', byRequire.replace("const { App } = require('fieldwise')", "import { App } from 'fieldwise'"), 'esm'],
    ['main.js', byRequire, 'esm'],
    ['main.js', byImport, 'cjs'],
    ['main.ts', byRequire, 'esm'],
  ])('a program is %s', async (file, text, stack) => {
    const { manifest: written } = await run({ ...installed, ...manifest, [file]: text }, file);
    expect(written.stacks.map(({ name }) => name)).toEqual([stack]);
  });
});

function tsxLoader(): string {
  return join(import.meta.dirname, '../../../node_modules/tsx/dist/loader.mjs');
}
