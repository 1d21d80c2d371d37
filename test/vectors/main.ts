import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { EmbeddedCluster } from '../../src/embedded/index.js';
import { differences } from '../vectors-engine/difference.js';
import { type Exchange, inProcess, overHttp } from './exchange.js';
import { prepare } from './prepare.js';
import { type Failed, replayScenario } from './replay.js';
import { readCrds, readScenarios } from './scenario.js';

/**
 * `npx tsx test/vectors/main.ts [FILE|DIR…] [--server URL --token T] [--in-process] [--brief]`: replays recorded scenarios against the
 * embedded server, or a real one, and prints every difference.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    server: { type: 'string' },
    token: { type: 'string' },
    'in-process': { type: 'boolean' },
    brief: { type: 'boolean' },
    only: { type: 'string' },
  },
});
const own = fileURLToPath(new URL('./recorded', import.meta.url));
const shared = fileURLToPath(new URL('../../../shared/vectors', import.meta.url));
const known = [own, shared].filter((path) => existsSync(path));
const paths = positionals.length > 0 ? positionals : known;

let now = Date.UTC(2030, 0, 1);
let cluster: EmbeddedCluster | undefined;
let exchange: Exchange;
let tick = async () => {
  now += 1000;
};
if (values.server !== undefined) {
  exchange = overHttp(values.server, values.token ?? '');
  tick = () => new Promise((resolve) => setTimeout(resolve, 1000 - (Date.now() % 1000) + 20));
} else {
  cluster = await EmbeddedCluster.start({ clock: () => now, tls: false, ...(values['in-process'] ? { port: false } : {}) });
  exchange = values['in-process'] ? inProcess(cluster) : overHttp(cluster.server, cluster.token);
}

let passed = 0;
const failures: Failed[] = [];
try {
  const scenarios = [...readScenarios(paths)].filter(({ id }) => values.only === undefined || id === values.only);
  await prepare(exchange, readCrds([...paths, ...known]), scenarios);
  // A real server keeps its own time: its scenarios run side by side.
  const lanes = values.server === undefined ? 1 : 40;
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (let scenario = scenarios.shift(); scenario !== undefined; scenario = scenarios.shift()) {
        const replayed = await replayScenario(scenario, exchange, tick);
        passed += replayed.passed;
        failures.push(...replayed.failures);
        for (const failure of replayed.failures) report(failure);
      }
    }),
  );
} finally {
  await cluster?.stop();
}
process.stdout.write(`${passed} passed, ${failures.length} failed\n`);
process.exitCode = failures.length > 0 ? 1 : 0;

function report({ scenario, step, op, kind, expected, actual }: Failed): void {
  const lines = [...differences(expected, actual)];
  process.stdout.write(`FAILED ${scenario} step ${step} (${op} ${kind})\n`);
  for (const line of values.brief ? lines.slice(0, 1) : lines) process.stdout.write(`  ${line}\n`);
}
