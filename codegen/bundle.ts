import { rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';

/*
 * The last step of the build: what is loaded at every start becomes few files (docs/decisions/09 and 28). tsc has written declarations
 * and plain modules before; entries keep their paths. Run by `npm run build`.
 */

const common = { bundle: true, platform: 'node', format: 'esm', target: 'node20', logLevel: 'warning' } as const;
const small = { minifyWhitespace: true, minifySyntax: true };
const requireInBundle = { js: "import{createRequire as $requireAt}from'node:module';const require=$requireAt(import.meta.url);" };

/** What few kubeconfigs need: a file of its own each, read when it is called for. */
const onCall: Readonly<Record<string, { readonly classes?: readonly string[]; readonly functions?: readonly string[] }>> = {
  'socks-proxy-agent': { classes: ['SocksProxyAgent'] },
  hpagent: { classes: ['HttpProxyAgent', 'HttpsProxyAgent'] },
  'jsonpath-plus': { functions: ['JSONPath'] },
  'openid-client': { functions: ['discovery', 'refreshTokenGrant'] },
};

/** As seen from `lib/src/cluster` and `lib/src/chunks`. */
const besides = '../on-call/';

function calling(name: string): string {
  const { classes = [], functions = [] } = onCall[name] ?? {};
  const loaded = `require(${JSON.stringify(`${besides}${name}.cjs`)})`;
  return [
    ...classes.map((one) => `export class ${one} { constructor(...words) { return new (${loaded}.${one})(...words); } }`),
    ...functions.map((one) => `export const ${one} = (...words) => ${loaded}.${one}(...words);`),
  ].join('\n');
}

/** What is for calls to the API, which we make ourselves, is left out. */
const kubeConfigDiet: Readonly<Record<string, string>> = {
  'node-fetch': 'export class Headers { constructor() { return new globalThis.Headers(); } }',
  './gen/index.js': 'export const createConfiguration = undefined, ServerConfiguration = undefined;',
  ...Object.fromEntries(Object.keys(onCall).map((name) => [name, calling(name)])),
};

const kubeConfigOnDiet: Plugin = {
  name: 'kube-config on a diet',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /./ }, ({ path: name, importer, kind }) => {
      if (name.startsWith(besides)) return { path: name, external: true };
      const ofClient = /client-node[\\/]dist[\\/][^\\/]+$/.test(importer) && kind === 'import-statement';
      if (!ofClient || !Object.hasOwn(kubeConfigDiet, name)) return undefined;
      return { path: name, namespace: 'diet', pluginData: path.dirname(importer) };
    });
    onLoad({ filter: /./, namespace: 'diet' }, ({ path: name, pluginData }) => ({
      contents: kubeConfigDiet[name] as string,
      resolveDir: pluginData as string,
    }));
  },
};

/** In a bundle, the names of a CommonJS package are those of `default` for whoever imports it as late as `await import`. */
const noLatePackages: Plugin = {
  name: 'no late packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[^.]/ }, ({ path: name, importer, kind }) => {
      const late = kind === 'dynamic-import' && !name.startsWith('node:') && !unbundled.includes(name) && importer.includes('/src/');
      return late ? { errors: [{ text: `import ${name} by the head of a module, and that module late` }] } : undefined;
    });
  },
};

/** Packages that few commands load, or that find their own files. */
const unbundled = ['cdk8s', 'constructs', 'jiti', 'json-schema-to-typescript', 'ts-morph'];

const client = path.dirname(fileURLToPath(import.meta.resolve('@kubernetes/client-node')));

const builds: readonly BuildOptions[] = [
  ...Object.keys(onCall).map(
    (name): BuildOptions => ({
      stdin: { contents: `module.exports = require(${JSON.stringify(name)});`, resolveDir: client },
      outfile: `lib/src/on-call/${name}.cjs`,
      format: 'cjs',
      ...small,
    }),
  ),
  {
    entryPoints: ['src/cluster/kube-config.ts'],
    outfile: 'lib/src/cluster/kube-config.js',
    banner: requireInBundle,
    plugins: [kubeConfigOnDiet],
    ...small,
  },
  {
    // Chunks lie as deep as modules of `src`, which look for files of the package relative to themselves.
    entryPoints: ['src/cli/main.ts'],
    outdir: 'lib',
    outbase: '.',
    splitting: true,
    chunkNames: 'src/chunks/[name]-[hash]',
    banner: requireInBundle,
    plugins: [kubeConfigOnDiet, noLatePackages],
    external: unbundled,
  },
  { entryPoints: ['src/builders/index.ts'], outfile: 'lib/src/builders/index.js', ...small },
  { entryPoints: ['generated/**/*.ts'], outdir: 'lib/generated', outbase: 'generated', bundle: false, ...small },
];

await rm('lib/src/chunks', { recursive: true, force: true });
await Promise.all(builds.map((one) => build({ ...common, ...one })));
