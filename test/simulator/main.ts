import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Random } from '../corpus/random.js';
import { bundleScript } from '../harness/bundle-script.js';
import { endWithUsage, readCount, readFlags } from '../harness/script-flags.js';
import { startEmbedded, startServer } from '../harness/server.js';
import { breaks, type PlantedBreak, plantedIn, requirePlantable } from './breaks.js';
import { type Branches, pairs } from './exhaustive.js';
import type { HistoryPlan } from './history.js';
import type { LaneOrder, LaneResult } from './lane.js';
import { faultKinds } from './network.js';

const usage = `Usage: npm run campaign -- simulate [--seed 1] [--seconds 60] [--faults 0|1|2] [--breaks [NAME …]] [--sample N] [--history JSON [--breaks NAME]] [--real] [--processes N] [--record]
Plays random histories: two or three runs, other writers and faults over one server in one process, under one scheduler, and checks what always holds.
--faults plays all interleavings of two runs with so many faults instead. --breaks plants errors in the code, each of which must be found by the invariant that it
names: in the history that is recorded for it, else in random ones. --record looks in random ones alone, and records the shortest. --sample takes so many pairs of
runs, or errors, by the seed.
--history plays one history, as a failure has printed it, and tells all of it; with --breaks NAME, on the code with that error.
--real plays a --sample of histories, or that one, on a real API server, too, in real time, and compares their stories. --processes
plays so many histories with runs in processes of their own, which are stopped and killed, over proxies, on a real API server or with --cluster embedded.`;
const { values, positionals } = readFlags(usage, {
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string' },
    faults: { type: 'string' },
    breaks: { type: 'boolean' },
    sample: { type: 'string' },
    history: { type: 'string' },
    real: { type: 'boolean' },
    processes: { type: 'string' },
    cluster: { type: 'string' },
    record: { type: 'boolean' },
  },
});
const seed = readCount(usage, 'seed', values.seed);
const sample = values.sample === undefined ? undefined : readCount(usage, 'sample', values.sample);
const lanes = 2;
/** Histories in which a break must be found, whatever the machine's speed. */
const historiesOfBreak = 3_000;

