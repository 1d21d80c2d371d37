import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedApiServer } from '../../src/entry/embedded.js';
import { TestCluster } from '../harness/cluster.js';
import { type Recording, record } from './recording.js';
import type { Scenario } from './scenario.js';

/** Records scenarios on the embedded server with simulated controllers, all at the same time. */
export async function recordEmbedded(scenarios: readonly Scenario[]): Promise<ReadonlyMap<string, Recording | Error>> {
  const directory = mkdtempSync(join(tmpdir(), 'fieldwise-simulated-'));
  const server = await EmbeddedApiServer.start({ controllers: 'simulated', podReadySeconds: 0.3 });
  writeFileSync(join(directory, 'kubeconfig'), server.kubeconfig);
  const cluster = new TestCluster(join(directory, 'kubeconfig'));
  try {
    return await recordAll(cluster, scenarios, 1_000);
  } finally {
    cluster.client.close();
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Records scenarios at the same time. A scenario that does not come to its end is an error. */
export async function recordAll(
  cluster: TestCluster,
  scenarios: readonly Scenario[],
  quietMs: number,
): Promise<ReadonlyMap<string, Recording | Error>> {
  return new Map(
    await Promise.all(
      scenarios.map(async (scenario) => [scenario.name, await record(cluster, scenario, quietMs).catch((error: Error) => error)] as const),
    ),
  );
}
