import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '../corpus/random.js';
import { bundleScript } from '../harness/bundle-script.js';
import { TestCluster } from '../harness/cluster.js';
import { endWithUsage, readCount, readFlags } from '../harness/script-flags.js';
import { startEmbedded, startServer } from '../harness/server.js';
import { type Counts, checkCase, countsText, sumOf } from './check-case.js';
import { type Fault, faults, pauseText, randomPause } from './pause.js';
import { type Environment, PauseCase } from './pause-case.js';
import { type Kind, kinds, programsOf } from './programs.js';

const usage = `Usage: npm run pauses -- [--runs 300] [--seed 1] [--case N] [--only ${[...kinds, ...faults].join('|')}] [--cluster embedded]
Stops a run, holds its requests, answers them with errors or shifts its clocks, while a second run of the same stacks takes its lock. A run
that has lost its lock must write nothing, and report what was under way; the second run's objects and records must stay.`;
const { values } = readFlags(usage, {
  options: {
    runs: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    case: { type: 'string' },
    only: { type: 'string' },
    cluster: { type: 'string' },
  },
});
const runs = readCount(usage, 'runs', values.runs);
const seed = readCount(usage, 'seed', values.seed);
const single = values.case === undefined ? undefined : readCount(usage, 'case', values.case);
const only = values.only as Kind | Fault | undefined;
if (only !== undefined && ![...kinds, ...faults].includes(only)) endWithUsage(usage, `There is no kind or fault ${only}`);
if (values.cluster !== undefined && values.cluster !== 'embedded') endWithUsage(usage, `There is no cluster ${values.cluster}`);
const lanes = 4;

console.log(`seed ${seed}`);
const started = performance.now();
const directory = mkdtempSync(join(tmpdir(), 'fieldwise-pauses-'));
process.env.TMPDIR = directory; // of all that this process and its children make
const server = values.cluster === 'embedded' ? await startEmbedded() : await startServer();
const cluster = new TestCluster(server.kubeconfig);
const totals = new Map<string, Counts>();
const preparations = new Map<Kind, ReturnType<typeof prepare>>();
const numbers = chosenNumbers();
let [next, failed] = [0, 0];
try {
  const bundle = (name: string) => bundleScript(new URL(name, import.meta.url), directory);
  const environment = { cluster, directory, scripts: { run: await bundle('run-process.ts'), clock: await bundle('shifted-clock.ts') } };
  await Promise.all(Array.from({ length: lanes }, () => work(environment)));
} finally {
  cluster.client.close();
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
}
for (const name of [...kinds, ...faults, 'all']) if (totals.has(name)) console.log(`${name}: ${countsText(totals.get(name) as Counts)}`);
const struck = totals.get('all')?.struck ?? 0;
if (struck < numbers.length * 0.9) {
  failed += 1;
  console.log(`FAILED: the fault struck in only ${struck} of ${numbers.length} runs`);
}
console.log(`${numbers.length} runs in ${Math.round((performance.now() - started) / 1000)} s`);
console.log(`${Math.max(0, numbers.length - failed)} passed, ${failed} failed`);
process.exit(failed === 0 && numbers.length > 0 ? 0 : 1);

async function work(environment: Environment): Promise<void> {
  while (next < numbers.length) {
    const number = numbers[next++] as number;
    let text = choiceOf(number).join(', ');
    const problems = await runCase(environment, number, (what) => {
      text = what;
    }).catch((error: unknown) => [String((error as Error).stack ?? error)]);
    if (problems.length === 0) continue;
    failed += 1;
    console.log(`FAILED --seed ${seed} --case ${number}: ${text}`);
    for (const problem of problems.slice(0, 8)) console.log(`  ${problem}`);
  }
}

async function runCase(environment: Environment, number: number, onText: (text: string) => void): Promise<readonly string[]> {
  const [kind, fault] = choiceOf(number);
  const preparation = preparations.get(kind) ?? prepare(environment, kind);
  preparations.set(kind, preparation);
  const { programs, counts: requests } = await preparation;
  const pause = randomPause(fault, requests, new Random(seed * 10_007 + number));
  onText(`${kind}, ${pauseText(pause)}`);
  const one = new PauseCase(environment, kind, programs, pause, `pauses-${seed}-${number}`);
  const { problems, counts } = checkCase(one, await one.run());
  for (const name of [kind, fault, 'all']) totals.set(name, sumOf(totals.get(name), counts));
  return problems;
}

/** Runs a kind once without a fault, which must go well. */
async function prepare(environment: Environment, kind: Kind): Promise<PauseCase> {
  const pause = randomPause('none', { others: 1, writes: 1, forced: 0, locks: 1 }, new Random(seed));
  const one = new PauseCase(environment, kind, await programsOf(kind), pause, `pauses-${seed}-${kind}`);
  const { problems } = checkCase(one, await one.run());
  if (problems.length > 0) throw new Error(`${kind} without a fault:\n${problems.join('\n')}`);
  return one;
}

/** Seven cases in a row have all kinds and all faults, and 49 each pair. */
function choiceOf(number: number): [Kind, Fault] {
  return [kinds[number % kinds.length] as Kind, faults[(number + Math.floor(number / kinds.length)) % faults.length] as Fault];
}

function chosenNumbers(): number[] {
  if (single !== undefined) return [single];
  const chosen: number[] = [];
  for (let number = 0; chosen.length < runs; number++) {
    if (only === undefined || choiceOf(number).includes(only)) chosen.push(number);
  }
  return chosen;
}
