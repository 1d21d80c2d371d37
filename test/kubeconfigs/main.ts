import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { load } from 'js-yaml';
import { cacheDirectory, findOnPath } from '../harness/binaries.js';
import { commandLine } from '../harness/fieldwise.js';
import { readCount, readFlags } from '../harness/script-flags.js';
import { cases } from './cases.js';
import { commands } from './commands.js';
import type { KubeconfigCase } from './kubeconfig-case.js';
import { trusted } from './parts.js';
import { type Log, startWorld, type World } from './world.js';

const usage = `Usage: npm run campaign -- kubeconfigs [--only NAME] [--sample N] [--show]
Sends each kubeconfig of a table through kubectl and through Fieldwise, against servers, proxies and an issuer of tokens on loopback. Fails if
their verdicts differ without a reason, if a server sees other credentials, or if the message of Fieldwise is another. --sample takes each Nth.`;
const { values } = readFlags(usage, {
  options: { only: { type: 'string' }, sample: { type: 'string', default: '1' }, show: { type: 'boolean', default: false } },
});

/** One command on one kubeconfig. */
interface Run {
  readonly code: number;
  readonly output: string;
  readonly log: Log;
  /** The values of KUBERNETES_EXEC_INFO. */
  readonly execInfo: readonly unknown[];
  /** The kubeconfig afterwards: refreshed tokens are written to it. */
  readonly config: unknown;
}

const kubectl = [join(cacheDirectory(process.env), 'kubectl')].find((file) => existsSync(file)) ?? findOnPath('kubectl', process.env);

