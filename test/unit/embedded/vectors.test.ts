import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { EmbeddedCluster } from '../../../src/embedded/index.js';
import { inProcess } from '../../vectors/exchange.js';
import { prepare } from '../../vectors/prepare.js';
import { replayScenario } from '../../vectors/replay.js';
import { readCrds, readScenarios } from '../../vectors/scenario.js';

const recorded = fileURLToPath(new URL('../../../../shared/vectors', import.meta.url));
const present = existsSync(recorded);
if (!present) process.stderr.write(`recorded scenarios are not replayed on the embedded server: there is no ${recorded}\n`);

/** Scenarios in which the embedded server still differs from the recorded one. */
const different = [
  'd-err-duplicate-json-keys',
  'd-err-validation-modes-configmap',
  'd-meta-system-fields',
  'r-00073',
  'r-00098',
  'r-00171',
  'r-00207',
  'r-00214',
  'r-00326',
  'r-00345',
  'r-00382',
  'r-00630',
  'r-00950',
  'r-01209',
  'r-01233',
  'r-01250',
  'r-01294',
  'r-01418',
];

test.skipIf(!present)('recorded scenarios come out as recorded, but for the known ones', { timeout: 120_000 }, async () => {
  let now = Date.UTC(2030, 0, 1);
  const cluster = await EmbeddedCluster.start({ clock: () => now, port: false });
  const exchange = inProcess(cluster);
  const scenarios = [...readScenarios([recorded])];
  await prepare(exchange, readCrds([recorded]), scenarios);
  const failed = new Set<string>();
  let passed = 0;
  for (const scenario of scenarios) {
    const replayed = await replayScenario(scenario, exchange, async () => {
      now += 1000;
    });
    passed += replayed.passed;
    for (const { scenario: id } of replayed.failures) failed.add(id);
  }
  await cluster.stop();
  expect([...failed].filter((id) => !different.includes(id))).toEqual([]);
  expect(passed).toBeGreaterThan(16_000);
});
