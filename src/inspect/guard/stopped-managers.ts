import { identityKey, managersOf, objectText } from '../../assembly/identity.js';
import type { Assembly } from '../../assembly/types.js';
import { OtherOwners, OwnerNameResolver } from '../../engine/inventory/owner-name-resolver.js';
import { readLive } from '../../engine/live/read-live.js';
import { defaultConcurrency } from '../../engine/run/options.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { ownerText } from '../../ownership/index.js';
import type { GuardedStep } from './guards-of.js';

/** A manager that owns guarded fields besides the stack, and that a guard would stop if its user is not exempt. */
export interface StoppedManager {
  /** Such as `kubectl-edit (Update)`, or the name of a stack. */
  readonly manager: string;
  /** Its guarded fields, as `.spec.replicas of Deployment shop/web`. */
  readonly fields: readonly string[];
}

/** Reads who else owns the guarded fields of the live objects, by managedFields; objects that cannot be read are named in `unread`. */
export async function stoppedManagers(
  assembly: Assembly,
  cluster: ClusterClient,
  steps: readonly GuardedStep[],
): Promise<{ readonly stopped: readonly StoppedManager[]; readonly unread: readonly string[] }> {
  const wanted = steps.map(({ step }) => [identityKey(step.intent), step.intent] as const);
  const live = await readLive(cluster, [...new Map(wanted)], defaultConcurrency);
  const names = OwnerNameResolver.of(assembly.manifest);
  const found = new Map<string, string[]>();
  for (const { step, fields } of steps) {
    const owners = new OtherOwners(live.get(identityKey(step.intent)), managersOf(step.stack), names);
    for (const { text } of fields) {
      for (const owner of owners.around(text)) {
        const manager = owner.stack === undefined ? ownerText({ subresource: '', ...owner }) : `stack ${owner.stack}`;
        found.set(manager, [...(found.get(manager) ?? []), `${text} of ${objectText(step.intent)}`]);
      }
    }
  }
  const unread = steps.filter(({ step }) => !live.has(identityKey(step.intent))).map(({ step }) => objectText(step.intent));
  return { stopped: [...found.keys()].sort().map((manager) => ({ manager, fields: found.get(manager) ?? [] })), unread };
}
