import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Strategy } from '../../src/assembly/policy-vocabulary.js';
import { EmbeddedApiServer } from '../../src/embedded/index.js';
import { Random } from '../corpus/random.js';
import { bundleScript } from '../harness/bundle-script.js';
import { TestCluster } from '../harness/cluster.js';
import { InterceptionProxy } from '../harness/interception-proxy.js';
import { endWithUsage, readCount, readFlags } from '../harness/script-flags.js';
import { startServer } from '../harness/server.js';
import { concurrencyCampaign } from './concurrency-campaign.js';
import { killAtRandom } from './kill-campaign.js';
import { restartCampaign } from './restart-campaign.js';
import { CampaignRounds, everyFault, type FaultInjection } from './wire-campaign.js';

const campaigns = ['wire', 'kill', 'restart', 'concurrency'];
const usage = `Usage: npm run faults -- [--seed 1] [--sample N] [--only ${campaigns.join('|')}] [--cluster embedded] [--strategy dynamic]
Deploys and destroys under faults. The result must equal that of a run without faults, and no foreign field may have changed.
Without --sample: every fault at every request, 100 kills, 3 restarts of the API server, 200 rounds of 8 stacks at once. With it: N random faults, and as many of the other rounds as take about as long.`;
const { values } = readFlags(usage, {
  options: {
    seed: { type: 'string', default: '1' },
    sample: { type: 'string' },
    only: { type: 'string' },
    cluster: { type: 'string' },
    strategy: { type: 'string', default: 'server-side' },
  },
});
const seed = readCount(usage, 'seed', values.seed);
const sample = values.sample === undefined ? undefined : readCount(usage, 'sample', values.sample);
if (values.only !== undefined && !campaigns.includes(values.only)) endWithUsage(usage, `There is no campaign ${values.only}`);
if (values.cluster !== undefined && values.cluster !== 'embedded') endWithUsage(usage, `There is no cluster ${values.cluster}`);
if (values.strategy !== 'server-side' && values.strategy !== 'dynamic') endWithUsage(usage, `There is no strategy ${values.strategy}`);
const strategy: Strategy = values.strategy;
const random = new Random(seed);
/** Concurrent rounds, each in its own namespace and through its own proxy. */
const atOnce = 4;
let passed = 0;
let failed = 0;

console.log(`seed ${seed}`);
const directory = mkdtempSync(join(tmpdir(), 'fieldwise-faults-'));
process.env.TMPDIR = directory; // of all that this process and its children make
const server = values.cluster === 'embedded' ? await startEmbedded() : await startServer();
try {
  if (chosen('wire') || chosen('kill')) await runFaultRounds();
  if (chosen('restart')) {
    if (values.cluster === 'embedded') console.log('restart: only with a real API server');
    else
      await campaign('restart', sample === undefined ? 3 : 1, 1, (index) =>
        restartCampaign(directory, `restart-${seed}-${index}`, strategy, random),
      );
  }
  if (chosen('concurrency')) {
    const rounds = sample === undefined ? 200 : Math.max(3, Math.floor(sample / 6));
    for (const [round, problems] of await concurrencyCampaign(server.kubeconfig, `together-${seed}`, rounds, strategy, random)) {
      printErrors(`concurrency, round ${round}`, problems);
    }
  }
} finally {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);

async function runFaultRounds(): Promise<void> {
  const cluster = new TestCluster(server.kubeconfig);
  const proxies = await Promise.all(
    Array.from({ length: atOnce }, (_, number) => InterceptionProxy.start(cluster.client, join(directory, `proxy-${number}.kubeconfig`))),
  );
  const first = await CampaignRounds.prepare(cluster, proxies[0] as InterceptionProxy, `faults-${seed}`, strategy);
  const { reference } = first;
  console.log(`without faults: ${reference.deployRequests} requests to deploy, ${reference.destroyRequests} to destroy`);
  const workers = proxies.map((proxy, number) => first.beside(proxy, number));
  if (chosen('wire')) {
    const every = everyFault(reference);
    await injectAll('wire', sample === undefined ? shuffled(every) : Array.from({ length: sample }, () => random.pick(every)), workers);
  }
  if (chosen('kill')) {
    const script = await bundleScript(new URL('deploy-process.ts', import.meta.url), directory);
    const count = sample === undefined ? 100 : Math.ceil(sample / 10);
    await injectAll(
      'kill',
      Array.from({ length: count }, () => killAtRandom(script, reference, random)),
      workers,
    );
  }
  for (const proxy of proxies) await proxy.stop();
  cluster.client.close();
}

async function injectAll(name: string, blows: readonly FaultInjection[], workers: readonly CampaignRounds[]): Promise<void> {
  await campaign(name, blows.length, workers.length, async (index, worker) => {
    const blow = blows[index] as FaultInjection;
    return (await (workers[worker] as CampaignRounds).round(blow)).map((problem) => `${blow.text}: ${problem}`);
  });
}

async function campaign(
  name: string,
  count: number,
  workers: number,
  run: (index: number, worker: number) => Promise<readonly string[]>,
): Promise<void> {
  const started = Date.now();
  let next = 0;
  let done = 0;
  const work = async (worker: number) => {
    while (next < count) {
      const index = next++;
      printErrors(
        `${name} ${index + 1}/${count}`,
        await run(index, worker).catch((error: unknown) => [String((error as Error).stack ?? error)]),
      );
      done += 1;
      if (done % 100 === 0 && done < count) console.log(`${name}: ${done} of ${count} in ${secondsSince(started)} s, ${failed} failed`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers, count) }, (_, worker) => work(worker)));
  console.log(`${name}: ${count} in ${secondsSince(started)} s`);
}

function secondsSince(started: number): number {
  return Math.round((Date.now() - started) / 1000);
}

function printErrors(what: string, problems: readonly string[]): void {
  if (problems.length === 0) {
    passed += 1;
    return;
  }
  failed += 1;
  console.log(`FAILED ${what} (seed ${seed})`);
  for (const problem of problems.slice(0, 5)) console.log(`  ${problem}`);
}

/** In an order of the seed's, so that a campaign that is cut short is a sample of all. */
function shuffled<Item>(items: readonly Item[]): Item[] {
  const keyed = items.map((item) => ({ item, at: random.below(2 ** 30) }));
  return keyed.sort((left, right) => left.at - right.at).map(({ item }) => item);
}

function chosen(name: string): boolean {
  return values.only === undefined || values.only === name;
}

async function startEmbedded(): Promise<{ readonly kubeconfig: string; stop(): Promise<void> }> {
  const cluster = await EmbeddedApiServer.start();
  const kubeconfig = join(directory, 'embedded.kubeconfig');
  writeFileSync(kubeconfig, cluster.kubeconfig, { mode: 0o600 });
  return { kubeconfig, stop: () => cluster.stop() };
}
