import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { readAssembly } from '../../lib/src/assembly/index.js';
import type { Assembly } from '../../lib/src/assembly/types.js';
import { deploy, type Reconcile, type RunOptions } from '../../lib/src/deploy/index.js';
import { App, Stack } from '../../lib/src/entry/index.js';
import { connect, createClusterClient, type RequestSender, Transport } from '../../lib/src/kubernetes/index.js';
import { findOnPath } from '../harness/binaries.js';
import { startServer } from '../harness/server.js';
import { type BareRequest, bareLoop } from './bare-loop.js';
import { connectionOf } from './connection.js';
import { type Figure, median } from './figures.js';
import { mixedObjects } from './objects.js';

const objects = 1_000;
const kubectlObjects = 200;
const manyObjects = 10_000;
const mostMegabytes = 300;
const rounds = 3;
/** Repetitions per round of measurements of about a tenth of a second, which vary too much in a single run. */
const short = 3;
const command = fileURLToPath(new URL('../../lib/src/cli/main.cjs', import.meta.url));
const manager = 'bench-bare';
const plurals: Record<string, string> = {
  ConfigMap: '/api/v1/namespaces/NS/configmaps',
  ServiceAccount: '/api/v1/namespaces/NS/serviceaccounts',
  Service: '/api/v1/namespaces/NS/services',
  Deployment: '/apis/apps/v1/namespaces/NS/deployments',
};

/** Deploys of 1,000 mixed objects to a real API server, beside a bare PATCH loop and kubectl in the same run. */
export async function deployFigures(print: (figure: Figure) => void): Promise<void> {
  const server = await startServer();
  const directory = await mkdtemp(path.join(tmpdir(), 'fieldwise-bench-'));
  try {
    await measure({ kubeconfig: server.kubeconfig, kubectl: server.kubectl, directory, print });
  } finally {
    await rm(directory, { recursive: true, force: true });
    await server.stop();
  }
}

export interface Bench {
  readonly kubeconfig: string;
  readonly kubectl: string | undefined;
  readonly directory: string;
  readonly print: (figure: Figure) => void;
}

async function measure(bench: Bench): Promise<void> {
  const { kubeconfig, print } = bench;
  const times = {
    bareCreate: [] as number[],
    bareSame: [] as number[],
    create: [] as number[],
    same: [] as number[],
    proved: [] as number[],
    wholeCreate: [] as number[],
    wholeSame: [] as number[],
    wholeProved: [] as number[],
  };
  const peaks: number[] = [];
  await runBare(bench, 'warm-up', 200);
  await removeServices(bench, 'warm-up');
  for (let round = 0; round < rounds; round++) {
    const bare = async () => {
      const patches = await preparePatches(bench, `bare-${round}`, objects);
      times.bareCreate.push(await bareLoop(connectionOf(kubeconfig), patches));
      times.bareSame.push(await bareLoop(connectionOf(kubeconfig), patches));
      await removeServices(bench, `bare-${round}`);
    };
    const engine = async () => {
      const assembly = await readAssembly(await synthesize(bench, `engine-${round}`, objects));
      times.create.push(await timeDeploy(bench, assembly, 'created'));
      times.same.push(await timeDeploy(bench, assembly, 'unchanged'));
      await timeDeploy(bench, assembly, 'unchanged', 'changed'); // notes the schemas
      times.proved.push(await medianOf(short, () => timeRested(bench, assembly)));
      await removeServices(bench, `engine-${round}`);
    };
    const whole = async () => {
      const assembly = await synthesize(bench, `whole-${round}`, objects);
      const create = await runDeploy(bench, assembly);
      peaks.push(create.peak);
      times.wholeCreate.push(create.seconds);
      times.wholeSame.push((await runDeploy(bench, assembly)).seconds);
      await runDeploy(bench, assembly, ['--reconcile', 'changed']);
      times.wholeProved.push(await medianOf(short, async () => (await runDeploy(bench, assembly, ['--reconcile', 'changed'])).seconds));
      await removeServices(bench, `whole-${round}`);
    };
    for (const part of round % 2 === 0 ? [bare, engine, whole] : [whole, engine, bare]) await part();
  }
  const ratio = (of: keyof typeof times, to: keyof typeof times) => median(times[of].map((time, round) => time / times[to][round]!));
  print({ name: `bare PATCH loop, ${objects} objects, create`, value: seconds(median(times.bareCreate)) });
  print({ name: `bare PATCH loop, ${objects} objects, unchanged`, value: seconds(median(times.bareSame)) });
  const target = { atMost: 1.15 };
  print({
    name: 'deploy (create), inside the engine',
    value: seconds(median(times.create)),
    ratio: { of: 'bare loop', value: ratio('create', 'bareCreate'), target },
  });
  print({
    name: 'deploy (unchanged), inside the engine',
    value: seconds(median(times.same)),
    ratio: { of: 'bare loop', value: ratio('same', 'bareSame') },
  });
  print({
    name: 'deploy (unchanged, reconcile: changed), inside the engine',
    value: seconds(median(times.proved)),
    ratio: { of: 'bare loop', value: ratio('proved', 'bareSame'), target: { atMost: 0.1 } },
  });

  for (const [name, of, to, atMost] of [
    ['deploy (create), whole process', 'wholeCreate', 'bareCreate', undefined],
    ['deploy (unchanged), whole process', 'wholeSame', 'bareSame', undefined],
    ['deploy (unchanged, reconcile: changed), whole process', 'wholeProved', 'bareSame', 0.25],
  ] as const) {
    const value = seconds(median(times[of]));
    print({ name, value, ratio: { of: 'bare loop', value: ratio(of, to), ...(atMost ? { target: { atMost } } : {}) } });
  }
  print({ name: 'deploy (create), peak memory of the process', value: `${Math.round(median(peaks) / 1024)} MiB` });

  await compareStrategies(bench);
  await compareKubectl(bench, median(times.wholeCreate), median(times.wholeSame));
  await measureMany(bench);
}

