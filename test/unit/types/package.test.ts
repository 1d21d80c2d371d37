import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';

const run = promisify(execFile);
const checkout = fileURLToPath(new URL('../../..', import.meta.url));
/** TypeScript 7, which has no library. */
const nativeCompiler = join(checkout, 'node_modules/@typescript/native/bin/tsc');
const directory = mkdtempSync(join(tmpdir(), 'fieldwise-package-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

let shipped: readonly string[];
let entries: readonly string[];
/** The entries that a CommonJS program may load, without those that need a test runner. */
let required: readonly string[];
/** The entries that need a test runner beside the package. */
const adapters = ['fieldwise/testing/jest', 'fieldwise/testing/vitest'];

/** A fresh project with the package as `npm install` lays it out, and what it needs at run time. */
beforeAll(async () => {
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', directory], { cwd: checkout });
  const [packed] = JSON.parse(stdout) as { filename: string; files: { path: string }[] }[];
  shipped = packed!.files.map(({ path }) => path);
  const modules = join(directory, 'node_modules');
  mkdirSync(modules);
  await run('tar', ['xzf', join(directory, packed!.filename), '-C', modules]);
  await run('mv', [join(modules, 'package'), join(modules, 'fieldwise')]);
  for (const name of runtimeDependencies()) link(name);
  entries = entriesOf(join(modules, 'fieldwise'), 'default').filter((entry) => !adapters.includes(entry));
  required = entriesOf(join(modules, 'fieldwise'), 'require').filter((entry) => !adapters.includes(entry));
}, 120_000);

/** Installs a package of the checkout. */
function link(name: string): void {
  const modules = join(directory, 'node_modules');
  mkdirSync(dirname(join(modules, name)), { recursive: true });
  if (!existsSync(join(modules, name))) symlinkSync(join(checkout, 'node_modules', name), join(modules, name));
}

/** What is installed beside the package: its dependencies, theirs, and its peers. */
function runtimeDependencies(): string[] {
  const { packages } = JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  return Object.entries(packages)
    .filter(([path, { dev }]) => /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path) && (!dev || /\/(?:cdk8s|constructs)$/.test(path)))
    .map(([path]) => path.slice('node_modules/'.length))
    .filter((name) => existsSync(join(checkout, 'node_modules', name)));
}

/** Every path that `exports` offers under a condition, patterns spelled out. */
function entriesOf(root: string, condition: 'default' | 'require'): string[] {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, string | Record<string, string>>;
  };
  return Object.entries(exports).flatMap(([entry, target]) => {
    const file = typeof target === 'string' ? (condition === 'default' ? target : '') : (target[condition] ?? '');
    if (!/\.c?js$/.test(file)) return [];
    if (!entry.includes('*')) return [`fieldwise${entry.slice(1)}`];
    const [before = '', after = ''] = file.slice(2).split('*');
    return readdirSync(join(root, before), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith(after))
      .sort()
      .map((path) => `fieldwise${entry.slice(1).replace('*', path.slice(0, -after.length).replaceAll('\\', '/'))}`);
  });
}

test('what is shipped is what is needed', () => {
  const needless = /tsbuildinfo|(?:^|\/)test\/|\.test\.|^src\/|story\.ts$/;
  // Whole tests of programs, as users write them.
  const documented = [
    ...['examples/custom-resources/declare.test.ts', 'examples/review-apps/review.test.ts', 'examples/testing/shop.test.ts'],
    ...['app/hello', 'cdk8s/web', 'manifests/manifests', 'operator/operator'].map((path) => `templates/${path}.test.ts`),
  ];
  expect(shipped.filter((path) => needless.test(path))).toEqual(documented);
  expect(shipped).toEqual(
    expect.arrayContaining(['lib/src/cli/main.cjs', 'lib/src/entry/index.d.ts', 'schema/fieldwise.schema.json', 'README.md']),
  );
  expect(entries).toEqual(
    expect.arrayContaining([
      ...['fieldwise', 'fieldwise/builders', 'fieldwise/codegen', 'fieldwise/controller', 'fieldwise/deploy', 'fieldwise/embedded'],
      ...['fieldwise/ssa', 'fieldwise/testing', 'fieldwise/k8s/apps/v1', 'fieldwise/k8s/core/v1'],
    ]),
  );
});

