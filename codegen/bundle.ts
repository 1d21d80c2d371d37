import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'rolldown';
import { minify } from 'rolldown/utils';

/*
 * The last step of the build: what is loaded at every start becomes few files (docs/decisions/09 and 28). tsc has written declarations
 * and plain modules before; entries keep their paths. Run by `npm run build`.
 */

/** Names stay, for those who read a stack. */
const small = { compress: { keepNames: { function: true, class: true } }, mangle: false, codegen: true } as const;

/** What few kubeconfigs need, with what is used of it: a file of its own each, read when it is called for. */
const onCall: readonly { readonly name: string; readonly classes?: readonly string[]; readonly functions?: readonly string[] }[] = [
  { name: 'socks-proxy-agent', classes: ['SocksProxyAgent'] },
  { name: 'hpagent', classes: ['HttpProxyAgent', 'HttpsProxyAgent'] },
  { name: 'jsonpath-plus', functions: ['JSONPath'] },
  { name: 'openid-client', functions: ['discovery', 'refreshTokenGrant'] },
];

const requiring = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/** As seen from `lib/src/cluster` and `lib/src/chunks`. */
const besides = '../on-call';

function calling({ name, classes = [], functions = [] }: (typeof onCall)[number]): string {
  const loaded = `require(${JSON.stringify(`${besides}/${name}.cjs`)})`;
  return [
    requiring,
    ...classes.map((one) => `export class ${one} { constructor(...words) { return new (${loaded}.${one})(...words); } }`),
    ...functions.map((one) => `export const ${one} = (...words) => ${loaded}.${one}(...words);`),
  ].join('\n');
}

/** What is for calls to the API, which we make ourselves, is left out. */
const kubeConfigDiet: Readonly<Record<string, string>> = {
  'node-fetch': 'export default undefined; export class Headers { constructor() { return new globalThis.Headers(); } }',
  './gen/index.js': 'export const createConfiguration = undefined, ServerConfiguration = undefined;',
  ...Object.fromEntries(onCall.map((one) => [one.name, calling(one)])),
};

/** Kubernetes' client runs commands of cloud providers, commander commands in files of their own. */
const processDiet = [
  requiring,
  ...['spawn', 'spawnSync', 'execSync'].map((one) => `export const ${one} = (...words) => require('node:child_process').${one}(...words);`),
  'export default { spawn, spawnSync, execSync };',
].join('\n');

/** What modules of a package get instead of what they import. */
function onDiet(importers: RegExp, diet: Readonly<Record<string, string>>): Plugin {
  const prefix = `\0diet of ${importers.source} `;
  return {
    name: `diet of ${importers.source}`,
    resolveId: (name, importer = '') => (importers.test(importer) && Object.hasOwn(diet, name) ? prefix + name : undefined),
    load: (id) => (id.startsWith(prefix) ? diet[id.slice(prefix.length)] : undefined),
  };
}

const diets = [
  onDiet(/client-node[\\/]dist[\\/][^\\/]+$/, kubeConfigDiet),
  onDiet(/(client-node[\\/]dist|commander[\\/]lib)[\\/][^\\/]+$/, { 'node:child_process': processDiet }),
];

const client = path.dirname(fileURLToPath(import.meta.resolve('@kubernetes/client-node')));

/** A package as Kubernetes' client finds it. */
const asOfClient: Plugin = {
  name: 'as of the client',
  async resolveId(name, importer) {
    return importer === undefined ? await this.resolve(name, path.join(client, 'index.js')) : undefined;
  },
};

/** Packages that few commands load, or that find their own files. */
const unbundled = ['cdk8s', 'constructs', 'jiti', 'json-schema-to-typescript', 'ts-morph'];

/** What every command loads is one file, and another what a deploy loads in any case, also where it is imported late. */
const groups = [
  { name: 'command-line', modules: ['cli/run-cli', 'cli/v8-flags'] },
  {
    name: 'deploy',
    modules: [
      ...['commands/deploy', 'config', 'program', 'connect', 'render/run'].map((module) => `cli/${module}`),
      ...['assembly/read', 'assembly/manifest-schema', 'assembly/draft', 'cluster/index', 'cluster/kube-config', 'deploy/deploy'],
    ],
  },
].map(({ name, modules }) => ({ name, test: among(modules) }));

/** With a module go all that it imports by its head. */
function among(modules: readonly string[]): (file: string) => boolean {
  const files = modules.map((module) => path.resolve(`src/${module}.ts`));
  for (const file of files) if (!existsSync(file)) throw new Error(`codegen/bundle.ts names ${file}, which is not there`);
  return (file) => files.includes(path.resolve(file));
}

const bundles: readonly BuildOptions[] = [
  ...onCall.map(({ name }) => ({
    input: name,
    plugins: [asOfClient],
    output: { file: `lib/src/on-call/${name}.cjs`, format: 'cjs', exports: 'named' } as const,
  })),
  {
    input: 'src/cluster/kube-config.ts',
    plugins: diets,
    output: { file: 'lib/src/cluster/kube-config.js', codeSplitting: false },
  },
  {
    input: { 'src/cli/main': 'src/cli/main.ts' },
    plugins: diets,
    external: unbundled,
    output: {
      dir: 'lib',
      format: 'cjs', // Node finds and links it more quickly
      entryFileNames: '[name].cjs',
      chunkFileNames: 'src/chunks/[name]-[hash].cjs', // as deep as modules of `src`, for `besides`
      codeSplitting: { groups },
    },
  },
  { input: 'src/builders/index.ts', output: { file: 'lib/src/builders/index.js' } },
];

async function bundle({ output, ...input }: BuildOptions): Promise<void> {
  await build({
    platform: 'node',
    checks: { ineffectiveDynamicImport: false }, // what `groups` are for
    ...input,
    output: { format: 'es', comments: { legal: true, annotation: false, jsdoc: false }, minify: small, ...output },
  });
}

async function makeSmall(file: string): Promise<void> {
  const { code, errors } = await minify(file, await readFile(file, 'utf8'), { module: true, ...small });
  if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join('; ')}`);
  await writeFile(file, code);
}

const generated = await readdir('lib/generated', { recursive: true });

await rm('lib/src/chunks', { recursive: true, force: true });
await Promise.all([
  ...bundles.map(bundle),
  ...generated.filter((name) => name.endsWith('.js')).map((name) => makeSmall(path.join('lib/generated', name))),
]);