async function medianOf(times: number, measured: () => Promise<number>): Promise<number> {
  const values: number[] = [];
  while (values.length < times) values.push(await measured());
  return median(values);
}

/**
 * Measures after a pause: before a server lists from memory it asks etcd for its revision, at most ten times a second, so that the second
 * of two runs within a tenth of a second waits 40 to 95 ms.
 */
async function timeRested(bench: Bench, assembly: Assembly): Promise<number> {
  await setTimeout(250);
  return timeDeploy(bench, assembly, 'unchanged', 'changed');
}

/** Peak memory of whole processes that work on very many objects. */
async function measureMany(bench: Bench): Promise<void> {
  const assembly = await synthesize(bench, 'many', manyObjects);
  for (const [name, verb, flags] of [
    ['deploy (create)', 'deploy', ['--no-wait']],
    ['deploy (unchanged)', 'deploy', ['--no-wait']],
    ['plan (unchanged), by the server', 'diff', []],
    ['plan (unchanged), read-only, by the schema', 'diff', ['--read-only']],
  ] as const) {
    const { peak } = await runCommand(bench, verb, assembly, flags);
    const megabytes = (peak * 1024) / 1e6;
    bench.print({
      name: `${name}, ${manyObjects} objects, peak memory`,
      value: `${Math.round(megabytes)} MB`,
      ratio: { of: `${mostMegabytes} MB`, value: megabytes / mostMegabytes, target: { atMost: 1 } },
    });
  }
}

/** kubectl of the server's version, and the one on PATH where that is another: their cost differs a lot between versions. */
async function compareKubectl(bench: Bench, create: number, same: number): Promise<void> {
  const clients = new Map<string, string>();
  for (const file of [bench.kubectl, findOnPath('kubectl', process.env)]) {
    if (file === undefined) continue;
    const { stdout } = await run(file, ['version', '--client', '-o', 'json'], {});
    const version = (JSON.parse(stdout) as { clientVersion: { gitVersion: string } }).clientVersion.gitVersion;
    if (!clients.has(version)) clients.set(version, file);
  }
  if (clients.size === 0) bench.print({ name: 'kubectl', value: 'not present' });
  for (const [version, file] of clients) {
    for (const [title, flags, atLeast] of [
      ['apply --server-side', [], 10],
      ['apply --server-side --validate=ignore', ['--validate=ignore'], 2],
    ] as const) {
      const namespace = `kubectl-${atLeast}-${version.replace(/[^a-z0-9]+/g, '-')}`;
      await makeNamespace(bench, namespace);
      const manifests = path.join(bench.directory, `${namespace}.yaml`);
      await writeFile(
        manifests,
        mixedObjects(kubectlObjects, namespace)
          .map((object) => `---\n${stringify(object)}`)
          .join(''),
      );
      for (const [what, ours] of [
        ['create', create],
        ['unchanged', same],
      ] as const) {
        const { seconds: time } = await run(file, ['apply', ...flags, '--server-side', '-f', manifests], { KUBECONFIG: bench.kubeconfig });
        const scaled = (time * objects) / kubectlObjects;
        const target = what === 'create' ? { target: { atLeast } } : {};
        bench.print({
          name: `kubectl ${version} ${title} (${what}), ${kubectlObjects} scaled`,
          value: seconds(scaled),
          ratio: { of: 'deploy, whole process', value: scaled / ours, ...target },
        });
      }
      await removeServices(bench, namespace);
    }
  }
}

async function timeDeploy(
  bench: Bench,
  assembly: Assembly,
  expected: 'created' | 'unchanged',
  reconcile: Reconcile = 'full',
): Promise<number> {
  return (await countDeploy(bench, assembly, expected, { reconcile })).seconds;
}

