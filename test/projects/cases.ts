import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Count } from './count.js';
import { npm, type ProjectCase, writeFiles } from './project-case.js';

/** `cdk8s init typescript-app`, by the newest cdk8s-cli. */
const cdk8sApp: ProjectCase = {
  name: 'cdk8s-app',
  create: (directory, count) => {
    const tools = `${directory}-tools`;
    mkdirSync(tools);
    writeFileSync(join(tools, 'package.json'), '{ "private": true }\n');
    if (!count.run({ name: 'cdk8s-app: install cdk8s-cli', directory: tools, words: npm('install', 'cdk8s-cli') })) return false;
    const words = [join(tools, 'node_modules/.bin/cdk8s'), 'init', 'typescript-app'];
    return count.run({ name: 'cdk8s-app: cdk8s init typescript-app', directory, words, environment: withoutImport(tools) });
  },
  install: (tarball) => npm('install', tarball),
  place: '.',
  program: 'main.ts',
  tests: '.',
  scripts: { compile: npm('run', 'compile'), test: npm('test'), synth: npm('run', 'synth'), build: npm('run', 'build') },
  test: npm('test', '--', '-u'),
};

/** cdk8s init fetches the API of Kubernetes from elsewhere than the registry: an npm that leaves out this one script stands in its way. */
function withoutImport(tools: string): Record<string, string> {
  const bin = join(tools, 'shim');
  mkdirSync(bin);
  const real = execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim();
  writeFileSync(join(bin, 'npm'), `#!/bin/sh\n[ "$1 $2" = 'run import' ] && exit 0\nexec '${real}' "$@"\n`);
  chmodSync(join(bin, 'npm'), 0o755);
  return { PATH: [bin, process.env.PATH].join(delimiter), CDK8S_CHECK_UPGRADE: 'false' };
}

/** `projen new cdk8s-app-ts`, by the projen of this checkout. */
const projenApp: ProjectCase = {
  name: 'projen-app',
  create: (directory, count) => {
    const projen = join(import.meta.dirname, '../../node_modules/.bin/projen');
    const words = [projen, 'new', 'cdk8s-app-ts', '--name', 'projen-app', '--package-manager', 'npm', '--no-git', '--no-post'];
    if (!count.run({ name: 'projen-app: projen new cdk8s-app-ts', directory, words })) return false;
    return count.run({ name: 'projen-app: npm install', directory, words: npm('install') });
  },
  install: (tarball) => npm('install', tarball),
  place: '.',
  program: 'src/main.ts',
  tests: 'test',
  scripts: { compile: npm('run', 'compile'), test: npm('test'), synth: npm('run', 'synth') },
  test: npm('test'),
};

const strict = {
  target: 'es2020',
  module: 'commonjs',
  moduleResolution: 'node10',
  ignoreDeprecations: '5.0',
  strict: true,
  declaration: true,
};

/** The pnpm of the tools beside the project, from the directory of a package. */
const pnpm = ['node', '../../../pnpm-workspace-tools/node_modules/pnpm/bin/pnpm.cjs'];

/** A library of charts and a program that uses it, both CommonJS, in the strict layout of pnpm. */
const pnpmWorkspace: ProjectCase = {
  name: 'pnpm-workspace',
  create: (directory, count) => {
    const tools = `${directory}-tools`;
    mkdirSync(tools);
    writeFileSync(join(tools, 'package.json'), '{ "private": true }\n');
    if (!count.run({ name: 'pnpm-workspace: install pnpm', directory: tools, words: npm('install', 'pnpm@10') })) return false;
    writeFiles(directory, workspaceFiles);
    return installByPnpm(directory, count);
  },
  install: (tarball) => [...pnpm, 'add', '--config.minimum-release-age=0', tarball],
  place: 'packages/program',
  program: 'src/main.ts',
  tests: 'src',
  scripts: { compile: [...pnpm, 'run', 'compile'], test: [...pnpm, 'test'], synth: [...pnpm, 'run', 'synth'] },
  test: [...pnpm, 'test'],
};

function installByPnpm(directory: string, count: Count): boolean {
  const words = [...pnpm, 'install', '--no-frozen-lockfile'];
  const place = join(directory, 'packages/program');
  if (!count.run({ name: 'pnpm-workspace: pnpm install', directory: place, words })) return false;
  return count.run({
    name: 'pnpm-workspace: compile the library',
    directory: place,
    words: [...pnpm, '--filter', 'charts', 'run', 'compile'],
  });
}

const jest = { testMatch: ['**/*.test.ts'], transform: { '^.+\\.tsx?$': 'ts-jest' } };
const tools = { '@types/jest': '^29', '@types/node': '^20', jest: '^29', 'ts-jest': '^29', typescript: '5.9.x' };
const peers = { cdk8s: '^2.70.0', constructs: '^10.4.0' };

const workspaceFiles: Readonly<Record<string, string>> = {
  '.gitignore': 'node_modules\ndist\nlib\n',
  'package.json': '{ "private": true }\n',
  'pnpm-workspace.yaml': 'packages:\n  - packages/*\n',
  'packages/charts/package.json': JSON.stringify({
    name: 'charts',
    version: '1.0.0',
    main: 'lib/index.js',
    types: 'lib/index.d.ts',
    scripts: { compile: 'tsc' },
    peerDependencies: peers,
    devDependencies: { ...peers, ...tools },
  }),
  'packages/charts/tsconfig.json': JSON.stringify({ compilerOptions: { ...strict, outDir: 'lib', rootDir: 'src' }, include: ['src'] }),
  'packages/charts/src/index.ts': `import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';

export class Settings extends Construct {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new ApiObject(this, 'settings', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'frontend' } });
  }
}
`,
  'packages/program/package.json': JSON.stringify({
    name: 'program',
    private: true,
    scripts: { compile: 'tsc', test: 'jest', synth: 'node lib/main.js' },
    dependencies: { ...peers, charts: 'workspace:*' },
    devDependencies: tools,
  }),
  'packages/program/cdk8s.yaml': 'language: typescript\napp: node lib/main.js\n',
  'packages/program/jest.config.js': `module.exports = ${JSON.stringify({ ...jest, roots: ['<rootDir>/src'] })};\n`,
  'packages/program/tsconfig.json': JSON.stringify({ compilerOptions: { ...strict, outDir: 'lib', rootDir: 'src' }, include: ['src'] }),
  'packages/program/src/main.ts': `import { App, Chart, ChartProps } from 'cdk8s';
import { Settings } from 'charts';
import { Construct } from 'constructs';

export class MyChart extends Chart {
  constructor(scope: Construct, id: string, props: ChartProps = {}) {
    super(scope, id, props);
    new Settings(this, 'settings');
  }
}

const app = new App();
new MyChart(app, 'program');
app.synth();
`,
  'packages/program/src/main.test.ts': `import { Testing } from 'cdk8s';
import { MyChart } from './main';

test('it has settings', () => {
  expect(Testing.synth(new MyChart(Testing.app(), 'test')).length).toBeGreaterThan(0);
});
`,
};

export const cases: readonly ProjectCase[] = [cdk8sApp, projenApp, pnpmWorkspace];
