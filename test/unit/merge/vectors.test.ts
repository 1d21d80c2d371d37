import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { differences } from '../../vectors-engine/difference.js';
import { readKinds } from '../../vectors-engine/kinds.js';
import { replay } from '../../vectors-engine/replay.js';
import { readScenarios } from '../../vectors-engine/scenario.js';

/** The engine against recorded scenarios: a few of our own, and what a real server answered where those recordings are present. */
const own = fileURLToPath(new URL('../../vectors-engine/fixtures', import.meta.url));
const shared = fileURLToPath(new URL('../../../../shared/vectors', import.meta.url));

function failuresOf(directory: string) {
  const { passed, failures } = replay(readScenarios([directory]), readKinds([join(directory, 'crds')]));
  const texts = failures.map(
    ({ scenario, step, expected, actual }) => `${scenario} ${step}: ${[...differences(expected, actual)].join('; ')}`,
  );
  return { passed, failures: texts };
}

test('our own scenarios', () => {
  const { passed, failures } = failuresOf(own);
  expect(failures).toEqual([]);
  expect(passed).toBeGreaterThan(15);
});

if (!existsSync(shared)) console.warn(`Skipped: the scenarios recorded from a Kubernetes API server are not at ${shared}.`);

test.skipIf(!existsSync(shared))('the scenarios of a Kubernetes API server', { timeout: 120_000 }, () => {
  const { passed, failures } = failuresOf(shared);
  expect(failures).toEqual([]);
  expect(passed).toBeGreaterThan(15_000);
});
