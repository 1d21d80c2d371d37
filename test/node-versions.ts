import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cacheDirectory } from './harness/binaries.js';

const usage = `Usage: npm run campaign -- node-versions [--node VERSION]… [FILE|DIR…]
Runs the quickstart and the unit tests (all, or those of the files and directories) on other versions of Node, by default VERSIONS.
The versions are installed from the npm package node into the cache, ~/.cache/fieldwise/node.`;

/** The newest patch releases of the supported lines when this was written; CI on GitHub takes the newest of the day. */
const versions = ['22.23.3', '24.21.0'];

const root = fileURLToPath(new URL('..', import.meta.url));
const { chosen, filters } = readFlags();

let [passed, failed] = [0, 0];
for (const version of chosen) {
  const directory = install(version);
  const environment = { ...process.env, PATH: [directory, process.env.PATH].join(delimiter) };
  count(`Node ${version}: version`, run('node', ['--eval', `if (process.versions.node !== '${version}') process.exit(1)`], environment));
  count(`Node ${version}: quickstart`, run('node', ['--import', 'tsx', 'examples/quickstart.ts'], environment));
  const words = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', '--project', 'unit', '--reporter', 'dot'];
  count(`Node ${version}: unit tests`, run('node', [...words, ...filters], environment));
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 ? 1 : 0;

function readFlags() {
  const text = usage.replace('VERSIONS', versions.join(' and '));
  try {
    const { values, positionals } = parseArgs({
      options: { node: { type: 'string', multiple: true }, help: { type: 'boolean' } },
      allowPositionals: true,
    });
    if (values.help !== true) return { chosen: values.node ?? versions, filters: positionals };
    process.stdout.write(`${text}\n`);
    return process.exit(0);
  } catch (error) {
    console.error(`${(error as Error).message}\n${text}`);
    return process.exit(2);
  }
}

/** The directory of the executable. */
function install(version: string): string {
  const directory = join(cacheDirectory(process.env), '../../node', version);
  const binaries = join(directory, 'node_modules/node/bin');
  if (existsSync(join(binaries, 'node'))) return binaries;
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'package.json'), '{}\n');
  const words = ['install', '--no-audit', '--no-fund', '--no-save', '--loglevel=error', `node@${version}`];
  if (run('npm', words, process.env, directory) !== 0) throw new Error(`npm could not install node@${version}.`);
  return binaries;
}

function run(file: string, words: readonly string[], environment: NodeJS.ProcessEnv, cwd = root): number {
  return spawnSync(file, words, { cwd, env: environment, stdio: 'inherit' }).status ?? 1;
}

function count(name: string, code: number): void {
  if (code === 0) passed += 1;
  else failed += 1;
  process.stdout.write(`${code === 0 ? 'ok    ' : 'FAILED'} ${name}\n`);
}
