import type { Strategy } from '../../src/assembly/policy-vocabulary.js';
import type { Assembly } from '../../src/assembly/types.js';
import { type DeployEvent, deploy, destroy, type RunOptions, type RunSummary } from '../../src/deploy/index.js';
import { type Cluster, connect, createClusterClient, Transport } from '../../src/kubernetes/index.js';

/** A finished run and its events. */
export interface Finished {
  readonly summary: RunSummary;
  readonly events: readonly DeployEvent[];
}

/** Seconds that a lock outlives its holder; short, so that campaigns need not wait. */
export const leaseSeconds = 1;

export interface EngineOptions {
  readonly kubeconfig: string;
  readonly namespace: string;
  /** 1 makes the order of requests the same each time. */
  readonly concurrency?: number;
  /** Milliseconds; a server that is dead in a campaign stays dead. */
  readonly patience?: number;
  readonly waitLock?: number;
  readonly strategy?: Strategy;
}

export async function runDeploy(assembly: Assembly, options: EngineOptions): Promise<Finished> {
  return run(options, (cluster, runOptions, host) => deploy(assembly, cluster, runOptions, host));
}

export async function runDestroy(assembly: Assembly, options: EngineOptions): Promise<Finished> {
  return run(options, (cluster, runOptions, host) => destroy(assembly.manifest, cluster, runOptions, host));
}

async function run(
  { kubeconfig, namespace, concurrency = 1, patience = 1_500, waitLock, strategy }: EngineOptions,
  verb: (cluster: Cluster, options: RunOptions, host: (event: DeployEvent) => void) => Promise<RunSummary>,
): Promise<Finished> {
  const events: DeployEvent[] = [];
  const cluster = createClusterClient(new Transport(await connect({ kubeconfig }), { concurrency, retryTimeoutMs: patience }), namespace);
  try {
    const options = {
      concurrency,
      inventoryNamespace: namespace,
      prune: true,
      wait: false,
      leaseSeconds,
      confirm: async () => true,
      yes: true,
    };
    const given = { ...(waitLock === undefined ? {} : { waitLock }), ...(strategy === undefined ? {} : { strategy }) };
    const summary = await verb(cluster, { ...options, ...given }, (event) => events.push(event));
    return { summary, events };
  } finally {
    cluster.close();
  }
}

/** What went wrong in a run that should have gone well, if anything. */
export function complaintsOf(what: string, { summary, events }: Finished): string[] {
  if (summary.ok) return [];
  const bad = events.filter((event) => event.event === 'object' && ['failed', 'conflict', 'skipped'].includes(event.result));
  return [`${what} ended with ${summary.exitCode}: ${JSON.stringify([...summary.errors, ...bad.slice(0, 3)])}`];
}