const program = `
import { App, Stack } from 'fieldwise';
import { deployment } from 'fieldwise/k8s/apps/v1';
import { deploy, type DeployOptions } from 'fieldwise/deploy';
import type { Cluster } from 'fieldwise/controller';

const stack: Stack = new Stack(new App({ name: 'shop' }), 'web', { namespace: 'edge' });
stack.own(deployment('web').withSpec({ replicas: 2 }));
export const run = (cluster: Cluster, options: DeployOptions) => deploy('dist', cluster, options);
// @ts-expect-error a builder knows its fields
deployment('web').withSpec({ replicaz: 2 });
`;

const modes = {
  'nodenext without any types': { module: 'nodenext', lib: ['es2022'], types: [] },
  'nodenext with the types of a browser and of Node': { module: 'nodenext', types: ['node'] },
  'a bundler': { module: 'esnext', moduleResolution: 'bundler', lib: ['es2022'], types: [] },
  'CommonJS beside ES modules': { module: 'nodenext', lib: ['es2022'], types: [], commonJs: true },
  'CommonJS without ES modules': { module: 'node16', lib: ['es2022'], types: [], commonJs: true, onlyRequired: true },
  // As cdk8s and projen write it. TypeScript 7 does not have it any more.
  'CommonJS with the module resolution node10': {
    module: 'commonjs',
    moduleResolution: 'node10',
    ignoreDeprecations: '6.0',
    esModuleInterop: false,
    target: 'es2017',
    lib: ['es2016'],
    types: ['node'],
    commonJs: true,
    old: true,
  },
};

test.each(Object.entries(modes))('a fresh project compiles, its libraries checked, too: %s', { timeout: 120_000 }, (_, mode) => {
  const { commonJs, onlyRequired, old, ...options } = { commonJs: false, onlyRequired: false, old: false, ...mode };
  if (mode.types.length > 0) for (const name of ['@types/node', 'undici-types']) link(name);
  const strict = {
    target: 'es2022',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    skipDefaultLibCheck: true, // TypeScript's own, which take longer than all others
    noEmit: true,
    preserveSymlinks: true,
  };
  const imports = (onlyRequired ? required : entries)
    .map((entry, index) => `import * as entry${index} from '${entry}';\nexport { entry${index} };\n`)
    .join('');
  write('package.json', JSON.stringify({ name: 'fresh', private: true, type: commonJs ? 'commonjs' : 'module' }));
  write('tsconfig.json', JSON.stringify({ compilerOptions: { ...strict, ...options }, files: ['main.ts', 'all.ts'] }));
  write('main.ts', program);
  write('all.ts', imports);
  expect(compile(join(directory, 'tsconfig.json'))).toBe('');
  if (old) return;
  const native = spawnSync(process.execPath, [nativeCompiler, '--project', directory], { encoding: 'utf8' });
  expect([native.stdout, native.status]).toEqual(['', 0]);
});

/** What `tsc --project` of TypeScript 6 prints. In this process, since each start of tsc compiles tsc, too. */
function compile(config: string): string {
  const onUnRecoverableConfigFileDiagnostic = (diagnostic: ts.Diagnostic) => {
    throw new Error(String(diagnostic.messageText));
  };
  const { errors, fileNames, options } = ts.getParsedCommandLineOfConfigFile(
    config,
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic },
  )!;
  const program = ts.createProgram(fileNames, options);
  return ts.formatDiagnostics([...errors, ...ts.getPreEmitDiagnostics(program)], {
    getCurrentDirectory: () => directory,
    getCanonicalFileName: (name) => name,
    getNewLine: () => '\n',
  });
}

const forModules: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  skipLibCheck: true,
  noEmit: true,
  types: [],
  preserveSymlinks: true,
};

