import { JsonFile, javascript, typescript } from 'projen';

const strict = {
  target: 'ES2022',
  lib: ['ES2023'],
  module: 'NodeNext',
  moduleResolution: javascript.TypeScriptModuleResolution.NODE_NEXT,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  noFallthroughCasesInSwitch: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  skipLibCheck: true,
  forceConsistentCasingInFileNames: true,
  types: ['node'],
};

const project = new typescript.TypeScriptProject({
  name: 'fieldwise',
  description: 'Infrastructure as code for Kubernetes at the grain of the field',
  license: 'Apache-2.0',
  copyrightOwner: 'The Fieldwise authors',
  // Placeholders until the project has a home; RELEASE.md lists every place that names them.
  authorName: 'The Fieldwise authors',
  authorEmail: 'fieldwise@example.com',
  authorOrganization: true,
  repository: 'https://git.example.com/fieldwise/fieldwise.git',
  homepage: 'https://fieldwise.example.com',
  bugsUrl: 'https://git.example.com/fieldwise/fieldwise/issues',
  keywords: [
    'kubernetes',
    'infrastructure-as-code',
    'server-side-apply',
    'managed-fields',
    'field-manager',
    'cdk8s',
    'constructs',
    'typescript',
    'gitops',
    'crd',
  ],
  defaultReleaseBranch: 'main',
  packageManager: javascript.NodePackageManager.NPM,
  minNodeVersion: '20.0.0',
  projenVersion: '0.103.25',
  typescriptVersion: '6.0.3',
  projenrcTs: true,
  projenrcTsOptions: { filename: 'projenrc.ts', runner: typescript.TypeScriptRunner.tsx() },
  entrypoint: 'lib/src/entry/index.js',
  entrypointTypes: 'lib/src/entry/index.d.ts',
  libdir: 'lib',
  artifactsDirectory: 'artifacts',
  tsconfig: {
    compilerOptions: {
      ...strict,
      rootDir: '.',
      outDir: 'lib',
      declaration: true,
      inlineSourceMap: false,
      inlineSources: false,
      sourceMap: false,
      experimentalDecorators: false,
      incremental: true,
      tsBuildInfoFile: 'lib/.tsbuildinfo',
    },
    include: ['src/**/*.ts', 'codegen/**/*.ts', 'generated/**/*.ts'],
    // The scripts of pages have another tsconfig.json, with the types of a browser.
    exclude: ['**/*.test.ts', 'src/cli/html/browser'],
  },
  disableTsconfigDev: true,
  eslint: false,
  jest: false,
  prettier: false,
  sampleCode: false,
  docgen: false,
  github: false,
  buildWorkflow: false,
  release: false,
  depsUpgrade: false,
  package: false,
  licensed: true,
  npmignoreEnabled: false,
  bin: { fieldwise: 'lib/src/cli/main.cjs', 'kubectl-fieldwise': 'lib/src/cli/kubectl-plugin.cjs' },
  deps: [
    'commander@14.0.3',
    'diff@9.0.0',
    'jiti@2.7.0',
    'inflection@3.0.2',
    'js-yaml@4.3.2',
    'json-schema-to-typescript@16.0.0',
    'picocolors@1.1.1',
    'protobufjs@8.8.1',
    're2js@2.10.0',
    'ts-morph@28.0.0',
    'valibot@1.5.0',
    'ws@8.23.0',
    'yaml@2.9.1',
  ],
  // vitest, and jest's `expect` for its types: only programs that import `fieldwise/testing/vitest` or `/jest` need them.
  peerDeps: ['cdk8s@^2.70.0', 'constructs@^10.4.0', 'expect@>=27', 'vitest@>=1'],
  peerDependencyOptions: { pinnedDevDependency: false },
  devDeps: [
    '@arethetypeswrong/cli@0.18.5',
    '@biomejs/biome@2.5.15',
    '@kubernetes/client-node@1.4.0', // its reader of kubeconfigs is bundled
    '@microsoft/api-extractor@7.60.1',
    '@types/js-yaml@4.0.9',
    '@types/markdown-it@14.2.0',
    '@types/node@20.19.43',
    '@types/ws@8.18.1',
    '@typescript/native@npm:typescript@7.0.2', // compiles; what uses the compiler as a library needs version 6 (docs/decisions/77)
    '@valibot/to-json-schema@1.5.0',
    'ajv@8.20.0',
    'axe-core@4.10.3', // checks the pages in the format html in a browser
    'cdk8s@2.70.106',
    'cdk8s-plus-33@2.5.57',
    'constructs@10.8.1',
    'esbuild@0.28.2', // bundles programs of tests, as users bundle theirs
    'expect@30.5.2',
    'fast-check@4.10.2',
    'markdown-it@14.3.3',
    'playwright-core@1.65.1',
    'publint@0.3.25',
    'recheck@4.5.0',
    'rolldown@1.2.19',
    'socks@2.8.10', // bundled
    'ts-json-schema-generator@2.4.0', // the newest that runs on Node 20
    'tsx@4.23.15',
    'typedoc@0.28.20',
    'vitepress@1.6.4',
    'vitest@4.1.12',
  ],
  gitignore: [
    '/lib/',
    '/dist/',
    '.fieldwise/',
    'dist/',
    'node_modules',
    '*.tsbuildinfo',
    '/test/real-apiserver/bin/',
    '/docs/.vitepress/cache/',
  ],
});

