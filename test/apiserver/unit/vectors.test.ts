import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { EmbeddedApiServer } from '../../../src/apiserver/index.js';
import { inProcess } from '../../vectors/exchange.js';
import { prepare } from '../../vectors/prepare.js';
import { type FailedStep, replayScenario } from '../../vectors/replay.js';
import { prunedContainersIn, readCrds, readScenarios } from '../../vectors/scenario.js';

/** A few of each kind; all that were recorded are replayed by `npm run campaign -- vectors` where they lie beside the checkout. */
const own = fileURLToPath(new URL('../../vectors/recorded', import.meta.url));

async function replay(directory: string): Promise<{ readonly passed: number; readonly failures: readonly FailedStep[] }> {
  let now = Date.UTC(2030, 0, 1);
  const cluster = await EmbeddedApiServer.start({
    now: () => new Date(now),
    port: false,
    controllers: false,
    prunedContainers: prunedContainersIn([directory]),
  });
  const exchange = inProcess(cluster);
  const scenarios = [...readScenarios([directory])];
  await prepare(exchange, readCrds([directory]), scenarios);
  const failures: FailedStep[] = [];
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

test('our own scenarios have the responses of a server 1.36.3', async () => {
  const { passed, failures } = await replay(own);
  expect(failures).toEqual([]);
  expect(passed).toBeGreaterThan(20);
});
