import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { EmbeddedApiServer } from '../../src/apiserver/index.js';
import { readKubeconfig } from '../harness/kubeconfig.js';
import { readFlags } from '../harness/script-flags.js';
import { differences } from '../vectors-engine/difference.js';
import { inProcess, overHttp, type ScenarioTransport } from './exchange.js';
import { prepare } from './prepare.js';
import { type FailedStep, replayScenario } from './replay.js';
import { prunedContainersIn, readCrds, readScenarios, type Scenario } from './scenario.js';

const usage = `Usage: npm run campaign -- vectors [FILE|DIR…] [--server URL --token T [--ca FILE] | --kubeconfig FILE | --in-process] [--sample N] [--only ID]
  [--brief]
Replays recorded scenarios against the embedded server, or a real one, and prints every difference.`;
const { values, positionals } = readFlags(usage, {
  allowPositionals: true,
  options: {
    server: { type: 'string' },
    token: { type: 'string' },
    ca: { type: 'string' },
    kubeconfig: { type: 'string' },
    sample: { type: 'string' },
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
let cluster: EmbeddedApiServer | undefined;
let tick = async () => {
  now += 1000;
};
const isReal = values.kubeconfig !== undefined || values.server !== undefined;

let passed = 0;
const failures: FailedStep[] = [];
let broken = 0;
try {
  const exchange = await open();
  const scenarios = sampled([...readScenarios(paths)].filter(({ id }) => values.only === undefined || matches(values.only, id)));
  await prepare(exchange, readCrds([...paths, ...known]), scenarios);
  // A real server keeps its own time: its scenarios run side by side.
  const lanes = isReal ? 40 : 1;
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
} catch (error) {
  process.stderr.write(`${isReal ? `${values.server ?? values.kubeconfig}: ` : ''}${(error as Error).message}\n`);
  broken = 1;
} finally {
  await cluster?.stop();
}
process.stdout.write(`${passed} passed, ${failures.length + broken} failed\n`);
process.exitCode = failures.length + broken > 0 ? 1 : 0;

/** The server to replay against, as the flags name it. */
async function open(): Promise<ScenarioTransport> {
  if (isReal) {
    tick = () => new Promise((resolve) => setTimeout(resolve, 1000 - (Date.now() % 1000) + 20));
    if (values.kubeconfig !== undefined) return overHttp(readKubeconfig(values.kubeconfig));
    const ca = values.ca === undefined ? {} : { ca: readFileSync(values.ca) };
    return overHttp({ server: values.server as string, token: values.token, ...ca });
  }
  cluster = await EmbeddedApiServer.start({
    controllers: false,
    now: () => new Date(now),
    tls: false,
    prunedContainers: prunedContainersIn(paths),
    ...(values['in-process'] ? { port: false } : {}),
  });
  return values['in-process'] ? inProcess(cluster) : overHttp({ server: cluster.url, token: cluster.token });
}

/** Returns every nth scenario, so that `--sample N` selects about N of them, of all kinds. */
function sampled(scenarios: readonly Scenario[]): Scenario[] {
  const wanted = Number(values.sample ?? scenarios.length);
  return Array.from(
    { length: Math.min(wanted, scenarios.length) },
    (_, index) => scenarios[Math.floor((index * scenarios.length) / wanted)] as Scenario,
  );
}

/** Returns true if a pattern, with `*` for any text, matches this scenario; commas separate several patterns. */
function matches(patterns: string, id: string): boolean {
  return patterns
    .split(',')
    .some((pattern) => new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`).test(id));
}

function report({ scenario, step, op, kind, expected, actual }: FailedStep): void {
  const lines = [...differences(expected, actual)];
  process.stdout.write(`FAILED ${scenario} step ${step} (${op} ${kind})\n`);
  for (const line of values.brief ? lines.slice(0, 1) : lines) process.stdout.write(`  ${line}\n`);
}
