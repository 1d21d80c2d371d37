import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { differences } from '../../vectors-engine/difference.js';
import { readKinds } from '../../vectors-engine/kinds.js';
import { replay } from '../../vectors-engine/replay.js';
import { readScenarios } from '../../vectors-engine/scenario.js';

/** The engine against a few recorded scenarios; `npm run campaign -- vectors:engine` replays all that lie beside the checkout. */
const own = fileURLToPath(new URL('../../vectors-engine/fixtures', import.meta.url));

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
