import type { Strategy } from '../../src/assembly/policy-vocabulary.js';
import type { Assembly } from '../../src/assembly/types.js';
import { type DeployEvent, deploy, type RunSummary } from '../../src/deploy/index.js';
import { connect, createClusterClient, Transport } from '../../src/kubernetes/index.js';

/** A finished run and its events. */
interface EngineRun {
  readonly summary: RunSummary;
  readonly events: readonly DeployEvent[];
}

export interface EngineOptions {
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly strategy: Strategy;
}

export async function runDeploy(assembly: Assembly, { kubeconfig, namespace, strategy }: EngineOptions): Promise<EngineRun> {
  const events: DeployEvent[] = [];
  const concurrency = 4;
  const cluster = createClusterClient(new Transport(await connect({ kubeconfig }), { concurrency, retryTimeoutMs: 60_000 }), namespace);
  try {
    const options = {
      concurrency,
      strategy,
      inventoryNamespace: namespace,
      prune: true,
      wait: false,
      confirm: async () => true,
      yes: true,
    };
    const summary = await deploy(assembly, cluster, options, (event) => events.push(event));
    return { summary, events };
  } finally {
    cluster.close();
  }
}

/** Returns the errors of a run that should have succeeded, if any. */
export function errorsOf(what: string, { summary, events }: EngineRun): string[] {
  if (summary.ok) return [];
  const bad = events.filter((event) => event.event === 'object' && ['failed', 'conflict', 'skipped'].includes(event.result));
  return [`${what} ended with ${summary.exitCode}: ${JSON.stringify([...summary.errors, ...bad.slice(0, 3)])}`];
}
