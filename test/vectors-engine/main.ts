import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { differences } from './difference.js';
import { readKinds } from './kinds.js';
import { replay } from './replay.js';
import { readScenarios } from './scenario.js';

/** `npx tsx test/vectors-engine/main.ts [FILE|DIR…]`: replays recorded scenarios on the engine, without a server. */
const given = process.argv.slice(2);
const fixtures = fileURLToPath(new URL('./fixtures', import.meta.url));
const shared = fileURLToPath(new URL('../../../shared/vectors', import.meta.url));
const paths = given.length > 0 ? given : [fixtures, shared].filter((path) => existsSync(path));
const crds = [...paths, fixtures, shared].map((path) => join(existsSync(path) && statSync(path).isFile() ? dirname(path) : path, 'crds'));

const { passed, failures, skipped } = replay(readScenarios(paths), readKinds([...new Set(crds)].filter((path) => existsSync(path))));
for (const { scenario, step, op, expected, actual } of failures) {
  process.stdout.write(`FAILED ${scenario} step ${step} (${op})\n`);
  for (const line of differences(expected, actual)) process.stdout.write(`  ${line}\n`);
}
for (const [reason, count] of [...skipped].toSorted(([, left], [, right]) => right - left)) {
  process.stdout.write(`not checked: ${String(count).padStart(5)}  ${reason}\n`);
}
process.stdout.write(`${passed} passed, ${failures.length} failed\n`);
process.exitCode = failures.length > 0 ? 1 : 0;