async function main(): Promise<void> {
  if (kubectl === undefined) throw new Error('No kubectl. Install it, or let `npm run test:cluster` build one with the API server.');
  const sample = Math.max(1, readCount(usage, 'sample', values.sample));
  const wanted = cases.filter(({ name }, index) => (values.only === undefined ? index % sample === 0 : name === values.only));
  const directory = mkdtempSync(join(tmpdir(), 'fieldwise-kubeconfigs-'));
  const bin = join(directory, 'bin');
  writeFiles(bin, commands);
  const world = await startWorld();
  let failed = 0;
  try {
    for (const [index, one] of wanted.entries()) {
      const problems = await tryCase(world, one, join(directory, String(index)), bin);
      if (problems.length > 0) failed += 1;
      for (const problem of problems) print(`FAILED ${one.name}: ${problem}`);
      if (one.unlike !== undefined && problems.length === 0) print(`differs: ${one.name}: ${one.unlike}`);
    }
  } finally {
    await world.stop();
    rmSync(directory, { recursive: true, force: true });
  }
  print(`${wanted.length - failed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

async function tryCase(world: World, one: KubeconfigCase, directory: string, bin: string): Promise<string[]> {
  const runOf = async (name: string, command: string, args: readonly string[]) => {
    const place = join(directory, name);
    prepare(world, one, place);
    return run(world, one, place, bin, command, args);
  };
  const theirs = await runOf('kubectl', kubectl as string, ['get', '--raw', '/api/v1/namespaces', '--request-timeout=20s']);
  const ours = await runOf('fieldwise', process.execPath, [commandLine, 'list']);
  if (values.show)
    print(
      `${one.name}\n  kubectl ${theirs.code}: ${theirs.output.slice(0, 600)}\n  fieldwise ${ours.code}: ${ours.output}\n  ${ours.log.join('\n  ')}`,
    );
  return [...verdictProblems(one, theirs, ours), ...logProblems(one, 'kubectl', theirs), ...logProblems(one, 'Fieldwise', ours)];
}

function verdictProblems(one: KubeconfigCase, theirs: Run, ours: Run): string[] {
  const problems: string[] = [];
  const works = ours.code === 0;
  if (works !== one.works) problems.push(`Fieldwise ${works ? 'works' : 'does not'}: ${ours.output}`);
  if ((theirs.code === 0) !== (one.unlike === undefined ? one.works : !one.works)) {
    problems.push(`kubectl ${theirs.code === 0 ? 'works' : 'does not'}: ${theirs.output}`);
  }
  const message = ours.output.replaceAll(/\s+/g, ' ');
  if (!one.works && !(one.message?.test(message) ?? false)) problems.push(`the message is ${message}`);
  if (/secret-token/.test(ours.output)) problems.push(`the message contains a credential: ${message}`);
  const credentials = (log: Log) => [...new Set(log.filter((line) => line.startsWith('api ')))].sort();
  if (one.works && one.unlike === undefined && !isDeepStrictEqual(credentials(theirs.log), credentials(ours.log))) {
    problems.push(`the server sees ${credentials(theirs.log)} of kubectl and ${credentials(ours.log)} of Fieldwise`);
  }
  if (one.works && one.unlike === undefined && !isDeepStrictEqual(theirs.execInfo[0], ours.execInfo[0])) {
    problems.push(`KUBERNETES_EXEC_INFO is ${JSON.stringify(theirs.execInfo[0])} and ${JSON.stringify(ours.execInfo[0])}`);
  }
  const usersOf = ({ config }: Run) => (config as { readonly users?: unknown } | undefined)?.users;
  if (one.works && !isDeepStrictEqual(usersOf(theirs), usersOf(ours))) {
    problems.push(
      `the kubeconfig has the users ${JSON.stringify(usersOf(theirs))} after kubectl, ${JSON.stringify(usersOf(ours))} after Fieldwise`,
    );
  }
  return problems;
}

function logProblems(one: KubeconfigCase, who: string, { log }: Run): string[] {
  if (one.unlike !== undefined && who === 'kubectl') return [];
  const missing = (one.seen ?? []).filter((expected) => !log.some((line) => expected.test(line)));
  const unwanted = log.filter((line) => one.unseen?.test(line));
  return [
    ...missing.map((expected) => `nothing like ${expected} is seen of ${who}: ${log.join('; ') || 'nothing'}`),
    ...unwanted.map((line) => `${line} is seen of ${who}`),
  ];
}

/** Both find the same files in the same state, because some are changed. */
function prepare(world: World, one: KubeconfigCase, place: string): void {
  writeFiles(place, { ...one.files?.(world) });
  mkdirSync(join(place, 'home'), { recursive: true });
  if (one.kubeconfig !== undefined) return;
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: (one.cluster ?? trusted)(world) }],
    users: [{ name: 'c', user: one.user?.(world) ?? { token: 'of-kubeconfig' } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'c' } }],
    'current-context': 'c',
  };
  writeFileSync(join(place, 'config'), one.text?.(world) ?? JSON.stringify(config));
}

function run(world: World, one: KubeconfigCase, place: string, bin: string, command: string, args: readonly string[]): Promise<Run> {
  const log = join(place, 'exec.log');
  const files = one.kubeconfig?.map((file) => join(place, file)).join(delimiter);
  const environment = {
    PATH: `${bin}${delimiter}/usr/bin${delimiter}/bin`,
    HOME: join(place, 'home'),
    EXEC_LOG: log,
    NO_COLOR: '1',
    ...one.environment?.(world),
    ...(files === undefined ? {} : { KUBECONFIG: files }),
  };
  const flags = files === undefined ? ['--kubeconfig', join(place, 'config')] : [];
  world.takeLog();
  const child = spawn(command, [...args, ...flags], { cwd: place, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      const execInfo = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').map(parsed) : [];
      const file = join(place, 'config');
      const config = one.text === undefined && existsSync(file) ? load(readFileSync(file, 'utf8')) : undefined;
      resolve({ code: code ?? -1, output: output.trim(), log: world.takeLog(), execInfo, config });
    });
  });
}

/** The ports differ by nothing, and the order of members does not count. */
function parsed(line: string): unknown {
  return line === '' ? undefined : JSON.parse(line);
}

function writeFiles(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    const file = join(directory, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content, { mode: content.startsWith('#!') ? 0o755 : 0o600 });
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

await main();