async function countDeploy(
  bench: Bench,
  assembly: Assembly,
  expected: 'created' | 'unchanged',
  options: Pick<RunOptions, 'reconcile' | 'strategy'>,
): Promise<{ readonly seconds: number; readonly requests: number }> {
  const start = performance.now();
  const transport = new Transport(await connect({ kubeconfig: bench.kubeconfig }));
  let requests = 0;
  const counting: RequestSender = {
    server: transport.server,
    send(...request) {
      requests += 1;
      return transport.send(...request);
    },
    close: () => transport.close(),
  };
  const cluster = createClusterClient(counting, 'default');
  const summary = await deploy(assembly, cluster, { ...options, wait: false }, () => {});
  const time = (performance.now() - start) / 1000;
  cluster.close();
  if (summary.counts[expected] !== objects) throw new Error(`a deploy ended with ${JSON.stringify(summary)}`);
  return { seconds: time, requests };
}

/** Measures the cost of client-side merges beside the server's own apply. */
async function compareStrategies(bench: Bench): Promise<void> {
  const figures = new Map<string, { readonly seconds: number; readonly requests: number }>();
  for (const strategy of ['server-side', 'dynamic'] as const) {
    const assembly = await readAssembly(await synthesize(bench, `strategy-${strategy}`, objects));
    for (const result of ['created', 'unchanged'] as const) {
      const figure = await countDeploy(bench, assembly, result, { strategy });
      figures.set(`${strategy} ${result}`, figure);
      const of = figures.get(`server-side ${result}`)?.seconds ?? Number.NaN;
      bench.print({
        name: `deploy (${result}, strategy ${strategy}), inside the engine`,
        value: seconds(figure.seconds),
        ...(strategy === 'dynamic' ? { ratio: { of: 'server-side', value: figure.seconds / of } } : {}),
      });
      bench.print({
        name: `requests per object (${result}, strategy ${strategy})`,
        value: '',
        ratio: { of: 'one', value: figure.requests / objects, ...(strategy === 'dynamic' ? { target: { atMost: 2.5 } } : {}) },
      });
    }
    await removeServices(bench, `strategy-${strategy}`);
  }
}

function runDeploy(bench: Bench, assembly: string, flags: readonly string[] = []): Promise<{ seconds: number; peak: number }> {
  return runCommand(bench, 'deploy', assembly, ['--no-wait', ...flags]); // nothing brings Deployments to life there
}

/** A command of its own process; `peak` in KiB. */
async function runCommand(
  bench: Bench,
  verb: 'deploy' | 'diff',
  assembly: string,
  flags: readonly string[],
): Promise<{ seconds: number; peak: number }> {
  const hook = `process.on('exit', () => require('node:fs').writeSync(2, '\\nPEAK ' + process.resourceUsage().maxRSS + '\\n'))`;
  const preload = path.join(bench.directory, 'peak.cjs');
  await writeFile(preload, hook);
  const { seconds: time, stderr } = await run(process.execPath, ['--require', preload, command, verb, '-a', assembly, ...flags], {
    KUBECONFIG: bench.kubeconfig,
  });
  return { seconds: time, peak: Number(/PEAK (\d+)/.exec(stderr)?.[1]) };
}

export async function synthesize(bench: Bench, namespace: string, count: number): Promise<string> {
  await makeNamespace(bench, namespace);
  const outdir = path.join(bench.directory, namespace);
  const app = new App({ name: 'bench', instance: namespace, outdir });
  const stack = new Stack(app, 'all', { namespace });
  for (const object of mixedObjects(count, namespace)) stack.own(object as never);
  app.synth();
  return outdir;
}

/** Removes Services between measurements: creating one takes longer the more there are, so that later measurements would seem slower. */
export async function removeServices(bench: Bench, namespace: string): Promise<void> {
  const transport = new Transport(await connect({ kubeconfig: bench.kubeconfig }));
  await transport.send({ method: 'DELETE', path: plurals.Service!.replace('NS', namespace) });
  transport.close();
}

async function runBare(bench: Bench, namespace: string, count: number): Promise<number> {
  return bareLoop(connectionOf(bench.kubeconfig), await preparePatches(bench, namespace, count));
}

async function preparePatches(bench: Bench, namespace: string, count: number): Promise<BareRequest[]> {
  await makeNamespace(bench, namespace);
  return mixedObjects(count, namespace).map((object) => {
    const collection = plurals[object.kind as string]!.replace('NS', namespace);
    const { name } = object.metadata as { name: string };
    return { path: `${collection}/${name}?fieldManager=${manager}&force=false`, body: JSON.stringify(object) };
  });
}

export async function makeNamespace(bench: Bench, name: string): Promise<void> {
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  await bareLoop(connectionOf(bench.kubeconfig), [{ path: `/api/v1/namespaces/${name}?fieldManager=${manager}`, body }]);
}

async function run(
  file: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ seconds: number; stdout: string; stderr: string }> {
  const start = performance.now();
  const child = spawn(file, words, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (chunk: Buffer) => (output[name] += chunk));
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (code !== 0)
    throw new Error(`${path.basename(file)} ${words.join(' ')} ended with ${code}: ${`${output.stdout}${output.stderr}`.slice(-2000)}`);
  return { seconds: (performance.now() - start) / 1000, ...output };
}

function seconds(value: number): string {
  return `${value.toFixed(2)} s`;
}