/** In the checkout, because the code reads the package.json above it. */
const directory = fileURLToPath(new URL(`../../node_modules/.cache/simulator-${process.pid}`, import.meta.url));
/** Histories that random ones have found, whose kind is cured. */
const curedHistories = readFileSync(new URL('./cured.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { history: HistoryPlan }).history]));
const record = fileURLToPath(new URL('./found.jsonl', import.meta.url));
mkdirSync(directory, { recursive: true });
let failed = 0;
let passed = 0;
try {
  if (values.processes !== undefined) await playWithProcesses(readCount(usage, 'processes', values.processes));
  else if (values.real) await playReal();
  else if (values.history !== undefined) await tellHistory(values.history);
  else if (values.breaks) await playBreaks();
  else await playHistories();
} finally {
  rmSync(directory, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);

async function playHistories(): Promise<void> {
  const chosen = sample === undefined || values.faults === undefined ? undefined : sampleOf([...pairs.keys()]);
  const faults = values.faults === undefined ? {} : { faults: readCount(usage, 'faults', values.faults) };
  const seconds =
    values.seconds === undefined
      ? values.faults === undefined
        ? { seconds: 60 }
        : {}
      : { seconds: readCount(usage, 'seconds', values.seconds) };
  console.log(`seed ${seed}`);
  const script = await bundleScript(new URL('lane.ts', import.meta.url), directory);
  const broken = values.faults === undefined ? await brokenAgain(script) : 0;
  const results = await Promise.all(
    Array.from({ length: lanes }, (_, from) =>
      laneOf(script, { seed, from, step: lanes, ...seconds, ...faults, ...(chosen === undefined ? {} : { pairs: chosen }) }),
    ),
  );
  const sum = (of: (result: LaneResult) => number) => results.reduce((all, result) => all + of(result), 0);
  for (const { stories } of results) for (const { story } of stories) console.log(`${story}\n`);
  const branches = Object.entries(Object.assign({}, ...results.map((result) => result.branches)) as Branches);
  for (const [pair, { played, same, seconds, isCutShort }] of branches)
    console.log(
      `${pair}: ${played} interleavings played, ${same} branches the same as one of them, ${seconds} s${isCutShort ? ', NOT ALL' : ''}`,
    );
  const total = (of: 'played' | 'same') => branches.reduce((sum, [, one]) => sum + one[of], 0);
  if (branches.length > 0)
    console.log(
      `${branches.length} pairs of runs: ${total('played')} interleavings played, ${total('same')} branches the same as one of them`,
    );
  const counts = (['lateWrites', 'lateDeletes', 'lostLocks', 'crashes'] as const).map(
    (name) => `${name} ${sum((result) => result.counts[name] ?? 0)}`,
  );
  console.log(
    `${sum(({ histories }) => histories)} histories in ${Math.round(Math.max(...results.map(({ milliseconds }) => milliseconds)) / 1_000)} s: ${counts.join(', ')}`,
  );
  const different = sum((result) => result.different) + differentDigests(results);
  if (faults.faults === undefined)
    console.log(`${sum(({ replayed }) => replayed)} of them played twice, ${different} of these with another story`);
  failed = sum((result) => result.broken) + different + broken;
  passed = sum(({ histories }) => histories) + curedHistories.length - failed;
}

/** Plays the histories that once broke an invariant. @returns how many of them do again. */
async function brokenAgain(script: string): Promise<number> {
  const { broke = [] } = await laneOf(script, { seed, from: 0, step: 1, histories: curedHistories });
  const again = curedHistories.filter((_, index) => (broke[index] ?? []).length > 0);
  for (const history of again) console.log(`A cured history breaks again: ${JSON.stringify(history)}\n`);
  return again.length;
}

/** Histories that both processes played, and that were not the same. */
function differentDigests(results: readonly LaneResult[]): number {
  const [first, ...others] = results.map(({ digests }) => digests);
  return others.flatMap((digests) => digests.filter((digest, index) => digest !== first?.[index])).length;
}

async function tellHistory(text: string): Promise<void> {
  const planted = values.breaks ? chosenBreaks() : [];
  if (values.breaks && planted.length !== 1) endWithUsage(usage, '--history plants one of the breaks: give --breaks its name');
  const script = await bundleScript(new URL('lane.ts', import.meta.url), directory, planted.map(plantedIn));
  const result = await laneOf(script, { seed, from: 0, step: 1, history: historyIn(text) });
  const again = planted.map(({ name }) => ` --breaks ${name}`).join('');
  console.log(result.stories.map(({ story }) => `${story}${again}`).join('\n'));
  [passed, failed] = [1 - result.broken, result.broken];
}

/** Reads a history, or a line of a file of histories, whose member `history` it is. */
function historyIn(text: string): HistoryPlan {
  try {
    const { history: recorded = undefined, ...plan } = JSON.parse(text);
    const history: HistoryPlan = recorded ?? plan;
    const unknown = history.faults.find(({ fault }) => !Object.hasOwn(faultKinds, fault.kind));
    if (unknown) return endWithUsage(usage, `--history: there is no fault "${unknown.fault.kind}": ${Object.keys(faultKinds).join(', ')}`);
    if (Array.isArray(history.runs)) return history;
  } catch {
    // told below
  }
  return endWithUsage(usage, '--history takes the JSON of a history, as a failure has printed it, or a line of cured.jsonl or found.jsonl');
}

/** Plays histories on a real server, too. */
async function playReal(): Promise<void> {
  const { kubeconfig, stop } = await startServer();
  try {
    const script = await bundleScript(new URL('lane.ts', import.meta.url), directory);
    const chosen = values.history === undefined ? { count: sample ?? 48 } : { history: historyIn(values.history) };
    const { histories, agreement, milliseconds } = await laneOf(script, { seed, from: 0, step: 1, kubeconfig, ...chosen });
    const { late = 0, different = [] } = agreement ?? {};
    for (const story of different) console.log(`${story}\n`);
    console.log(
      `${histories} histories on both servers in ${Math.round(milliseconds / 1_000)} s, ${late} of which were too late for a comparison`,
    );
    [passed, failed] = [histories - late - different.length, different.length];
  } finally {
    await stop();
  }
}

/** Plays histories with a process for each run. */
async function playWithProcesses(count: number): Promise<void> {
  if (values.cluster !== undefined && values.cluster !== 'embedded') endWithUsage(usage, `There is no cluster ${values.cluster}`);
  const { kubeconfig, stop } = await (values.cluster === 'embedded' ? startEmbedded() : startServer());
  try {
    const planted = values.breaks ? chosenBreaks() : [];
    const script = await bundleScript(new URL('run-process.ts', import.meta.url), directory, planted.map(plantedIn));
    // A bundle, because its sources are many.
    const player = await bundleScript(new URL('processes.ts', import.meta.url), directory);
    const { playProcesses, plansForProcesses } = (await import(pathToFileURL(player).href)) as typeof import('./processes.js');
    const rest = [...plansForProcesses(new Random(seed), count)];
    console.log(`seed ${seed}`);
    const work = async () => {
      for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
        const story = await playProcesses(next, { kubeconfig, script, directory });
        if (story === undefined) passed++;
        else failed++;
        if (story !== undefined) console.log(`${story}\n`);
      }
    };
    await Promise.all(Array.from({ length: 2 * lanes }, work));
  } finally {
    await stop();
  }
}

/** Plants each break in the code that a process plays, and lets it play until it finds it: the same histories on each machine. */
async function playBreaks(): Promise<void> {
  const chosen = chosenBreaks();
  const unbroken = await bundleScript(new URL('lane.ts', import.meta.url), join(directory, 'unbroken'));
  const rest = sampleOf(chosen);
  const recorded = values.record ? [] : rest.flatMap(({ name }) => recordedHistories()[name] ?? []);
  const { broke = [] } = await laneOf(unbroken, { seed: 1, from: 0, step: 1, histories: recorded });
  const useless = recorded.filter((_, index) => (broke[index] ?? []).length > 0).map((history) => JSON.stringify(history));
  const work = async () => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) await playBreak(next, useless, unbroken);
  };
  await Promise.all(Array.from({ length: lanes }, work));
}

