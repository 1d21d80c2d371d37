import { formerManagersOf } from '../assembly/identity.js';
import { moveToServerSide } from '../engine/apply/move-to-server-side.js';
import type { Step } from '../engine/graph/waves.js';
import { causeOf } from '../engine/object/apply-failure.js';
import { explain } from '../engine/report/explain.js';
import type { ClusterClient, ObjectAddress } from '../kubernetes/index.js';
import { appliedIntentOf } from '../ownership/index.js';
import { FieldwiseError } from '../util/error.js';
import type { JsonObject } from '../util/json.js';
import type { DryRunResult } from './dry-run.js';

/** Returns true if the deploy moves an object from the strategy `dynamic` to `server-side`. */
export function movesToServerSide({ intent, stack }: Step, live: JsonObject): boolean {
  return intent.policy.strategy !== 'dynamic' && appliedIntentOf(live, stack.manager) !== undefined;
}

/**
 * Plans an apply that moves its object to `server-side`: blocked if others would lose values by it. Carries out the move, so `cluster` must
 * be a simulation.
 */
export async function dryRunStrategyMove(
  cluster: ClusterClient,
  step: Step,
  address: ObjectAddress,
  planned: DryRunResult,
): Promise<DryRunResult> {
  if (planned.after === undefined) return planned;
  const { manager } = step.stack;
  const task = { address, object: step.object, manager, formerManagers: formerManagersOf(step.stack), policy: step.intent.policy };
  try {
    await moveToServerSide(cluster, task);
    return planned;
  } catch (failure) {
    const error = causeOf(failure);
    if (!(error instanceof FieldwiseError) || error.code !== 'strategy-move-loses') throw error;
    const { action: _, reason: __, ...plannedChange } = planned.plannedChange;
    return { plannedChange: { ...plannedChange, action: 'blocked', error: explain(error) } };
  }
}
