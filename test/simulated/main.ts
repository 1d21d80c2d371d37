import { readFileSync, writeFileSync } from 'node:fs';
import { findControllerManager } from '../broken-workloads/controller-manager.js';
import { endWithUsage, readFlags } from '../harness/script-flags.js';
import { differences } from './compare.js';
import { recordEmbedded } from './record-embedded.js';
import { recordReal } from './record-real.js';
import type { Recording } from './recording.js';
import { scenarios } from './scenarios.js';

const usage = `Usage: npm run campaign -- simulated [--only NAME,…] [--sample] [--write]
Records the lives of workloads on a real API server with a real controller manager, and on the embedded server with simulated controllers: each
state of the conditions, the counts, the events, and the objects with their owners must be the same. The kubelet is that of the simulation on both.
--write stores the recordings of the real one in test/simulated/recorded.json, with which the unit tests compare. --sample runs a few.
The controller manager is built once, which takes about four minutes; --sample does not build it, and is skipped without it.`;
const { values } = readFlags(usage, { options: { only: { type: 'string' }, sample: { type: 'boolean' }, write: { type: 'boolean' } } });

/** Of a person's environment, what names another server: this one has controllers of its own. */
const { KUBECONFIG_TEST: _, KUBEBUILDER_ASSETS: __, ...environment } = process.env;
const file = new URL('recorded.json', import.meta.url);

function chosenScenarios() {
  if (values.sample) return scenarios.filter(({ inSample }) => inSample);
  const names = values.only?.split(',');
  const unknown = names?.find((name) => !scenarios.some((scenario) => scenario.name === name));
  if (unknown !== undefined)
    endWithUsage(usage, `No scenario is named ${unknown}. There are ${scenarios.map(({ name }) => name).join(', ')}.`);
  return scenarios.filter(({ name }) => names?.includes(name) ?? true);
}

async function main(): Promise<void> {
  const chosen = chosenScenarios();
  const binary = await findControllerManager(environment, !values.sample);
  if (binary === undefined) {
    if (!values.sample) throw new Error('There is no controller manager in the cache, and no go on PATH to build it.');
    console.log('skipped: there is no controller manager in the cache; npm run campaign -- simulated builds it with Go');
    console.log('0 passed, 0 failed');
    return;
  }
  const real = await recordReal(chosen, binary, environment);
  if (values.write) write(real);
  const simulated = await recordEmbedded(chosen);
  const failed = chosen.filter(({ name }) => !isEqual(name, real.get(name), simulated.get(name))).length;
  console.log(`${chosen.length - failed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

function write(real: ReadonlyMap<string, Recording | Error>): void {
  const before = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Recording>;
  const recorded = [...real].filter((entry): entry is [string, Recording] => !(entry[1] instanceof Error));
  const names = scenarios.map(({ name }) => name);
  const all = Object.entries({ ...before, ...Object.fromEntries(recorded) }).filter(([name]) => names.includes(name));
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(all.sort(([left], [right]) => (left < right ? -1 : 1))), undefined, 1)}\n`);
}

function isEqual(name: string, expected: Recording | Error | undefined, found: Recording | Error | undefined): boolean {
  const lines = expected === undefined || expected instanceof Error ? [expected?.message ?? 'not recorded'] : differences(expected, found);
  console.log(`${lines.length === 0 ? 'ok' : 'FAILED'} ${name}`);
  for (const line of lines) console.log(`  ${line}`);
  return lines.length === 0;
}

await main();
