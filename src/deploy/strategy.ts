import type { IntentPolicy, Strategy } from '../assembly/types.js';
import { ApiError, type Cluster } from '../cluster/index.js';
import type { RunWarning } from './events.js';
import type { RunOptions } from './options.js';

/** How a run brings intents into its cluster. */
export interface RunStrategy {
  /** Of one intent. */
  of(policy: Pick<IntentPolicy, 'strategy'>): Strategy;
  /** What the person should know, where the server forces the strategy. */
  readonly warning?: RunWarning;
}

/**
 * The strategy in force for an intent: what the person asks of the run; else `dynamic` where the server has no server-side apply; else
 * what its policy says.
 */
export function effectiveStrategy(
  { strategy }: Pick<IntentPolicy, 'strategy'>,
  asked: Strategy | undefined,
  serverHasApply: boolean,
): Strategy {
  return asked ?? (serverHasApply ? (strategy ?? 'server-side') : 'dynamic');
}

/**
 * Asks the server once for its version, unless the answer would change nothing. A server that does not tell is taken as one that applies:
 * what it then refuses is reported with the object.
 */
export async function strategyOfRun(cluster: Cluster, { strategy: asked }: Pick<RunOptions, 'strategy'>): Promise<RunStrategy> {
  const version = asked === undefined ? await versionOf(cluster) : undefined;
  const hasApply = version === undefined || appliesOnServer(version);
  const of = (policy: Pick<IntentPolicy, 'strategy'>) => effectiveStrategy(policy, asked, hasApply);
  return hasApply ? { of } : { of, warning: warningOf(cluster.server, version) };
}

async function versionOf(cluster: Cluster): Promise<string | undefined> {
  try {
    return await cluster.version();
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** From Kubernetes 1.22 server-side apply is generally available. Source: Kubernetes documentation "Server-Side Apply". */
export function appliesOnServer(version: string): boolean {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
  if (major === undefined) return true;
  return Number(major) > 1 || (Number(major) === 1 && Number(minor) >= 22);
}

function warningOf(server: string, version: string): RunWarning {
  return {
    event: 'warning',
    code: 'server-without-apply',
    message: `${server} is Kubernetes ${version}, and server-side apply is certain from 1.22 on: every intent is merged on this side (strategy dynamic)`,
    next: 'To have the server apply all the same, give --strategy server-side.',
  };
}
