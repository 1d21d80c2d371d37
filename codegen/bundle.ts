import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'rolldown';
import { minify } from 'rolldown/utils';
import type { ShippedTable, Table, TableData } from '../src/schema/index.js';
import { commonJsDeclarations, commonJsEntries, isInstalled } from './common-js.js';
import { splitDeclarations } from './split-declarations.js';
import { spreadIntoObjects } from './spread-into-objects.js';

/**
 * The last step of the build: it bundles the modules that every start loads into few files (docs/decisions/09 and 25). tsc has written
 * declarations and plain modules before; entries keep their paths. Run by `npm run build`.
 */

/**
 * Keeps names, for readable stack traces, and lines: Node prints the line that threw an error which nobody catches. Only modules of the built-in
 * API, whose functions throw nothing themselves, become one line.
 */
const minifyOptions = { compress: { keepNames: { function: true, class: true } }, mangle: false } as const;

/** Of the command line, whose variables get short names: V8 compiles a fifth less text at each start. */
const mangled = { mangle: { keepNames: { function: true, class: true } } } as const;

/** Packages that few kubeconfigs need, with the names that are used: each is a file that is loaded on first use. */
const lazyPackages: readonly { readonly name: string; readonly functions: readonly string[] }[] = [
  { name: 'jsonpath-plus', functions: ['JSONPath'] },
];

/** In a program that somebody else has bundled as CommonJS, `import.meta` is empty. */
const createRequireStatement = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url ?? __filename);";

/** @param directory that of the packages, from that of the bundle. */
function lazyProxy({ name, functions }: (typeof lazyPackages)[number], directory: string): string {
  const loaded = `require(${JSON.stringify(`${directory}/${name}.cjs`)})`;
  return [createRequireStatement, ...functions.map((one) => `export const ${one} = (...words) => ${loaded}.${one}(...words);`)].join('\n');
}

/** Stubs for modules that only make API calls, open connections or refresh tokens: Fieldwise has its own transport. */
const kubeConfigStubs = (onCall: string): Readonly<Record<string, string>> => ({
  'node-fetch': 'export default undefined; export class Headers { constructor() { return new globalThis.Headers(); } }',
  './gen/index.js': 'export const createConfiguration = undefined, ServerConfiguration = undefined;',
  'socks-proxy-agent': 'export const SocksProxyAgent = undefined;',
  hpagent: 'export const HttpProxyAgent = undefined, HttpsProxyAgent = undefined;',
  'openid-client': 'export const discovery = undefined, refreshTokenGrant = undefined;',
  ...Object.fromEntries(lazyPackages.map((one) => [one.name, lazyProxy(one, onCall)])),
});

/** Loaded on first use: Kubernetes' client runs commands of cloud providers, and commander runs commands in separate files. */
const childProcessStub = [
  createRequireStatement,
  ...['spawn', 'spawnSync', 'execSync'].map((one) => `export const ${one} = (...words) => require('node:child_process').${one}(...words);`),
  'export default { spawn, spawnSync, execSync };',
].join('\n');

/** Returns a plugin that replaces imports of a package's modules by stubs. */
function stubModules(importers: RegExp, stubs: Readonly<Record<string, string>>): Plugin {
  const prefix = `\0diet of ${importers.source} `;
  return {
    name: `diet of ${importers.source}`,
    resolveId: (name, importer = '') => (importers.test(importer) && Object.hasOwn(stubs, name) ? prefix + name : undefined),
    load: (id) => (id.startsWith(prefix) ? stubs[id.slice(prefix.length)] : undefined),
  };
}

/** The command line declares documents as constructs, but neither reads nor writes their YAML by cdk8s, and has no JSON patches. */
const cdk8sStubs: Readonly<Record<string, string>> = {
  yaml: 'export {};',
  'fast-json-patch': 'export {};',
  child_process: childProcessStub,
};

