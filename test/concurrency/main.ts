import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '../corpus/random.js';
import { endWithUsage, readCount, readFlags } from '../harness/script-flags.js';
import { startEmbedded, startServer } from '../harness/server.js';
import { concurrencyCampaign } from './campaign.js';

const usage = `Usage: npm run campaign -- concurrency [--seed 1] [--rounds 200] [--cluster embedded] [--strategy dynamic]
Deploys eight stacks at once that share twenty objects, round by round, while their owner writes to them, too.`;
const { values } = readFlags(usage, {
  options: {
    seed: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '200' },
    cluster: { type: 'string' },
    strategy: { type: 'string', default: 'server-side' },
  },
});
const seed = readCount(usage, 'seed', values.seed);
const rounds = readCount(usage, 'rounds', values.rounds);
if (values.cluster !== undefined && values.cluster !== 'embedded') endWithUsage(usage, `There is no cluster ${values.cluster}`);
const { strategy } = values;
if (strategy !== 'server-side' && strategy !== 'dynamic') endWithUsage(usage, `There is no strategy ${strategy}`);

console.log(`seed ${seed}`);
const directory = mkdtempSync(join(tmpdir(), 'fieldwise-concurrency-'));
process.env.TMPDIR = directory; // of all that this process makes
const server = values.cluster === 'embedded' ? await startEmbedded() : await startServer();
let failed = 0;
try {
  const results = await concurrencyCampaign(server.kubeconfig, `together-${seed}`, rounds, strategy, new Random(seed));
  for (const [round, problems] of results) {
    if (problems.length === 0) continue;
    failed++;
    console.log(`FAILED round ${round} (seed ${seed})`);
    for (const problem of problems.slice(0, 5)) console.log(`  ${problem}`);
  }
} finally {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
}
console.log(`${rounds - failed} passed, ${failed} failed`);
process.exit(failed === 0 && rounds > 0 ? 0 : 1);
