import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { EmbeddedApiServer } from '../../../src/embedded/index.js';
import { inProcess } from '../../vectors/exchange.js';
import { prepare } from '../../vectors/prepare.js';
import { type Failed, replayScenario } from '../../vectors/replay.js';
import { emptiedIn, readCrds, readScenarios } from '../../vectors/scenario.js';

const own = fileURLToPath(new URL('../../vectors/recorded', import.meta.url));
const shared = fileURLToPath(new URL('../../../../shared/vectors', import.meta.url));
const present = existsSync(shared);
if (!present) process.stderr.write(`recorded scenarios are not replayed on the embedded server: there is no ${shared}\n`);

async function replay(directory: string): Promise<{ readonly passed: number; readonly failures: readonly Failed[] }> {
  let now = Date.UTC(2030, 0, 1);
  const cluster = await EmbeddedApiServer.start({
    now: () => new Date(now),
    port: false,
    controllers: false,
    prunedContainers: emptiedIn([directory]),
  });
  const exchange = inProcess(cluster);
  const scenarios = [...readScenarios([directory])];
  await prepare(exchange, readCrds([directory]), scenarios);
  const failures: Failed[] = [];
  let passed = 0;
  for (const scenario of scenarios) {
    const replayed = await replayScenario(scenario, exchange, async () => {
      now += 1000;
    });
    passed += replayed.passed;
    failures.push(...replayed.failures);
  }
  await cluster.stop();
  return { passed, failures };
}

test('scenarios of our own come out as a server 1.36.3 answered them', { timeout: 60_000 }, async () => {
  const { passed, failures } = await replay(own);
  expect(failures).toEqual([]);
  expect(passed).toBeGreaterThan(20);
});

test.skipIf(!present)('recorded scenarios come out as recorded', { timeout: 240_000 }, async () => {
  const { passed, failures } = await replay(shared);
  expect(failures).toEqual([]);
  expect(passed).toBeGreaterThan(16_000);
});
