import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stringify } from 'yaml';
import { readAssembly } from '../../lib/src/assembly/index.js';
import type { Assembly } from '../../lib/src/assembly/types.js';
import { deploy, plan } from '../../lib/src/deploy/index.js';
import { App, Stack } from '../../lib/src/entry/index.js';
import { startSimulation } from '../../lib/src/entry/simulation.js';
import { connect, createClusterClient, Transport } from '../../lib/src/kubernetes/index.js';
import { startServer } from '../harness/server.js';
import { bareLoop } from './bare-loop.js';
import { connectionOf } from './connection.js';
import { type Figure, median } from './figures.js';
import { mixedObjects } from './objects.js';

const objects = 1_000;
const kubectlObjects = 200;
const rounds = 3;
const namespace = 'plan';
const plurals: Record<string, string> = {
  ConfigMap: '/api/v1/namespaces/plan/configmaps',
  ServiceAccount: '/api/v1/namespaces/plan/serviceaccounts',
  Service: '/api/v1/namespaces/plan/services',
  Deployment: '/apis/apps/v1/namespaces/plan/deployments',
};

/** Plans of 1,000 unchanged objects, beside a bare loop of dry runs and kubectl in the same run. */
export async function planFigures(print: (figure: Figure) => void): Promise<void> {
  const server = await startServer();
  const directory = await mkdtemp(path.join(tmpdir(), 'fieldwise-bench-'));
  try {
    await measure(server.kubeconfig, server.kubectl, directory, print);
  } finally {
    await rm(directory, { recursive: true, force: true });
    await server.stop();
  }
}

async function measure(kubeconfig: string, kubectl: string | undefined, directory: string, print: (figure: Figure) => void): Promise<void> {
  const assembly = await prepare(kubeconfig, directory);
  const manager = assembly.manifest.stacks[0]?.manager ?? '';
  const dryRuns = mixedObjects(objects, namespace).map((object) => {
    const { name } = object.metadata as { name: string };
    const query = `fieldManager=${encodeURIComponent(manager)}&force=false&dryRun=All`;
    return { path: `${plurals[object.kind as string]}/${name}?${query}`, body: JSON.stringify(object) };
  });
  const times = { bare: [] as number[], server: [] as number[], schema: [] as number[] };
  await timePlan(kubeconfig, assembly, true);
  for (let round = 0; round < rounds; round++) {
    times.bare.push(await bareLoop(connectionOf(kubeconfig), dryRuns));
    times.server.push(await timePlan(kubeconfig, assembly, false));
    times.schema.push(await timePlan(kubeconfig, assembly, true));
  }
  const ratio = (of: keyof typeof times) => median(times[of].map((time, round) => time / times.bare[round]!));
  const seconds = (values: readonly number[]) => `${median(values).toFixed(2)} s`;
  print({ name: `bare loop of dry runs, ${objects} objects, unchanged`, value: seconds(times.bare) });
  const ofBare = (of: keyof typeof times, atMost: number) => ({ of: 'bare loop', value: ratio(of), target: { atMost } });
  print({ name: 'plan (unchanged), by the server', value: seconds(times.server), ratio: ofBare('server', 1.3) });
  print({ name: 'plan (unchanged), read-only, by the schema', value: seconds(times.schema), ratio: ofBare('schema', 0.25) });
  if (kubectl === undefined) return print({ name: 'kubectl', value: 'not present' });
  const manifests = path.join(directory, 'kubectl.yaml');
  const texts = mixedObjects(kubectlObjects, namespace).map((object) => `---\n${stringify(object)}`);
  await writeFile(manifests, texts.join(''));
  const words = ['diff', '--server-side', '--field-manager', manager, '-f', manifests];
  const scaled = ((await timeCommand(kubectl, words, kubeconfig)) * objects) / kubectlObjects;
  const value = scaled / median(times.server);
  print({
    name: `kubectl diff --server-side, ${kubectlObjects} scaled`,
    value: `${scaled.toFixed(2)} s`,
    ratio: { of: 'plan, by the server', value },
  });
}

/** The objects as a deploy has left them. */
async function prepare(kubeconfig: string, directory: string): Promise<Assembly> {
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await bareLoop(connectionOf(kubeconfig), [{ path: `/api/v1/namespaces/${namespace}?fieldManager=bench`, body }]);
  const outdir = path.join(directory, 'assembly');
  const app = new App({ name: 'bench', outdir });
  const stack = new Stack(app, 'all', { namespace });
  for (const object of mixedObjects(objects, namespace)) stack.own(object as never);
  app.synth();
  const assembly = await readAssembly(outdir);
  const cluster = createClusterClient(new Transport(await connect({ kubeconfig })), 'default');
  const summary = await deploy(assembly, cluster, { wait: false }, () => {});
  cluster.close();
  if (summary.counts.created !== objects) throw new Error(`the deploy ended with ${JSON.stringify(summary)}`);
  return assembly;
}

async function timePlan(kubeconfig: string, assembly: Assembly, readOnly: boolean): Promise<number> {
  const start = performance.now();
  const cluster = createClusterClient(new Transport(await connect({ kubeconfig })), 'default');
  const options = { readOnly, simulate: (version: string) => startSimulation('default', version) };
  const summary = await plan(assembly, cluster, options, () => {});
  cluster.close();
  if (summary.counts.unchanged !== objects) throw new Error(`a plan ended with ${JSON.stringify(summary)}`);
  return (performance.now() - start) / 1000;
}

/** Seconds of a kubectl diff that finds nothing or something. */
async function timeCommand(file: string, words: readonly string[], kubeconfig: string): Promise<number> {
  const start = performance.now();
  const child = spawn(file, words, { env: { ...process.env, KUBECONFIG: kubeconfig }, stdio: 'ignore' });
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (code !== 0 && code !== 1) throw new Error(`${path.basename(file)} ${words.join(' ')} ended with ${code}`);
  return (performance.now() - start) / 1000;
}