project.package.addField('type', 'module');
project.package.addField('sideEffects', ['./lib/src/testing/jest.js', './lib/src/testing/vitest.js']);
project.package.addField('peerDependenciesMeta', { expect: { optional: true }, vitest: { optional: true } });
/** The modules of the package by the names that programs import, with the places in `lib`. */
const modules = {
  '.': 'src/entry/index',
  './builders': 'src/builders/index',
  './controller': 'src/entry/controller',
  './deploy': 'src/entry/deploy',
  './embedded': 'src/entry/embedded',
  './k8s/*': 'generated/*',
  './rules': 'src/entry/rules',
  './ssa': 'src/entry/ssa',
  './testing': 'src/testing/index',
  './testing/jest': 'src/testing/jest',
};

/** Those that only ES modules import: the generator, and what vitest loads, which is an ES module itself. */
const esModules = { './codegen': 'codegen/index', './testing/vitest': 'src/testing/vitest' };

// A Node that can `require` an ES module does, so that a process has one copy; `require` is for jest, older Nodes and bundlers.
project.package.addField('exports', {
  ...Object.fromEntries(
    Object.entries(modules).map(([name, place]) => [
      name,
      { 'module-sync': `./lib/${place}.js`, require: `./lib/${place}.cjs`, default: `./lib/${place}.js` },
    ]),
  ),
  ...Object.fromEntries(Object.entries(esModules).map(([name, place]) => [name, `./lib/${place}.js`])),
  './package.json': './package.json',
});
// For compilers that do not read `exports`: those with the module resolution node10, which CommonJS projects of cdk8s have.
project.package.addField('typesVersions', {
  '*': Object.fromEntries(
    Object.entries({ ...modules, ...esModules })
      .map(([name, place]) => [name.slice(2), [`./lib/${place}.d.ts`]])
      .filter(([name]) => name !== ''),
  ),
});
project.package.addField('files', [
  'lib',
  '!lib/.tsbuildinfo',
  '!lib/**/*.map',
  // Scripts of the repository, which are compiled with the rest.
  '!lib/codegen/bundle.*',
  '!lib/codegen/generate.*',
  '!lib/codegen/openapi-source.*',
  '!lib/codegen/generate-protobuf.*',
  'docs',
  // The site that is built of them is not for readers of the package.
  '!docs/.vitepress',
  'schema',
  // The files that `fieldwise init` copies, and the template of GitLab.
  'templates',
  // The action of GitHub, which workflows use as ./node_modules/fieldwise.
  'action.yml',
  // What a reader of the documents is led to: the programs, without what tells their stories in this repository.
  'examples',
  '!examples/*.ts',
  '!examples/**/story.ts',
  '!examples/**/dist',
  '!examples/**/.dist*',
  'AGENTS.md',
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
]);

// Plain npm scripts: nobody needs projen to work on the project, only to change this file.
const manifest = project.tryFindObjectFile('package.json');
for (const task of project.tasks.all) manifest?.addDeletionOverride(`scripts.${task.name}`);
project.tryRemoveFile('projenrc/tsconfig.json');
// tsc makes declarations and plain modules; then what is loaded at every start is bundled.
const build = 'node node_modules/@typescript/native/bin/tsc -p tsconfig.json && tsx codegen/bundle.ts';
const scripts: Record<string, string> = {
  build,
  projen: 'projen',
  // The package has this script, too, and not the file: npm runs it in a directory that is installed.
  prepare: `node -e "import('./.ci/hooks/install.mjs').catch(() => undefined)"`,
  test: `npm run --silent build && vitest run --config test/vitest.config.ts --project unit --project embedded --project apiserver`,
  'test:unit': `npm run --silent build && vitest run --config test/vitest.config.ts --project unit`,
  'test:cluster': `npm run --silent build && vitest run --config test/vitest.config.ts --project cluster`,
  quickstart: `npm run --silent build && tsx examples/quickstart.ts`,
  example: `npm run --silent build && tsx examples/run.ts`,
  bench: `npm run --silent build && tsx test/bench/main.ts`,
  // All that runs longer than tests: the table in test/campaigns/table.ts.
  campaign: 'tsx test/campaigns/main.ts',
  generate: `npm run --silent build && tsx codegen/generate.ts`,
  'generate:protobuf': 'tsx codegen/generate-protobuf.ts',
  check: 'tsx test/checks/main.ts',
  api: 'npm run --silent build && tsx test/checks/write-api-reports.ts',
  docs: 'tsx test/site/build-site.ts',
  'docs:dev': 'vitepress dev docs',
  'docs:tables': 'tsx test/checks/write-docs-tables.ts',
  'json-schemas': 'tsx test/checks/write-json-schemas.ts',
  format: 'biome check --write .',
};
for (const [name, command] of Object.entries(scripts)) manifest?.addOverride(`scripts.${name}`, command);

// Everything that is not shipped is type-checked against the built package, as a user would see it.
new JsonFile(project, 'test/tsconfig.json', {
  obj: {
    compilerOptions: { ...strict, noEmit: true, rootDir: '..' },
    include: ['**/*.ts', '../examples/**/*.ts', '../templates/**/*.ts', '../docs/.vitepress/*.ts', '../projenrc.ts'],
  },
});

new JsonFile(project, 'src/cli/html/browser/tsconfig.json', {
  obj: {
    compilerOptions: { ...strict, lib: ['ES2023', 'DOM', 'DOM.Iterable'], types: [], noEmit: true },
    include: ['**/*.ts'],
  },
});

project.synth();
