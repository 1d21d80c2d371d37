import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { differences } from '../../../simulated/compare.js';
import { recordEmbedded } from '../../../simulated/record-embedded.js';
import type { Recording } from '../../../simulated/recording.js';
import { scenarios } from '../../../simulated/scenarios.js';

const recorded = JSON.parse(readFileSync(new URL('../../../simulated/recorded.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, Recording>
>;

test('simulated controllers write what real ones were recorded to write', { timeout: 180_000 }, async () => {
  expect(Object.keys(recorded)).toEqual(scenarios.map(({ name }) => name).sort());
  const found = await recordEmbedded(scenarios);
  const problems = Object.entries(recorded).map(([name, recording]) => [name, differences(recording, found.get(name))]);
  expect(problems.filter(([, lines]) => lines?.length !== 0)).toEqual([]);
});
