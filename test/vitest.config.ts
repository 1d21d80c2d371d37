import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { memoryDirectory } from './harness/memory-directory.js';

const root = fileURLToPath(new URL('..', import.meta.url));

// The tests make and remove thousands of small directories, five times faster in memory.
const inMemory = memoryDirectory();
if (inMemory !== undefined) process.env.TMPDIR = inMemory;

/** More than there are cores: many tests wait, for seconds, locks and readiness. */
const maxWorkers = 6;
/** A real API server and its etcd use the same cores. */
const maxWorkersBesideServer = 4;

/**
 * Project after project. A worker takes the next file only of its own project, and ends otherwise: mixed, most files would begin in a
 * worker that has loaded nothing yet.
 */
class ProjectAfterProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // The tests that wait begin, and leave no core idle at the end.
    return sorted.sort((one, other) => one.project.name.localeCompare(other.project.name));
  }
}

/** Node loads the built package itself: vite would transform it for each worker. */
const server = { deps: { external: [new RegExp(`^(file://)?${root}lib/`)] } };

/**
 * Modules that the build replaces by bundles: loaded from `lib` beside the modules that they contain, they would be second copies of these. Of
 * them, the sources are loaded, and what they import from `lib`.
 */
const bundled = [
  'src/builders/index.ts',
  'src/entry/index.ts',
  'src/kubernetes/kubeconfig/kube-config.ts',
  'src/kubernetes/kubeconfig/socks.ts',
];

/** Each build writes this file. */
const ended = join(root, 'lib/generated/tables.json');
const timeOfBuild = existsSync(ended) ? statSync(ended).mtimeMs : 0;

/** Loads what tests import of the sources from `lib`, as Node loads it: vite would transform 1,300 modules, and each worker read them. */
const builtModules: Plugin = {
  name: 'built modules',
  enforce: 'pre',
  async resolveId(name, importer, options) {
    if (!name.startsWith('.') || importer === undefined) return undefined;
    const found = await this.resolve(name, importer, { ...options, skipSelf: true });
    const source = found?.id.startsWith(root) ? found.id.slice(root.length) : '';
    if (!/^(?:src|codegen|generated)\/.*\.ts$/.test(source) || bundled.includes(source)) return found;
    const built = join(root, 'lib', source.replace(/\.ts$/, '.js'));
    if (!existsSync(built)) return found;
    if (statSync(join(root, source)).mtimeMs > timeOfBuild) throw new Error(`${source} is newer than the build: run npm run build`);
    return built;
  },
};

/** The tests that talk to an API server: one source, run on the embedded server and on a real one. */
const onServer = {
  // A limit is there for what hangs. A test may start the command line several times, and a busy machine is many times slower than a quiet one.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  // A worker keeps what it has loaded for the next file.
  isolate: false,
  // What a program prints goes through the process, as it does where the command line is a process.
  disableConsoleIntercept: true,
  server,
};

/** Others give the answers that these are about, a proxy or an API of comments: a real API server behind them would test nothing more. */
const ofOthers = [
  'test/cluster/malformed-responses.test.ts',
  'test/cluster/controller-malformed-responses.test.ts',
  'test/cluster/pull-request.test.ts',
];

export default defineConfig({
  root,
  test: {
    sequence: { sequencer: ProjectAfterProject },
    projects: [
      {
        root,
        plugins: [builtModules],
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts', 'examples/**/*.test.ts', 'test/harness/*.test.ts', 'test/checks/*.test.ts'],
          // Several workers share a core, and other work its machine.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          isolate: false,
          server,
          maxWorkers,
        },
      },
      {
        root,
        plugins: [builtModules],
        test: {
          ...onServer,
          name: 'embedded',
          include: ['test/cluster/**/*.test.ts'],
          maxWorkers,
          globalSetup: ['test/harness/embedded-setup.ts'],
        },
      },
      {
        root,
        plugins: [builtModules],
        test: {
          ...onServer,
          name: 'apiserver',
          include: ['test/apiserver/**/*.test.ts'],
          maxWorkers,
          globalSetup: ['test/harness/embedded-setup.ts'],
        },
      },
      {
        root,
        plugins: [builtModules],
        test: {
          ...onServer,
          name: 'cluster',
          include: ['test/cluster/**/*.test.ts', 'test/apiserver/requests/**/*.test.ts'],
          exclude: ofOthers,
          maxWorkers: maxWorkersBesideServer,
          globalSetup: ['test/harness/global-setup.ts'],
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
