import { formerManagersOf } from '../../../assembly/identity.js';
import type { PartialObject } from '../../../assembly/types.js';
import { type ApplyTask, dynamicOf } from '../../../engine/apply/apply-task.js';
import type { Step } from '../../../engine/graph/waves.js';
import type { ObjectAddress } from '../../../kubernetes/index.js';
import type { StepContext } from './step-context.js';

/** Returns the task of applying an intent. Without a context, nothing that was agreed or read before the run counts. */
export function stepTask(
  step: Step,
  address: ObjectAddress,
  {
    planned,
    approvedCollateral,
    mayRemove,
    known,
    live,
    mayForce,
    isLeaving,
    beforeLoss,
    checkReleases,
    onMayArriveLate,
  }: Partial<StepContext> = {},
): ApplyTask {
  const { manager } = step.stack;
  return {
    address,
    object: step.object as PartialObject,
    manager,
    formerManagers: formerManagersOf(step.stack),
    policy: step.intent.policy,
    ...dynamicOf(step.intent.policy),
    ...(planned?.uid === undefined ? {} : { uid: planned.uid }),
    ...(planned === undefined ? {} : { expects: planned.expects }),
    approvedCollateral,
    mayRemove,
    appliedAt: known?.appliedAt,
    live,
    mayForce,
    isLeaving,
    beforeLoss,
    checkReleases,
    onMayArriveLate,
  };
}
