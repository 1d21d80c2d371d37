import type { Strategy } from '../../assembly/policy-vocabulary.js';
import type { IntentPolicy } from '../../assembly/types.js';
import { ApiError, type ClusterClient } from '../../kubernetes/index.js';
import { ChangedStep, type Step } from '../graph/declared-step.js';
import type { RunDiagnostic } from '../report/run-diagnostic.js';
import type { RunOptions } from '../run/options.js';
import { resolveScopes } from './scope.js';

/**
 * Returns the effective strategy for an intent: the one requested for the run; else `dynamic` where the server has no server-side apply;
 * else the one of its policy.
 */
export function effectiveStrategy(
  { strategy }: Pick<IntentPolicy, 'strategy'>,
  override: Strategy | undefined,
  serverHasApply: boolean,
): Strategy {
  return override ?? (serverHasApply ? (strategy ?? 'server-side') : 'dynamic');
}

/**
 * Returns steps with their effective scope and strategy for this run and server. The server's version is requested once, along with
 * discovery, and only where it can change a strategy.
 */
export async function effectiveSteps(
  cluster: ClusterClient,
  declared: readonly Step[],
  { strategy: requestedStrategy }: Pick<RunOptions, 'strategy'>,
  onWarning: (warning: RunDiagnostic) => void,
): Promise<readonly Step[]> {
  const isOpen = requestedStrategy === undefined && declared.some(({ intent }) => intent.policy.strategy === undefined);
  const [steps, version] = await Promise.all([resolveScopes(cluster, declared), isOpen ? versionOf(cluster) : undefined]);
  const hasApply = version === undefined || appliesOnServer(version);
  if (!hasApply) onWarning(warningOf(cluster.server, version));
  return steps.map((step) => withStrategy(step, effectiveStrategy(step.intent.policy, requestedStrategy, hasApply)));
}

function withStrategy(step: Step, strategy: Strategy): Step {
  if (strategy === (step.intent.policy.strategy ?? 'server-side')) return step;
  const { strategy: _, ...others } = step.intent.policy;
  const policy: IntentPolicy = strategy === 'dynamic' ? { ...others, strategy } : others;
  return new ChangedStep(step, { ...step.intent, policy });
}

/**
 * Reads the server's version.
 *
 * @returns undefined where the server refuses: it then counts as one with server-side apply, and its refusals are reported with the object.
 */
async function versionOf(cluster: ClusterClient): Promise<string | undefined> {
  try {
    return await cluster.version();
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/**
 * Returns true if a server has server-side apply for certain: it is generally available from Kubernetes 1.22 on. Source: Kubernetes
 * documentation "Server-Side Apply".
 */
export function appliesOnServer(version: string): boolean {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
  if (major === undefined) return true;
  return Number(major) > 1 || (Number(major) === 1 && Number(minor) >= 22);
}

function warningOf(server: string, version: string): RunDiagnostic {
  return {
    event: 'warning',
    code: 'server-without-apply',
    message: `${server} is Kubernetes ${version}, and server-side apply is certain from 1.22 on: every intent is merged client-side (strategy dynamic)`,
    next: 'To have the server apply anyway, set --strategy server-side (library: `strategy`).',
  };
}
