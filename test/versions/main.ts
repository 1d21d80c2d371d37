import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TestCluster } from '../harness/cluster.js';
import { endWithUsage, readCount, readFlags } from '../harness/script-flags.js';
import { startEmbedded, startServer } from '../harness/server.js';
import { Life } from './life.js';

const usage = `Usage: npm run campaign -- versions [--lives 20] [--seed 1] [--old COMMIT] [--server real]
Deploys one stack by the command line of this checkout and by that of an earlier commit, in turns and at once, while somebody else has a field of the
object. After each step the declared values are there and the field of the other stays; runs at once never mix two programs.`;
const { values } = readFlags(usage, {
  options: {
    lives: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    old: { type: 'string' },
    server: { type: 'string' },
  },
});
const lives = readCount(usage, 'lives', values.lives);
const seed = readCount(usage, 'seed', values.seed);
if (values.server !== undefined && values.server !== 'real' && values.server !== 'embedded')
  endWithUsage(usage, `There is no server ${values.server}`);
/** The last commit before records had a format. */
const commit = values.old ?? '7ae9f9eb';
const checkout = fileURLToPath(new URL('../..', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'fieldwise-versions-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));

const old = join(directory, 'old');
const oldCommandLine = join(old, 'lib/src/cli/main.cjs');
if (!builtOld()) {
  console.log(`skipped: commit ${commit} is not in this clone, or does not build, so there is no earlier command line`);
  console.log('0 passed, 0 failed');
  process.exit(0);
}
const server = values.server === 'real' ? await startServer() : await startEmbedded();
const cluster = new TestCluster(server.kubeconfig);
let failed = 0;
try {
  console.log(`seed ${seed}, earlier command line of ${commit}`);
  for (let life = 1; life <= lives; life++) {
    const problems = await new Life(`versions-${seed}-${life}`, seed * 1000 + life, cluster, oldCommandLine, directory)
      .run()
      .catch((error: unknown) => [String((error as Error).stack ?? error)]);
    if (problems.length > 0) failed += 1;
    for (const problem of problems.slice(0, 5)) console.log(`FAILED life ${life} (seed ${seed}): ${problem.slice(0, 1500)}`);
  }
} finally {
  cluster.client.close();
  await server.stop();
}
console.log(`${lives - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

function builtOld(): boolean {
  try {
    const run = (command: string, args: readonly string[], cwd: string) =>
      execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'ignore'] });
    run('git', ['clone', '--quiet', '--shared', '--no-checkout', checkout, old], directory);
    run('git', ['checkout', '--quiet', commit], old);
    symlinkSync(join(checkout, 'node_modules'), join(old, 'node_modules'));
    run('npm', ['run', '--silent', 'build'], old);
    return existsSync(oldCommandLine);
  } catch {
    return false;
  }
}