const stubPlugins = (onCall: string) => [
  stubModules(/node_modules[\\/]cdk8s[\\/]lib[\\/][^\\/]+$/, cdk8sStubs),
  stubModules(/client-node[\\/]dist[\\/][^\\/]+$/, kubeConfigStubs(onCall)),
  stubModules(/(client-node[\\/]dist|commander[\\/]lib)[\\/][^\\/]+$/, { 'node:child_process': childProcessStub }),
];

/** Packages that a program shares with Fieldwise. */
const sharedPackages = ['cdk8s', 'constructs'];

/** Returns a module that takes what a CommonJS package exports by `require`: by `import`, Node first reads the package for the names. */
function required(name: string): string {
  const names = Object.keys(createRequire(import.meta.url)(name)).join(', ');
  const word = JSON.stringify(name);
  const reader = JSON.stringify(path.resolve('src/util/peer.ts'));
  return `import { peer } from ${reader}; ${createRequireStatement} export const { ${names} } = peer(${word}, () => require(${word}));`;
}

const requireSharedPackages = stubModules(/./, Object.fromEntries(sharedPackages.map((name) => [name, required(name)])));

const client = path.dirname(fileURLToPath(import.meta.resolve('@kubernetes/client-node')));

/** Resolves a package as Kubernetes' client does. */
const resolveFromClient: Plugin = {
  name: 'as of the client',
  async resolveId(name, importer) {
    return importer === undefined ? await this.resolve(name, path.join(client, 'index.js')) : undefined;
  },
};

/** Packages that few commands load, or that locate their own files. */
const unbundled = ['jiti', 'json-schema-to-typescript', 'ts-morph'];

/** One file holds the modules that every command loads, another those that every deploy loads, even if imported lazily. */
const groups = [
  { name: 'command-line', modules: ['cli/run-cli', 'cli/process/v8-flags'] },
  {
    name: 'synth',
    modules: [
      ...['commands/synth', 'config/config', 'program/synthesize', 'program/load-program', 'program/run-module'].map(
        (module) => `cli/${module}`,
      ),
      ...['read', 'manifest-schema', 'draft'].map((module) => `assembly/${module}`),
    ],
  },
  {
    name: 'deploy',
    modules: [
      ...['commands/deploy', 'cluster/open-cluster', 'render/run-renderer'].map((module) => `cli/${module}`),
      ...['kubernetes/index', 'kubernetes/kubeconfig/kube-config', 'deploy/deploy/deploy'],
    ],
  },
].map(({ name, modules }) => ({ name, test: includesModule(modules) }));

/** Matches a module and everything that it imports statically. */
function includesModule(modules: readonly string[]): (file: string) => boolean {
  const files = modules.map((module) => path.resolve(`src/${module}.ts`));
  for (const file of files) if (!existsSync(file)) throw new Error(`codegen/bundle.ts names ${file}, which is not there`);
  return (file) => files.includes(path.resolve(file));
}

/** The modules that the commands of package.json start, behind a file that every Node can parse. */
const commands = ['main', 'kubectl-plugin'];

const bundles: readonly BuildOptions[] = [
  ...lazyPackages.map(({ name }) => ({
    input: name,
    plugins: [resolveFromClient],
    output: { file: `lib/src/on-call/${name}.cjs`, format: 'cjs', exports: 'named' } as const,
  })),
  ...['kube-config', 'socks'].map((name) => ({
    input: `src/kubernetes/kubeconfig/${name}.ts`,
    plugins: stubPlugins('../../on-call'),
    output: { file: `lib/src/kubernetes/kubeconfig/${name}.js`, codeSplitting: false },
  })),
  {
    input: Object.fromEntries(commands.map((name) => [`src/cli/${name}-command`, `src/cli/${name}.ts`])),
    plugins: stubPlugins('../on-call'),
    external: unbundled,
    output: {
      dir: 'lib',
      format: 'cjs', // Node resolves and links it faster.
      entryFileNames: '[name].cjs',
      minify: { ...minifyOptions, ...mangled, codegen: false },
      chunkFileNames: 'src/chunks/[name]-[hash].cjs', // At the depth of modules of `src`, so that relative paths stay valid.
      codeSplitting: { groups },
    },
  },
  { input: 'src/builders/index.ts', output: { file: 'lib/src/builders/index.js' } },
  {
    input: 'src/entry/index.ts',
    plugins: [requireSharedPackages],
    external: (name) => !name.startsWith('.') && !path.isAbsolute(name) && !sharedPackages.includes(name),
    output: { file: 'lib/src/entry/index.js', codeSplitting: false },
  },
  {
    input: await commonJsEntries(),
    plugins: [requireSharedPackages, ...stubPlugins('../on-call')],
    external: (name) => isInstalled(name) && !sharedPackages.includes(name),
    output: {
      dir: 'lib',
      format: 'cjs',
      entryFileNames: '[name].cjs',
      chunkFileNames: 'src/common-js/[name]-[hash].cjs', // As deep as modules of `src`.
      dynamicImportInCjs: false, // jest refuses an `import()` without a flag of Node.
    },
  },
];

