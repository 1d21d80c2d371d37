import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../src/util/json.js';
import { Random } from '../corpus/random.js';
import { endWithUsage, readCount, readFlags } from '../harness/script-flags.js';
import { prepare } from '../vectors/prepare.js';
import { differences } from '../vectors-engine/difference.js';
import { comparable } from './comparable.js';
import { exclusions } from './exclusions.js';
import { type FuzzSubject, fuzzCrds, subjects } from './fuzz-subject.js';
import { freshTag, retagged } from './names.js';
import { Planner } from './planner.js';
import { type Servers, startServers } from './servers.js';
import { shrink } from './shrink.js';
import { signatureOf } from './signature.js';
import { asJson, observeReal, runTrial, type Trial } from './trial.js';
import { vectorOf, writeVector } from './vector.js';

const usage = `Usage: npm run campaign -- fuzz [--seconds N] [--scenarios N] [--seed S] [--only KIND] [--case N] [--out DIR] [--lanes N] [--no-shrink]
Sends the same random requests to a real API server and to the embedded one, and prints every difference.`;

interface Settings {
  readonly seconds: number;
  /** As many as the time allows if undefined. */
  readonly scenarios: number | undefined;
  readonly seed: number;
  readonly only: string | undefined;
  readonly single: number | undefined;
  readonly out: string | undefined;
  readonly shrinks: boolean;
  readonly lanes: number;
}

async function main(): Promise<number> {
  const settings = readSettings();
  print(`seed ${settings.seed}, ${settings.seconds} s`);
  for (const [what, why] of exclusions) print(`left out: ${what}: ${why}`);
  const servers = await startServers();
  try {
    for (const exchange of [servers.real, servers.embedded]) {
      await prepare(exchange, fuzzCrds(), []);
      await exchange({
        method: 'POST',
        path: '/api/v1/namespaces',
        body: JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'fuzz' } }),
      });
    }
    return await campaign(servers, settings);
  } finally {
    await servers.stop();
  }
}

async function campaign(servers: Servers, settings: Settings): Promise<number> {
  const all = subjects()
    .filter(({ kind }) => settings.only === undefined || kind === settings.only)
    .map((subject) => (settings.only === undefined ? subject : { ...subject, weight: 1 }));
  const tag = freshTag();
  const until = Date.now() + settings.seconds * 1000;
  const found: Trial[] = [];
  let passed = 0;
  let unsteady = 0;
  let cutOff = 0;
  let requests = 0;
  let next = settings.single ?? 0;
  const last = settings.scenarios ?? Number.POSITIVE_INFINITY;
  const wants = () =>
    Date.now() < until && next < last && (settings.single === undefined || next === settings.single) && found.length < 200;
  const lane = async () => {
    while (wants()) {
      const number = next++;
      const run = (start: string) => runScenario(servers, all, settings.seed, number, start);
      const outcome = await connected(async () => {
        const trial = await run(tag);
        if (trial.different === undefined) return { trial, isSteady: true };
        // On a busy machine two writes to the real server may fall into one second.
        const isSteady = !(await isUnsteady(servers, trial)) && !(differsInTimes(trial) && (await run(freshTag())).different === undefined);
        return { trial, isSteady };
      });
      if (outcome === undefined) {
        cutOff += 1;
        continue;
      }
      const { trial, isSteady } = outcome;
      requests += trial.steps.length;
      if (trial.different === undefined) passed += 1;
      else if (!isSteady) {
        passed += 1;
        unsteady += 1;
      } else {
        found.push(trial);
        report(trial);
      }
    }
  };
  await Promise.all(Array.from({ length: settings.single === undefined ? settings.lanes : 1 }, lane));
  print(
    `${requests} requests in ${passed + found.length} scenarios; ${unsteady} ended where the real server answers now this, now that; ${cutOff} more lost their connection to it`,
  );
  const causes = new Map<string, Trial[]>();
  for (const trial of found) causes.set(signatureOf(trial), [...(causes.get(signatureOf(trial)) ?? []), trial]);
  for (const [signature, [first]] of [...causes].toSorted(([, left], [, right]) => right.length - left.length)) {
    print(`\n${causes.get(signature)?.length}× ${signature}`);
    if (first === undefined || !settings.shrinks) continue;
    const smallest = await shrink(servers, first);
    report(smallest);
    const scenario = vectorOf(smallest, signature);
    for (const step of scenario.steps)
      print(
        `    ${step.result.code} ${step.rv} ${JSON.stringify({ op: step.op, ...step.target, query: step.query, body: step.body ?? step.rawBody })}`,
      );
    if (settings.out !== undefined) print(`  written to ${writeVector(settings.out, scenario)}`);
  }
  print(`seed ${settings.seed}`);
  print(`${passed} passed, ${found.length} failed`);
  return found.length === 0 ? 0 : 1;
}

