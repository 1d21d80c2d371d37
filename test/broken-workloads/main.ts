import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ref, TestCluster } from '../harness/cluster.js';
import { endWithUsage, readFlags } from '../harness/script-flags.js';
import { startServer } from '../harness/server.js';
import type { BrokenWorkload } from './broken-workload.js';
import { checkDeploy, failureOf } from './check-deploy.js';
import { findControllerManager, startControllerManager } from './controller-manager.js';
import { deployBroken, type Scene } from './deploy-broken.js';
import { FakeKubelet } from './fake-kubelet.js';
import { brokenWorkloads } from './workloads.js';

const usage = `Usage: npm run campaign -- broken-workloads [--only NAME,…] [--long] [--sample] [--show]
Deploys workloads that do not become ready to a real kube-apiserver with a real kube-controller-manager; a kubelet and a scheduler of the
test write the statuses and events of pods. The failure must name the cause and the line of the program, at most 10 s after the cause is
certain. --long adds the workloads whose cause takes minutes, --sample runs a few fast ones and only prints their times, --show prints what
the deploys print.
The controller manager is built once, which takes about four minutes; --sample does not build it, and is skipped without it.`;
const { values } = readFlags(usage, {
  options: { only: { type: 'string' }, long: { type: 'boolean' }, sample: { type: 'boolean' }, show: { type: 'boolean' } },
});

/** Of a person's environment, what names another server: this one has controllers of its own. */
const { KUBECONFIG_TEST: _, KUBEBUILDER_ASSETS: __, ...environment } = process.env;

function chosenWorkloads(): readonly BrokenWorkload[] {
  if (values.sample) return brokenWorkloads.filter(({ inSample }) => inSample);
  if (values.only === undefined) return brokenWorkloads.filter(({ isLong }) => !isLong || values.long);
  const names = values.only.split(',');
  const unknown = names.find((name) => !brokenWorkloads.some((workload) => workload.name === name));
  if (unknown !== undefined) {
    endWithUsage(usage, `No broken workload is named ${unknown}. There are ${brokenWorkloads.map(({ name }) => name).join(', ')}.`);
  }
  return brokenWorkloads.filter(({ name }) => names.includes(name));
}

async function main(): Promise<void> {
  const workloads = chosenWorkloads();
  const binary = await findControllerManager(environment, !values.sample);
  if (binary === undefined) return withoutControllerManager();
  const directory = mkdtempSync(join(tmpdir(), 'fieldwise-broken-'));
  const server = await startServer(environment);
  const controllers = startControllerManager(binary, server.kubeconfig, directory);
  const cluster = new TestCluster(server.kubeconfig);
  const lives = new Map(workloads.flatMap(({ name, life }) => (life ? [[name, life] as const] : [])));
  const kubelet = new FakeKubelet(cluster, lives);
  try {
    await controllers.untilReady(async () => (await cluster.find(ref('v1', 'ServiceAccount', 'default', 'default'))) !== undefined, 60);
    await kubelet.start();
    const passed = await Promise.all(workloads.map((workload) => tryWorkload(workload, { cluster, kubelet, directory })));
    const failed = passed.filter((good) => !good).length;
    console.log(`${passed.length - failed} passed, ${failed} failed`);
    process.exitCode = failed === 0 ? 0 : 1;
  } finally {
    await kubelet.stop();
    await controllers.stop();
    cluster.client.close();
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

function withoutControllerManager(): void {
  if (!values.sample) throw new Error('There is no controller manager in the cache, and no go on PATH to build it.');
  console.log('skipped: there is no controller manager in the cache; npm run campaign -- broken-workloads builds it with Go');
  console.log('0 passed, 0 failed');
}

async function tryWorkload(workload: BrokenWorkload, scene: Scene): Promise<boolean> {
  try {
    const deploy = await deployBroken(workload, scene);
    const problems = checkDeploy(workload, deploy, !values.sample);
    const late = deploy.late === undefined ? '' : `, ${deploy.late.toFixed(1)} s after the cause was certain`;
    const word = problems.length === 0 ? 'ok' : 'FAILED';
    console.log(`${word} ${workload.name}: ${deploy.seconds.toFixed(1)} s${late}: ${failureOf(deploy.output) ?? ''}`);
    for (const problem of problems) console.log(`  ${problem}`);
    if (values.show || problems.length > 0) console.log(deploy.output.replaceAll(/^/gm, '  > '));
    return problems.length === 0;
  } catch (error) {
    console.log(`FAILED ${workload.name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return false;
  }
}

await main();
