import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { parse } from 'yaml';
import { readCount, readFlags } from '../harness/script-flags.js';
import type { CaseResult } from './mutation-case.js';
import { timeLimit } from './mutation-case.js';

const usage = `Usage: npm run campaign -- fuzz:codegen [--count 2000] [--seed 1] [DIR]
Mutates the CRDs of a corpus and lets the generator have them: it must write modules that parse and hold nothing but declarations, or refuse
the CRD, in bounded time.`;
const { values, positionals } = readFlags(usage, {
  allowPositionals: true,
  options: { count: { type: 'string', default: '2000' }, seed: { type: 'string', default: '1' } },
});
const [count, seed] = [readCount(usage, 'count', values.count), readCount(usage, 'seed', values.seed)];
const recorded = fileURLToPath(new URL('../../../shared/corpus', import.meta.url));
const own = fileURLToPath(new URL('../unit/corpus/fixtures', import.meta.url));
const corpus = positionals[0] ?? (existsSync(recorded) ? recorded : own);
if (corpus === own) console.log('../shared/corpus is not there: only our own CRDs are damaged');
async function main(): Promise<number> {
  const directory = existsSync(join(corpus, 'crds')) ? join(corpus, 'crds') : corpus;
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.ya?ml$/.test(name))
    .sort();
  const crds = new Map<string, unknown>();
  const outcomes = new Map<string, number>();
  let failed = 0;
  const cases = new Cases();
  let slowest = { milliseconds: 0, text: '' };
  for (let index = 0; index < count; index++) {
    const name = names[index % names.length] as string;
    if (!crds.has(name)) crds.set(name, parse(readFileSync(join(directory, name), 'utf8')));
    const number = seed * 1_000_003 + index;
    const { outcome, detail, steps, milliseconds } = await cases.run(crds.get(name), number);
    const key = outcome === 'refused' ? `refused (${detail})` : outcome;
    outcomes.set(key, (outcomes.get(key) ?? 0) + 1);
    if (milliseconds > slowest.milliseconds) slowest = { milliseconds, text: `${name}, case ${number}` };
    if (outcome !== 'failed') continue;
    failed++;
    console.log(`FAILED ${name}, case ${number} (${steps.join('; ')}): ${detail}`);
  }
  cases.stop();
  for (const [outcome, times] of [...outcomes].sort()) console.log(`${outcome}: ${times}`);
  console.log(`slowest: ${Math.round(slowest.milliseconds)} ms (${slowest.text})`);
  console.log(`${count - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** Runs cases in a process of their own, which is ended when one hangs. */
class Cases {
  #process: ChildProcess | undefined;

  async run(crd: unknown, seed: number): Promise<CaseResult> {
    const hung: CaseResult = { outcome: 'failed', detail: 'it hangs', steps: [], milliseconds: 2 * timeLimit };
    const child = this.#open();
    const result = await new Promise<CaseResult>((resolve) => {
      const settle = (settled: CaseResult) => {
        clearTimeout(timer);
        child.removeAllListeners();
        resolve(settled);
      };
      const timer = setTimeout(() => settle(hung), 2 * timeLimit);
      child.once('message', (message) => settle(message as CaseResult));
      child.once('exit', (code, signal) => settle({ ...hung, detail: `the process ended with ${signal ?? code}` }));
      child.send({ crd, seed });
    });
    if (result.milliseconds >= 2 * timeLimit) this.stop();
    return result;
  }

  stop(): void {
    this.#process?.kill('SIGKILL');
    this.#process = undefined;
  }

  #open(): ChildProcess {
    const file = fileURLToPath(new URL('./mutation-process.ts', import.meta.url));
    this.#process ??= fork(file, { execArgv: ['--import', 'tsx'], serialization: 'advanced' });
    return this.#process;
  }
}

if (!existsSync(corpus)) {
  console.log(`Skipped: there is no corpus at ${corpus}.`);
  console.log('0 passed, 0 failed');
} else process.exitCode = await main();