/** Returns undefined if the real server drops the connection. */
async function connected<T>(run: () => Promise<T>): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
    return undefined;
  }
}

/** Returns true if the last responses differ in nothing but the times of managedFields. */
function differsInTimes({ real, different }: Trial): boolean {
  const expected = real.at(-1);
  if (expected === undefined || different === undefined) return false;
  const lines = [...differences(asJson(comparable(expected)), asJson(comparable(different)))];
  return lines.every((line) => /^\S*\/managedFields\/\d+\/time: /.test(line));
}

/** One scenario: all of it follows from its seed and number, and from what the real server answers. */
async function runScenario(servers: Servers, all: readonly FuzzSubject[], seed: number, number: number, tag: string): Promise<Trial> {
  const random = new Random(seed * 1_000_003 + number);
  const id = `${tag}${seed}-${number}`;
  const planner = new Planner(random, subjectOf(all, random), id, 'fuzz');
  const length = 3 + random.below(8);
  return runTrial(servers, id, (index, live) => (index < length ? planner.next(live as JsonObject | undefined) : undefined));
}

function subjectOf(all: readonly FuzzSubject[], random: Random): FuzzSubject {
  let left = random.next() * all.reduce((sum, { weight }) => sum + weight, 0);
  for (const subject of all) {
    left -= subject.weight;
    if (left < 0) return subject;
  }
  return all[0] as FuzzSubject;
}

/** Returns true if the real server itself has several responses, and the embedded server gave one of them. */
async function isUnsteady(servers: Servers, trial: Trial): Promise<boolean> {
  const again = await Promise.all(Array.from({ length: 10 }, () => observeReal(servers, retagged(trial.steps, freshTag()))));
  if (trial.different === undefined) return false;
  const ours = asJson(comparable(retagged(trial.different)));
  return again.some((observed) => observed.slice(-1).some((last) => jsonEqual(asJson(comparable(retagged(last))), ours)));
}

function report(trial: Trial): void {
  const { id, steps, real, different } = retagged(trial);
  const step = steps.at(-1);
  print(
    `FAILED ${id} step ${steps.length} (${step?.op} ${step?.target.kind}${step?.target.subresource ? `/${step.target.subresource}` : ''})`,
  );
  const expected = real.at(-1);
  if (expected === undefined || different === undefined) return;
  if (expected.result.code !== different.result.code) {
    for (const [who, { result }] of [
      ['expected', expected],
      ['got', different],
    ] as const)
      print(`  ${who} ${result.code} ${messageOf(result.body)}`);
  }
  for (const line of [...differences(asJson(comparable(expected)), asJson(comparable(different)))].slice(0, 12)) print(`  ${line}`);
}

function messageOf(body: Json): string {
  return isJsonObject(body) && typeof body.message === 'string' ? body.message : '';
}

function readSettings(): Settings {
  const { values } = readFlags(usage, {
    options: {
      seconds: { type: 'string', default: '60' },
      scenarios: { type: 'string' },
      seed: { type: 'string' },
      only: { type: 'string' },
      case: { type: 'string' },
      out: { type: 'string' },
      lanes: { type: 'string', default: '64' },
      'no-shrink': { type: 'boolean', default: false },
    },
  });
  if (values.only !== undefined && !subjects().some(({ kind }) => kind === values.only))
    endWithUsage(usage, `There is no kind ${values.only} to fuzz`);
  return {
    seconds: readCount(usage, 'seconds', values.seconds),
    scenarios: values.scenarios === undefined ? undefined : readCount(usage, 'scenarios', values.scenarios),
    seed: values.seed === undefined ? Date.now() % 100_000 : readCount(usage, 'seed', values.seed),
    only: values.only,
    single: values.case === undefined ? undefined : readCount(usage, 'case', values.case),
    out: values.out,
    shrinks: !values['no-shrink'],
    lanes: readCount(usage, 'lanes', values.lanes),
  };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

process.exitCode = await main();