function chosenBreaks(): readonly PlantedBreak[] {
  requirePlantable(breaks);
  const unknown = positionals.filter((name) => !breaks.some((one) => one.name === name));
  if (unknown.length > 0)
    endWithUsage(usage, `Not among the breaks: ${unknown.join(', ')}. They are ${breaks.map(({ name }) => name).join(', ')}`);
  return positionals.length === 0 ? breaks : breaks.filter(({ name }) => positionals.includes(name));
}

/** As many as wanted, by the seed. */
function sampleOf<Item>(items: readonly Item[]): Item[] {
  const random = new Random(seed);
  const rest = [...items];
  return Array.from(
    { length: Math.min(sample ?? rest.length, rest.length) },
    () => rest.splice(sample === undefined ? 0 : random.below(rest.length), 1)[0] as Item,
  );
}

/** @param useless recorded histories that break something without a planted error, too. */
async function playBreak(planted: PlantedBreak, useless: readonly string[], unbroken: string): Promise<void> {
  const { name, what, finds } = planted;
  const script = await bundleScript(new URL('lane.ts', import.meta.url), join(directory, name), [plantedIn(planted)]);
  const recorded = values.record ? undefined : recordedHistories()[name];
  const isUseless = useless.includes(JSON.stringify(recorded));
  if (isUseless) console.log(`${name}: its recorded history breaks something without it, too`);
  const known = recorded && !isUseless ? await laneOf(script, { seed: 1, from: 0, step: 1, history: recorded, isShort: true }) : undefined;
  const isKnown = known?.byInvariant[finds] !== undefined;
  const result = isKnown ? known : await laneOf(script, { seed: 1, from: 0, step: 1, count: historiesOfBreak, until: finds });
  const shown = result.byInvariant[finds] === undefined ? undefined : result.stories[0];
  const isWrong = shown !== undefined && !isKnown && (await breaksIn(unbroken, shown.plan)).includes(finds);
  if (isWrong) console.log(`${name}: "${finds}" breaks in the history that shows it without the error, too: the invariant is wrong`);
  const found = isWrong ? undefined : shown;
  if (found === undefined) failed++;
  else passed++;
  const others = Object.keys(result.byInvariant).filter((invariant) => invariant !== finds);
  const by = `${found === undefined ? 'NOT FOUND' : 'found'} by "${finds}"${others.length > 0 ? `, and by "${others.join('", "')}"` : ''}`;
  const how = recorded === undefined ? '' : isKnown ? ', as recorded' : ', not by its recorded history: record it again';
  console.log(`${name}: ${what}: ${by} (${result.histories} histories, ${(result.milliseconds / 1_000).toFixed(1)} s${how})`);
  if (found === undefined || (isKnown && positionals.length !== 1)) return;
  console.log(`${`${found.story} --breaks ${name}`.replace(/^/gm, '    ')}\n`);
  if (isKnown || !values.record) return;
  const lines = Object.entries({ ...recordedHistories(), [name]: found.plan }).map(([of, history]) =>
    JSON.stringify({ break: of, history }),
  );
  writeFileSync(record, lines.map((line) => `${line}\n`).join(''));
}

/** Returns the invariants that a history breaks. */
async function breaksIn(script: string, history: HistoryPlan): Promise<readonly string[]> {
  return (await laneOf(script, { seed: 1, from: 0, step: 1, histories: [history] })).broke?.[0] ?? [];
}

/** By the name of a break: the shortest history that shows it, as a search has found it. */
function recordedHistories(): Readonly<Record<string, HistoryPlan>> {
  const lines = existsSync(record) ? readFileSync(record, 'utf8').split('\n') : [];
  return Object.fromEntries(lines.filter((line) => line !== '').map((line) => Object.values(JSON.parse(line))));
}

function laneOf(script: string, order: LaneOrder): Promise<LaneResult> {
  const child = spawn(process.execPath, ['--enable-source-maps', script, JSON.stringify(order)], { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(JSON.parse(text));
      else reject(new Error(`a process of the simulator ended with ${code}`));
    });
  });
}
