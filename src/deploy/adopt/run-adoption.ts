import type { Assembly } from '../../assembly/types.js';
import { intentStepsOf, type Step } from '../../engine/graph/waves.js';
import type { StackIdentity } from '../../engine/inventory/inventory-store.js';
import { resolveScopes } from '../../engine/prepare/scope.js';
import { selectStacks } from '../../engine/prepare/select-stacks.js';
import type { EventHost } from '../../engine/report/events.js';
import type { RunOptions } from '../../engine/run/options.js';
import { beginSession, type Session } from '../../engine/run/session.js';
import type { ClusterClient } from '../../kubernetes/index.js';

/** An adoption whose stacks are locked. */
export interface RunningAdoption {
  readonly session: Session;
  readonly identities: readonly StackIdentity[];
  /** The intents of the selected stacks. */
  readonly steps: readonly Step[];
}

/**
 * Locks the selected stacks and those that give up fields, and does the work of an adoption with the intents of the former.
 *
 * @throws FieldwiseError `stack-unknown`, and the errors of locks.
 */
export async function runAdoption<Result>(
  assembly: Assembly,
  cluster: ClusterClient,
  options: Pick<RunOptions, 'stacks' | 'inventoryNamespace' | 'lockTimeoutSeconds' | 'leaseDurationSeconds' | 'signal'>,
  host: EventHost,
  work: (adoption: RunningAdoption) => Promise<Result>,
  previous: readonly StackIdentity[] = [],
): Promise<Result> {
  const { app, instance } = assembly.manifest;
  const stacks = selectStacks(assembly, options.stacks);
  const identities = stacks.map(({ name, manager }) => ({ app, instance, stack: name, manager }));
  const others = previous.filter(({ manager }) => !identities.some((identity) => identity.manager === manager));
  const session = await beginSession(cluster, [...identities, ...others], options, host);
  try {
    const steps = await resolveScopes(session.cluster, intentStepsOf(assembly, stacks));
    return await work({ session, identities, steps });
  } finally {
    await session.end();
  }
}
