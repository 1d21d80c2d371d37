import { Random } from '../corpus/random.js';
import { type Servers, startServers } from '../fuzz/servers.js';
import { readCount, readFlags } from '../harness/script-flags.js';
import { Scenario } from './scenario.js';

const usage = `Usage: npm run campaign -- fuzz:definitions [--seconds N] [--scenarios N] [--seed S] [--case N] [--lanes N]
Makes random CustomResourceDefinitions with rules on a real API server and on the embedded one, changes their limits, list types and rules
while objects of them are written, and prints every difference.`;

const { values } = readFlags(usage, {
  options: {
    seconds: { type: 'string', default: '60' },
    scenarios: { type: 'string' },
    seed: { type: 'string', default: '1' },
    case: { type: 'string' },
    lanes: { type: 'string', default: '8' },
  },
});
const count = (name: 'seconds' | 'seed' | 'lanes') => readCount(usage, name, values[name]);
const single = values.case === undefined ? undefined : readCount(usage, 'case', values.case);
const last =
  single === undefined
    ? values.scenarios === undefined
      ? Number.POSITIVE_INFINITY
      : readCount(usage, 'scenarios', values.scenarios)
    : single + 1;

/** The definitions of so many stay in the memory of the real server, about 0.4 GB; then another one starts. */
const scenariosOfServer = 250;

async function main(): Promise<number> {
  const until = Date.now() + count('seconds') * 1000;
  const seed = count('seed');
  const tag = Date.now().toString(36).slice(-5);
  const totals = { requests: 0, rules: 0, refusals: 0, unsteady: 0 };
  let next = single ?? 0;
  let passed = 0;
  let failed = 0;
  const isOver = () => Date.now() >= until || next >= last || failed >= 100;
  const lane = async (servers: Servers, end: number) => {
    while (!isOver() && next < end) {
      const number = next++;
      const scenario = new Scenario(servers, new Random(seed * 1_000_003 + number), `d${tag}-${number}.example.com`);
      const differences = await scenario.run();
      for (const name of ['requests', 'rules', 'refusals', 'unsteady'] as const) totals[name] += scenario.counts[name];
      if (differences.length === 0) passed += 1;
      else failed += 1;
      for (const text of differences) console.log(`FAILED seed ${seed} case ${number}: ${text}`);
    }
  };
  while (!isOver()) {
    const servers = await startServers();
    const end = next + scenariosOfServer;
    try {
      await Promise.all(Array.from({ length: single === undefined ? count('lanes') : 1 }, () => lane(servers, end)));
    } finally {
      await servers.stop();
    }
  }
  const { requests, rules, refusals, unsteady } = totals;
  console.log(
    `seed ${seed}: ${requests} requests, ${refusals} of them refused, ${rules} rules; ${unsteady} where the real server answers now this, now that`,
  );
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main();
