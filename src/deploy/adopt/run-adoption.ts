import type { Assembly } from '../../assembly/types.js';
import { intentStepsOf, type Step } from '../../engine/graph/waves.js';
import type { StackIdentity } from '../../engine/inventory/inventory-store.js';
import type { EventHost } from '../../engine/report/events.js';
import type { RunOptions } from '../../engine/run/options.js';
import { beginSession, type Session } from '../../engine/run/session.js';
import { resolveScopes } from '../../engine/target/scope.js';
import { selectStacks } from '../../engine/target/select-stacks.js';
import type { ClusterClient } from '../../kubernetes/index.js';

/** An adoption whose stacks are locked. */
export interface RunningAdoption {
  readonly session: Session;
  readonly identities: readonly StackIdentity[];
  /** The intents of the selected stacks. */
  readonly steps: readonly Step[];
}

/**
 * Locks the selected stacks, and does the work of an adoption with their intents.
 *
 * @throws FieldwiseError `stack-unknown`, and the errors of locks.
 */
export async function runAdoption<Result>(
  assembly: Assembly,
  cluster: ClusterClient,
  options: Pick<RunOptions, 'stacks' | 'inventoryNamespace' | 'lockTimeoutSeconds' | 'leaseDurationSeconds' | 'signal'>,
  host: EventHost,
  work: (adoption: RunningAdoption) => Promise<Result>,
): Promise<Result> {
  const { app, instance } = assembly.manifest;
  const stacks = selectStacks(assembly, options.stacks);
  const identities = stacks.map(({ name, manager }) => ({ app, instance, stack: name, manager }));
  const session = await beginSession(cluster, identities, options, host);
  try {
    const steps = await resolveScopes(session.cluster, intentStepsOf(assembly, stacks));
    return await work({ session, identities, steps });
  } finally {
    await session.end();
  }
}
