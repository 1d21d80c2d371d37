import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { diffLines } from 'diff';
import { readCount, readFlags } from '../harness/script-flags.js';
import { startEmbedded, startServer, type TestServer } from '../harness/server.js';
import { knownDifferences } from './known-differences.js';
import { type KubectlServer, runScenario } from './run-scenario.js';
import { type KubectlResult, type KubectlScenario, stepOf } from './scenario.js';
import { scenarios } from './table/index.js';

const usage = `Usage: npm run campaign -- kubectl [--only SCENARIO] [--sample N] [--show]
Runs a table of kubectl commands on a real API server and on the embedded one, and prints every difference. Fails for a difference that
known-differences.ts does not list with its reason, and for a listed one that has gone. --sample takes each Nth scenario.
--show prints what the commands printed.`;
const { values } = readFlags(usage, {
  options: { only: { type: 'string' }, sample: { type: 'string', default: '1' }, show: { type: 'boolean', default: false } },
});

const sample = Math.max(1, readCount(usage, 'sample', values.sample));

/** Scenarios that run on one server at the same time. */
const lanes = 4;

interface Comparison {
  /** The scenario and the command. */
  readonly title: string;
  readonly real: KubectlResult;
  readonly embedded: KubectlResult;
}

async function main(): Promise<void> {
  const chosen = scenarios.filter(({ name }) => values.only === undefined || name === values.only);
  const wanted = chosen.filter(({ first }, index) => first || index % sample === 0);
  const directory = mkdtempSync(join(tmpdir(), 'fieldwise-kubectl-'));
  const [real, embedded] = await Promise.all([startServer(), startEmbedded()]);
  try {
    const outputs = await Promise.all([runAll(real, 'real', directory, wanted), runAll(embedded, 'embedded', directory, wanted)]);
    report(wanted.flatMap((scenario) => comparisonsOf(scenario, outputs)));
  } finally {
    await Promise.all([real.stop(), embedded.stop()]);
    rmSync(directory, { recursive: true, force: true });
  }
}

async function runAll(server: TestServer, name: string, parent: string, wanted: readonly KubectlScenario[]) {
  if (server.kubectl === undefined) throw new Error('No kubectl. Install it, or let `npm run test:cluster` build one with the API server.');
  const directory = join(parent, name);
  mkdirSync(directory);
  const place: KubectlServer = { name, kubeconfig: server.kubeconfig, kubectl: server.kubectl, directory };
  const results = new Map<KubectlScenario, KubectlResult[]>();
  const run = async (scenario: KubectlScenario) => results.set(scenario, await runScenario(place, scenario));
  for (const scenario of wanted.filter(({ first }) => first)) await run(scenario);
  const waiting = wanted.filter(({ first }) => !first);
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await run(next);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}

type Outputs = ReadonlyMap<KubectlScenario, readonly KubectlResult[]>;

function comparisonsOf(scenario: KubectlScenario, [real, embedded]: readonly [Outputs, Outputs]): Comparison[] {
  return scenario.steps.map(stepOf).map(({ run }, index) => ({
    title: `${scenario.name}: ${run}`,
    real: real.get(scenario)![index]!,
    embedded: embedded.get(scenario)![index]!,
  }));
}

function report(comparisons: readonly Comparison[]): void {
  const reasons = new Map(knownDifferences.flatMap(({ reason, commands }) => commands.map((command) => [command, reason] as const)));
  const different = new Set<string>();
  const counts = { same: 0, listed: 0, failed: 0 };
  for (const { title, real, embedded } of comparisons) {
    const [one, other] = [textOf(real), textOf(embedded)];
    const reason = reasons.get(title);
    if (one === other) {
      counts.same += 1;
      if (values.show) print(`same: ${title}\n${one}`);
      continue;
    }
    different.add(title);
    counts[reason === undefined ? 'failed' : 'listed'] += 1;
    print(reason === undefined ? `DIFFERS: ${title}` : `differs: ${title}: ${reason}`);
    if (reason === undefined || values.show) print(changesOf(one, other));
  }
  const titles = new Set(comparisons.map(({ title }) => title));
  const isStale = (title: string) => !different.has(title) && ((values.only === undefined && sample === 1) || titles.has(title));
  const stale = [...reasons.keys()].filter(isStale);
  for (const title of stale) print(`DIFFERS NO MORE, remove it from test/kubectl/known-differences.ts: ${title}`);
  print(`${counts.same} same, ${counts.listed + counts.failed} differ (${counts.listed} known)`);
  print(`${counts.same + counts.listed} passed, ${counts.failed + stale.length} failed`);
  process.exitCode = counts.failed + stale.length === 0 ? 0 : 1;
}

function textOf({ code, stdout, stderr }: KubectlResult): string {
  return `exit ${code}\n${stdout}${stdout === '' || stdout.endsWith('\n') ? '' : '\n'}${stderr.replace(/^(?=.)/gm, '! ')}`;
}

/** The lines that differ: `-` of the real server, `+` of the embedded one. */
function changesOf(real: string, embedded: string): string {
  const lines = diffLines(real, embedded)
    .filter(({ added, removed }) => added || removed)
    .flatMap(({ added, value }) =>
      value
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => `    ${added ? '+' : '-'} ${line}`),
    );
  return lines.length <= 40 || values.show ? lines.join('\n') : [...lines.slice(0, 40), `    … ${lines.length - 40} more lines`].join('\n');
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

await main();