async function writeLaunchers(): Promise<void> {
  const text = await readFile('codegen/launcher.cjs', 'utf8');
  for (const name of commands) await writeFile(`lib/src/cli/${name}.cjs`, text.replace('COMMAND', `${name}-command.cjs`));
}

/** The scripts of pages run in a browser; each is one file, whose digest the page permits. */
const pages = 'src/cli/html/browser';
const shippedPages = 'lib/src/cli/html/pages';

async function bundlePage(name: string): Promise<void> {
  await build({
    input: `${pages}/${name}.ts`,
    platform: 'browser',
    output: { file: `${shippedPages}/${name}.js`, format: 'iife', comments: false },
  });
}

/** Without comments and line ends, because every page contains it. */
async function writeStyle(): Promise<void> {
  const style = await readFile(`${pages}/page.css`, 'utf8');
  await writeFile(`${shippedPages}/page.css`, style.replaceAll(/\/\*[^*]*\*\/|\s+/g, ' '));
}

async function bundle({ output, ...input }: BuildOptions): Promise<void> {
  await build({
    platform: 'node',
    checks: { ineffectiveDynamicImport: false }, // The inputs of `groups`.
    ...input,
    output: {
      format: 'es',
      comments: { legal: true, annotation: false, jsdoc: false },
      minify: { ...minifyOptions, codegen: false },
      ...output,
    },
  });
}

async function minifyFile(file: string): Promise<void> {
  const { code, errors } = await minify(file, await readFile(file, 'utf8'), { module: true, ...minifyOptions, codegen: true });
  if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join('; ')}`);
  await writeFile(file, code);
}

/** Writes the tables of the built-in API as data: synth reads them without loading modules, which it cannot do at once. */
async function writeTables(modules: readonly string[]): Promise<void> {
  const tables: Record<string, ShippedTable> = {};
  for (const name of modules) {
    const { $table } = (await import(pathToFileURL(path.resolve('lib/generated', name)).href)) as { readonly $table?: Table };
    if ($table === undefined) continue;
    const { apiVersion } = JSON.parse($table.json) as TableData;
    const imports = $table.imports().map(({ module }) => module);
    tables[$table.module] = { ...(apiVersion === undefined ? {} : { apiVersion }), imports, json: $table.json };
  }
  await writeFile('lib/generated/tables.json', JSON.stringify(tables));
}

const modules = (await readdir('lib/generated', { recursive: true })).filter((name) => name.endsWith('.js')).sort();

for (const directory of ['chunks', 'common-js']) await rm(`lib/src/${directory}`, { recursive: true, force: true });
await Promise.all(bundles.map(bundle));
await Promise.all([
  spreadIntoObjects('lib/src'),
  ...['owners-page', 'diff-page', 'list-page'].map(bundlePage),
  ...modules.map((name) => minifyFile(path.join('lib/generated', name))),
]);
await writeStyle();
await writeLaunchers();
await writeTables(modules);
await splitDeclarations();
await commonJsDeclarations();
