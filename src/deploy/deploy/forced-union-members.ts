import { formerManagersOf } from '../../assembly/identity.js';
import { applyIntent } from '../../engine/apply/apply-intent.js';
import { removedMemberText } from '../../engine/apply/apply-with-union-claims.js';
import { conflictPolicyFor } from '../../engine/apply/conflict-policy.js';
import { unionClaimOf } from '../../engine/apply/union-claim.js';
import type { Step } from '../../engine/graph/waves.js';
import { ApiError, type ClusterClient, type ObjectAddress } from '../../kubernetes/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';

/**
 * Returns the values of others that an apply would remove because they are incompatible with the intent, found by a dry run. The dry run is
 * sent only if the intent changes a text, or adds a member, beside a member that it does not declare.
 */
export async function forcedUnionMembers(
  cluster: ClusterClient,
  step: Step,
  address: ObjectAddress,
  live: JsonObject,
): Promise<readonly string[]> {
  if (!mayConflictWithUnion(live, step.object)) return [];
  const { policy } = step.intent;
  const task = {
    address,
    object: step.object,
    manager: step.stack.manager,
    formerManagers: formerManagersOf(step.stack),
    policy,
  };
  try {
    await applyIntent(cluster, { ...task, dryRun: true });
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) return []; // The apply itself will report the error.
    const claim = await unionClaimOf(cluster, task, error, live);
    const forcedConflicts = claim?.forcedConflicts ?? [];
    return forcedConflicts.filter(({ field, from }) => conflictPolicyFor(field, from, policy) === 'force').map(removedMemberText);
  }
}

/** Returns true if an intent sets a member beside an existing one that it does not declare. Compares list items by their names. */
function mayConflictWithUnion(live: Json | undefined, intent: Json | undefined): boolean {
  if (Array.isArray(live) && Array.isArray(intent)) {
    return (intent as readonly Json[]).some((item) => {
      if (!isJsonObject(item) || typeof item.name !== 'string') return false;
      return mayConflictWithUnion((live as readonly Json[]).find((other) => isJsonObject(other) && other.name === item.name) as Json, item);
    });
  }
  if (!isJsonObject(live) || !isJsonObject(intent)) return false;
  const names = Object.keys(intent).filter((name) => intent[name] !== undefined);
  const beside = Object.keys(live).filter((name) => intent[name] === undefined && live[name] !== undefined);
  const isFull = (name: string) => isJsonObject(live[name]) && Object.keys(live[name] as JsonObject).length > 0;
  const mayChooseMember = names.some((name) => {
    const [current, declared] = [live[name], intent[name]];
    if (current === undefined) return beside.some((other) => isJsonObject(declared) || isFull(other));
    return typeof current === 'string' && typeof declared === 'string' && current !== declared && beside.some(isFull);
  });
  return mayChooseMember || names.some((name) => mayConflictWithUnion(live[name], intent[name]));
}
