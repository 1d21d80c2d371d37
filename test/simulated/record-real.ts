import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startControllerManager } from '../broken-workloads/controller-manager.js';
import type { Environment } from '../harness/binaries.js';
import { ref, TestCluster } from '../harness/cluster.js';
import { startServer } from '../harness/server.js';
import { OutsideKubelet } from './outside-kubelet.js';
import { recordAll } from './record-embedded.js';
import type { Recording } from './recording.js';
import type { Scenario } from './scenario.js';

/** Records scenarios on a real API server with a real controller manager; the pods live as in the simulation. */
export async function recordReal(
  scenarios: readonly Scenario[],
  binary: string,
  environment: Environment,
): Promise<ReadonlyMap<string, Recording | Error>> {
  const directory = mkdtempSync(join(tmpdir(), 'fieldwise-simulated-'));
  const server = await startServer(environment);
  const cluster = new TestCluster(server.kubeconfig);
  const ca = join(directory, 'ca.crt');
  writeFileSync(ca, cluster.client.connection.ca ?? '');
  const controllers = startControllerManager(binary, server.kubeconfig, directory, {
    controllers: ['persistentvolumeclaim-protection-controller', 'root-ca-certificate-publisher-controller'],
    flags: { 'root-ca-file': ca },
  });
  const kubelet = new OutsideKubelet(cluster, 1);
  try {
    await controllers.untilReady(async () => (await cluster.find(ref('v1', 'ServiceAccount', 'default', 'default'))) !== undefined, 120);
    await kubelet.start();
    return await recordAll(cluster, scenarios, 2_000);
  } finally {
    await kubelet.stop();
    await controllers.stop();
    cluster.client.close();
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}