test('declarations of the built-in API export what its sources export, in one file or two', async () => {
  const names = entries.filter((entry) => entry.startsWith('fieldwise/k8s/')).map((entry) => entry.slice('fieldwise/k8s/'.length));
  expect(names.length).toBeGreaterThan(20);
  const shippedFile = (name: string) => join(directory, 'node_modules/fieldwise/lib/generated', `${name}.d.ts`);
  const sourceFile = (name: string) => join(checkout, 'generated', `${name}.ts`);
  const program = ts.createProgram(
    names.flatMap((name) => [shippedFile(name), sourceFile(name)]),
    forModules,
  );
  const exportsOf = (file: string) => {
    const checker = program.getTypeChecker();
    const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)!)!);
    return symbols.map(({ name }) => name).sort();
  };
  for (const name of names) expect([name, ...exportsOf(shippedFile(name))]).toEqual([name, ...exportsOf(sourceFile(name))]);
});

test('a program with a Deployment does not make the compiler read the kinds of Nodes and volumes', () => {
  write('package.json', JSON.stringify({ name: 'fresh', private: true, type: 'module' }));
  write('small.ts', `import { deployment, podSpec } from 'fieldwise/k8s/apps/v1';\nexport const made = [deployment('web'), podSpec()];\n`);
  const files = ts.createProgram([join(directory, 'small.ts')], forModules).getSourceFiles();
  const read = files.flatMap(({ fileName }) => /fieldwise\/lib\/((?:generated|declarations)\/.*)/.exec(fileName)?.[1] ?? []);
  expect(read.sort()).toEqual(['declarations/core/v1.d.ts', 'generated/apps/v1.d.ts', 'generated/meta/v1.d.ts']);
});

test('every entry loads, as an ES module and by require', async () => {
  write('package.json', JSON.stringify({ name: 'fresh', private: true, type: 'module' }));
  write(
    'load.mjs',
    `for (const entry of ${JSON.stringify(entries)}) if (Object.keys(await import(entry)).length === 0) throw new Error(entry);`,
  );
  write(
    'load.cjs',
    `for (const entry of ${JSON.stringify(entries)}) if (Object.keys(require(entry)).length === 0) throw new Error(entry);`,
  );
  for (const file of ['load.mjs', 'load.cjs']) await run(process.execPath, [file], { cwd: directory });
});

/** As jest and Node 20.18 load a package, neither of which can `require` an ES module. */
const withoutEsModules = '--no-experimental-require-module';

test('a CommonJS program loads what it needs where no ES module can be required', async () => {
  expect(entries.filter((entry) => !required.includes(entry))).toEqual(['fieldwise/codegen']);
  write('package.json', JSON.stringify({ name: 'fresh', private: true, type: 'commonjs' }));
  write(
    'load.cjs',
    `for (const entry of ${JSON.stringify(required)}) {
  if (!require.resolve(entry).endsWith('.cjs')) throw new Error(require.resolve(entry));
  if (Object.keys(require(entry)).length === 0) throw new Error(entry);
}`,
  );
  await run(process.execPath, [withoutEsModules, 'load.cjs'], { cwd: directory });
});

