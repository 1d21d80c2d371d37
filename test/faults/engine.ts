import type { Strategy } from '../../src/assembly/policy-vocabulary.js';
import type { Assembly } from '../../src/assembly/types.js';
import { type DeployEvent, deploy, destroy, type RunOptions, type RunSummary } from '../../src/deploy/index.js';
import { type ClusterClient, connect, createClusterClient, Transport } from '../../src/kubernetes/index.js';

/** A finished run and its events. */
export interface EngineRun {
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
  readonly retryTimeoutMs?: number;
  readonly waitLock?: number;
  readonly strategy?: Strategy;
  /** Of a destroy: keeps objects that the server does not accept without the stack's fields. */
  readonly retainRejected?: boolean;
}

export async function runDeploy(assembly: Assembly, options: EngineOptions): Promise<EngineRun> {
  return run(options, (cluster, runOptions, host) => deploy(assembly, cluster, runOptions, host));
}

export async function runDestroy(assembly: Assembly, options: EngineOptions): Promise<EngineRun> {
  return run(options, (cluster, runOptions, host) => destroy(assembly.manifest, cluster, runOptions, host));
}

async function run(
  { kubeconfig, namespace, concurrency = 1, retryTimeoutMs: patience = 1_500, waitLock, strategy, retainRejected }: EngineOptions,
  verb: (cluster: ClusterClient, options: RunOptions, host: (event: DeployEvent) => void) => Promise<RunSummary>,
): Promise<EngineRun> {
  const events: DeployEvent[] = [];
  const cluster = createClusterClient(new Transport(await connect({ kubeconfig }), { concurrency, retryTimeoutMs: patience }), namespace);
  try {
    const options = {
      concurrency,
      inventoryNamespace: namespace,
      prune: true,
      wait: false,
      leaseDurationSeconds: leaseSeconds,
      confirm: async () => true,
      yes: true,
    };
    const given = {
      ...(waitLock === undefined ? {} : { lockTimeoutSeconds: waitLock }),
      ...(strategy === undefined ? {} : { strategy }),
      ...(retainRejected ? { retainRejected } : {}),
    };
    const summary = await verb(cluster, { ...options, ...given }, (event) => events.push(event));
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
