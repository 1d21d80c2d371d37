import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
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

/** The tests that talk to an API server: one source, run on the embedded server and on a real one. */
const onServer = {
  include: ['test/cluster/**/*.test.ts'],
  // A test may start the command line several times, and each start costs about half a second on a busy machine.
  testTimeout: 120_000,
  hookTimeout: 120_000,
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

/**
 * FIELDWISE_TEST_TURN=0 or 1 runs each of these files on one of the two servers, and the other turn on the other one; without it, `embedded` and
 * `cluster` run all. Decision 76.
 */
const turn = process.env.FIELDWISE_TEST_TURN ?? '';
if (!['', '0', '1'].includes(turn)) throw new Error(`FIELDWISE_TEST_TURN is ${turn}: 0 or 1, or not set`);

/** The files that a project leaves to the other one in this turn. */
function leftOut(project: 'embedded' | 'cluster'): string[] {
  if (turn === '') return [];
  const files = readdirSync(join(root, 'test/cluster'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.test.ts'));
  return files
    .map((name) => `test/cluster/${name}`)
    .filter((file) => !ofOthers.includes(file) && (turnOf(file) === Number(turn)) === (project === 'embedded'));
}

/** Is that of a file whatever others there are. */
function turnOf(file: string): number {
  return (createHash('sha256').update(file).digest()[0] ?? 0) % 2;
}

export default defineConfig({
  root,
  test: {
    sequence: { sequencer: ProjectAfterProject },
    projects: [
      {
        root,
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts', 'examples/**/*.test.ts', 'test/harness/*.test.ts', 'test/checks/*.test.ts'],
          // Several workers share a core, and other work its machine.
          testTimeout: 60_000,
          hookTimeout: 60_000,
          isolate: false,
          server,
          maxWorkers,
        },
      },
      {
        root,
        test: {
          ...onServer,
          name: 'embedded',
          exclude: leftOut('embedded'),
          maxWorkers,
          globalSetup: ['test/harness/embedded-setup.ts'],
        },
      },
      {
        root,
        test: {
          ...onServer,
          name: 'cluster',
          exclude: [...ofOthers, ...leftOut('cluster')],
          maxWorkers: maxWorkersBesideServer,
          globalSetup: ['test/harness/global-setup.ts'],
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
