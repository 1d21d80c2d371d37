import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Difference } from './harness/forked-plan.js';

// Runs the tests on the embedded server, and plans each of their deploys before, on a fork of it; see harness/forked-plan.ts. What the plan, the record and the
// objects do not say alike must be known: forked-plans.json says of which test, and why. Flags go to vitest: files, or --shard=1/12.

interface Known {
  readonly test: string;
  readonly kind: string;
  readonly because: string;
  /** It depends on what happens first. */
  readonly sometimes?: true;
}

type Line = { readonly test: string } & (
  | { readonly leftOut: string }
  | { readonly compared: number; readonly notJudged: number; readonly differs: readonly Difference[] }
);

const checkout = fileURLToPath(new URL('..', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'fieldwise-forks-'));
const log = join(directory, 'deploys.jsonl');
const flags = process.argv.slice(2);
const words = ['vitest', 'run', '--config', 'test/vitest.config.ts', '--project', 'embedded', ...flags];
const tests = spawnSync('npx', words, {
  cwd: checkout,
  env: { ...process.env, FIELDWISE_TEST_FORKS: log },
  encoding: 'utf8',
  maxBuffer: 2 ** 28,
});
const lines = existsSync(log)
  ? (readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)) as Line[])
  : [];
rmSync(directory, { recursive: true, force: true });

const known = JSON.parse(readFileSync(new URL('forked-plans.json', import.meta.url), 'utf8')) as readonly Known[];
const isKnown = (test: string, { kind }: Difference) => known.some((one) => test.startsWith(one.test) && one.kind === kind);
const leftOut = new Map<string, number>();
let [deploys, compared, notJudged, expected] = [0, 0, 0, 0];
const unknown: string[] = [];
for (const line of lines) {
  if ('leftOut' in line) {
    leftOut.set(line.leftOut, (leftOut.get(line.leftOut) ?? 0) + 1);
    continue;
  }
  deploys++;
  compared += line.compared;
  notJudged += line.notJudged;
  for (const difference of line.differs) {
    if (isKnown(line.test, difference)) expected++;
    else
      unknown.push(`${line.test}\n    ${difference.object}, ${difference.kind}\n    ${JSON.stringify(difference.details).slice(0, 600)}`);
  }
}
const met = known.filter((one) =>
  lines.some((line) => !('leftOut' in line) && line.test.startsWith(one.test) && line.differs.some(({ kind }) => kind === one.kind)),
);
const ran = known.filter((one) => lines.some(({ test }) => test.startsWith(one.test)));
const stale = ran.filter((one) => !met.includes(one) && !one.sometimes);
for (const text of unknown) console.log(`not known: ${text}`);
for (const { test, kind } of stale) console.log(`known, and over: ${test}\n    ${kind}`);
for (const [reason, count] of leftOut) console.log(`left out, because the deploy ${reason}: ${count}`);
// Some tests count requests, or change what they did not expect to be read.
console.log(`the tests themselves: ${tests.stdout.match(/Tests .*$/m)?.[0].trim() ?? tests.stderr.slice(-600)}`);
console.log(
  `${deploys} deploys, ${compared} objects of them compared, ${notJudged} not judged, ${expected} differences known by ${met.length} of ${known.length} entries`,
);
console.log(`${deploys} passed, ${unknown.length + stale.length + (deploys === 0 ? 1 : 0)} failed`);
process.exitCode = unknown.length + stale.length === 0 && deploys > 0 ? 0 : 1;
