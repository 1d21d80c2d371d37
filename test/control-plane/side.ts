import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startControllerManager } from '../broken-workloads/controller-manager.js';
import type { Environment } from '../harness/binaries.js';
import { ref, TestCluster } from '../harness/cluster.js';
import { type Daemon, startDaemon } from '../harness/process.js';
import { startServer } from '../harness/server.js';
import { OutsideKubelet } from '../simulated/outside-kubelet.js';
import { startOperator } from './operator.js';

/** A server with a real controller manager and a real scheduler beside it, and perhaps an operator. */
export interface Side {
  readonly name: 'real' | 'embedded';
  readonly cluster: TestCluster;
  /** Returns the lines in which the controller manager, the scheduler or the operator was refused something, or did not understand the server. */
  refusals(): readonly string[];
  stop(): Promise<void>;
}

/** The server of a side, and the file with the key that signs the tokens of ServiceAccounts. */
interface Started {
  readonly kubeconfig: string;
  readonly key: string;
  stop(): Promise<void>;
}

const entry = fileURLToPath(new URL('../../lib/src/cli/main.cjs', import.meta.url));

/** The directories with the controller manager and the scheduler, and with the operator, if it runs, too. */
export interface Binaries {
  readonly controlPlane: string;
  readonly operator?: string | undefined;
}

export async function startSide(name: Side['name'], binaries: Binaries, environment: Environment): Promise<Side> {
  const directory = mkdtempSync(join(tmpdir(), `fieldwise-control-plane-${name}-`));
  const started = name === 'real' ? await realServer(environment) : await embeddedServer(directory);
  const cluster = new TestCluster(started.kubeconfig);
  const ca = join(directory, 'ca.crt');
  writeFileSync(ca, cluster.client.connection.ca ?? '');
  const controllers = startControllerManager(join(binaries.controlPlane, 'controller-manager'), started.kubeconfig, directory, {
    flags: controllerFlags(ca, started.key),
  });
  const scheduler = startScheduler(join(binaries.controlPlane, 'scheduler'), started.kubeconfig, directory);
  const daemons: Daemon[] = [controllers, scheduler];
  const kubelet = new OutsideKubelet(cluster, 0.5, false);
  const stop = async () => {
    await kubelet.stop();
    await Promise.all(daemons.map((daemon) => daemon.stop()));
    cluster.client.close();
    await started.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    await controllers.untilReady(async () => (await cluster.find(ref('v1', 'ServiceAccount', 'default', 'default'))) !== undefined, 120);
    await kubelet.start();
    if (binaries.operator !== undefined) daemons.push(await startOperator(cluster, binaries.operator, directory));
  } catch (error) {
    await stop();
    throw error;
  }
  return { name, cluster, refusals: () => refusalsIn(directory), stop };
}

/** The flags of kubeadm, and shorter periods. */
function controllerFlags(ca: string, key: string): Readonly<Record<string, string>> {
  return {
    controllers: '*,bootstrap-signer-controller,token-cleaner-controller',
    'use-service-account-credentials': 'true',
    'leader-elect': 'true',
    'root-ca-file': ca,
    'service-account-private-key-file': key,
    'allocate-node-cidrs': 'true',
    'cluster-cidr': '10.244.0.0/16',
    'horizontal-pod-autoscaler-sync-period': '5s',
    'node-monitor-grace-period': '1h',
    'pvclaimbinder-sync-period': '2s',
    'resource-quota-sync-period': '5s',
  };
}

function startScheduler(binary: string, kubeconfig: string, directory: string): Daemon {
  const flags = { kubeconfig, 'leader-elect': 'false', 'secure-port': '0', 'authentication-skip-lookup': 'true' };
  const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  return startDaemon(binary, args, join(directory, 'scheduler.log'));
}

async function realServer(environment: Environment): Promise<Started> {
  const server = await startServer(environment);
  return { ...server, key: join(dirname(server.kubeconfig), 'service-account.key'), stop: () => server.stop() };
}

async function embeddedServer(directory: string): Promise<Started> {
  const data = join(directory, 'data');
  const args = [entry, 'cluster', 'start', '--foreground', '--no-controllers', '--no-fsync', '--data', data];
  const server = startDaemon(process.execPath, args, join(directory, 'server.log'));
  const kubeconfig = join(data, 'kubeconfig');
  await server.untilReady(() => existsSync(kubeconfig), 60);
  const key = join(directory, 'service-account.key');
  writeFileSync(key, JSON.parse(readFileSync(join(data, 'identity.json'), 'utf8')).signingKey, { mode: 0o600 });
  return { kubeconfig, key, stop: () => server.stop() };
}

const refused =
  /forbidden|Unauthorized|decod|could not find the requested resource|the server does not allow this method|unsupported|missing permission/i;
/** The lines of warnings and errors in the logs of the control plane, and of the operator. */
const problems = /^(?:[EWF]\d{4} |ts=\S+ level=(?:warn|error) )/;
/** Refusals that hang on who was first: a namespace that is deleted refuses all, and an allocator with a late cache gives a Node a second range. */
const raced = /because it is being terminated|node updates may not change podCIDR/;

function refusalsIn(directory: string): readonly string[] {
  const logs = ['controller-manager.log', 'scheduler.log', 'operator.log']
    .map((name) => join(directory, name))
    .filter(existsSync)
    .map((path) => readFileSync(path, 'utf8'));
  return logs.flatMap((log) => log.split('\n').filter((line) => problems.test(line) && refused.test(line) && !raced.test(line)));
}