test('no module of the CommonJS build imports dynamically: jest refuses that without a flag of Node', () => {
  const lib = fileURLToPath(new URL('../../../lib', import.meta.url));
  const files = readdirSync(lib, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.cjs') && !/^src.(chunks|cli|on-call)\b/.test(file),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => /[^\w.'"`]import\(/.test(readFileSync(join(lib, file), 'utf8')))).toEqual([]);
});

test.each(['cdk8s', 'constructs'])('a program without %s is told what to install', async (name) => {
  write('package.json', JSON.stringify({ name: 'fresh', private: true, type: 'module' }));
  write('main.mjs', "import 'fieldwise';");
  rmSync(join(directory, 'node_modules', name));
  try {
    const said = `The package ${name} is not installed, which programs share with Fieldwise`;
    for (const flags of [['main.mjs'], [withoutEsModules, '--eval', "require('fieldwise')"]]) {
      await expect(run(process.execPath, flags, { cwd: directory })).rejects.toThrow(said);
    }
    const command = [join(directory, 'node_modules/fieldwise/lib/src/cli/main.cjs'), 'synth', '-a', 'main.mjs'];
    await expect(run(process.execPath, command, { cwd: directory })).rejects.toThrow(
      `error: ${said}. Run \`npm install cdk8s constructs\`. [peer-missing]`,
    );
  } finally {
    link(name);
  }
});

/** Constructs, builders and errors of the two formats in one program, and what they are to each other. */
const bothFormats = `
const { App, Stack, FieldwiseError } = require('fieldwise');
const { configMap } = require('fieldwise/k8s/core/v1');
const { testCluster } = require('fieldwise/testing');
import('fieldwise').then(async (modules) => {
  const other = await import('fieldwise/k8s/core/v1');
  const app = new App({ name: 'shop' });
  const stack = new modules.Stack(app, 'web', { namespace: 'default' });
  stack.own(other.configMap('one').withData({ color: 'blue' }));
  new Stack(app, 'api', { namespace: 'default' }).own(configMap('two').withData({ color: 'red' }));
  const cluster = await testCluster();
  const report = await cluster.deploy(app);
  let thrown;
  try { new modules.App({ name: ' ' }); } catch (error) { thrown = error; }
  console.log(JSON.stringify({
    class: App === modules.App, app: app instanceof modules.App, stack: stack instanceof Stack, error: thrown instanceof FieldwiseError,
    subclass: app instanceof class Other extends modules.App {}, created: report.summary.counts.created,
  }));
});`;

test.each([
  { node: 'that requires ES modules', flags: [], class: true },
  { node: 'that does not', flags: [withoutEsModules], class: false },
])('both formats of the package are one in a Node $node', async ({ flags, class: isOne }) => {
  write('package.json', JSON.stringify({ name: 'fresh', private: true, type: 'commonjs' }));
  write('both.cjs', bothFormats);
  const { stdout } = await run(process.execPath, [...flags, 'both.cjs'], { cwd: directory });
  expect(JSON.parse(stdout)).toEqual({ class: isOne, app: true, stack: true, error: true, subclass: false, created: 2 });
});

test.each(['esm', 'cjs'] as const)('a program that esbuild has bundled runs: %s', async (format) => {
  const { build } = await import('esbuild');
  write('package.json', JSON.stringify({ name: 'fresh', private: true, type: 'commonjs' }));
  write('bundled.ts', bundledProgram);
  const outfile = join(directory, `bundled.${format === 'esm' ? 'mjs' : 'cjs'}`);
  await build({ entryPoints: [join(directory, 'bundled.ts')], outfile, bundle: true, platform: 'node', format, logLevel: 'error' });
  const { stdout } = await run(process.execPath, [outfile], { cwd: directory });
  expect(stdout).toContain('kind: ConfigMap');
});

const bundledProgram = `
import { App, Stack } from 'fieldwise';
import { configMap } from 'fieldwise/k8s/core/v1';
import { testCluster } from 'fieldwise/testing';
const app = new App({ name: 'shop' });
new Stack(app, 'web', { namespace: 'default' }).own(configMap('one').withData({ color: 'blue' }));
console.log(typeof testCluster, app.synthYaml());
`;

function write(file: string, text: string): void {
  writeFileSync(join(directory, file), text);
}

const matchersInTests = {
  vitest: `import { expect } from 'vitest';\nimport { testCluster } from 'fieldwise/testing/vitest';\n`,
  'expect, of @jest/globals': `import { expect } from 'expect';\nimport { testCluster } from 'fieldwise/testing/jest';\n`,
  'the global expect of @types/jest': `import { testCluster } from 'fieldwise/testing/jest';\ndeclare const expect: (value: unknown) => jest.Matchers<void> & { rejects: jest.Matchers<Promise<void>>; not: jest.Matchers<void> };\n`,
};

const useOfMatchers = `
const cluster = await testCluster();
expect(await cluster.get('Deployment', 'web')).toBeOwnedBy('.spec.replicas', 'kubectl');
expect(await cluster.deploy('dist')).not.toReleaseOnly(['.spec.replicas']);
expect(await cluster.plan('dist')).toPlan({ 'Deployment default/web': { fields: { '.spec.replicas': 'change' } } });
const pending: Promise<void> = expect(cluster.apply('kubectl', {})).rejects.toConflictWith('kubectl');
await pending;
// @ts-expect-error a field is a path
expect({}).toBeOwnedBy(1, 'kubectl');
// @ts-expect-error an action has a name
expect({}).toPlan({ 'Deployment default/web': 'updated' });
`;

test.each(Object.entries(matchersInTests))('the matchers have types: %s', { timeout: 120_000 }, (_, imports) => {
  for (const name of ['vitest', 'expect']) link(name);
  // Of the libraries only Fieldwise's own are strict; those of test runners are not checked.
  const options = {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true,
  };
  write('package.json', JSON.stringify({ name: 'fresh', private: true, type: 'module' }));
  write('tsconfig.json', JSON.stringify({ compilerOptions: { ...options, types: [] }, files: ['matchers.ts'] }));
  write('matchers.ts', imports + useOfMatchers);
  expect(compile(join(directory, 'tsconfig.json'))).toBe('');
});

test('the example of tests runs from the package, with vitest and with the test runner of Node', { timeout: 120_000 }, async () => {
  for (const name of ['vitest', 'tsx']) link(name);
  write('package.json', JSON.stringify({ name: 'fresh', private: true, type: 'module' }));
  await run('cp', ['-r', join(directory, 'node_modules/fieldwise/examples/testing'), directory]);
  const node = (...words: string[]) =>
    run(process.execPath, words, { cwd: join(directory, 'testing'), env: { ...process.env, NO_COLOR: '1', VITEST: undefined } });
  const vitest = await node(join(directory, 'node_modules/vitest/vitest.mjs'), 'run', '--root', '.', '--test-timeout=60000');
  expect(vitest.stdout).toMatch(/Tests +6 passed/);
  const runner = await node('--import', 'tsx', '--test', 'shop.node-test.ts');
  expect(runner.stdout).toMatch(/pass 2\n/);
});

test.each(['commonjs', 'nodenext'])('a module of a CRD does not compile where Fieldwise is not found: %s', async (module) => {
  const { generateModules, readCrd } = await import('../../../codegen/index.js');
  const schema = { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } } };
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } };
  const names = { kind: 'Shop', plural: 'shops', singular: 'shop' };
  const spec = { group: 'example.com', scope: 'Namespaced', names, versions: [version] };
  const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'shops.example.com' }, spec };
  const files = {
    'v1.ts': (await generateModules(readCrd(crd).roots)).files[0]!.text,
    'call.ts': `import { shop } from './v1';\nshop('web');\n`,
    'literal.ts': `import type { ShopApply } from './v1';\nexport const web: ShopApply = { spec: { size: 1 } };\n`,
    'part.ts': `import type { ShopSpecApply } from './v1';\nexport const web: ShopSpecApply = { size: 1 };\n`,
    'metadata.ts': `import { objectMeta } from './v1';\nobjectMeta().withLabels({ size: 1 });\n`,
    'input.ts': `import type { ShopInput } from './v1';\nexport const web: ShopInput = { spec: { size: 1 } };\n`,
  };
  const elsewhere = mkdtempSync(join(tmpdir(), 'fieldwise-alone-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(elsewhere, name), text);
    writeFileSync(join(elsewhere, 'package.json'), '{}');
    const options = { module, strict: true, noEmit: true, types: [], ignoreDeprecations: '6.0' };
    const programs = Object.keys(files).slice(1);
    writeFileSync(join(elsewhere, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: programs }));
    const lines = compile(join(elsewhere, 'tsconfig.json')).split(/\n(?=\S)/);
    const found = lines.filter((line) => line.includes('fieldwise/builders is not found'));
    expect(new Set(found.map((line) => /[\w-]+\.ts/.exec(line)?.[0]))).toEqual(new Set(programs));
  } finally {
    rmSync(elsewhere, { recursive: true });
  }
});
