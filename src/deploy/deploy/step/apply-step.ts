import { managersOf } from '../../../assembly/identity.js';
import { addressOf } from '../../../engine/addresses/address.js';
import { isCrd, waitForEstablished } from '../../../engine/addresses/wait-for-established.js';
import { isOtherObject } from '../../../engine/apply/apply-to-one.js';
import { portNameTaken, repeatedPortNames } from '../../../engine/apply/port-name-taken.js';
import { plannedObjectGone } from '../../../engine/apply/preconditions/expectation.js';
import { rejectedIn } from '../../../engine/field-changes/report-releases.js';
import type { Step } from '../../../engine/graph/waves.js';
import { ApplyFailure, causeOf, hasPartialResult, partialResultOf } from '../../../engine/object/apply-failure.js';
import { ApiError, type ObjectAddress } from '../../../kubernetes/index.js';
import type { JsonObject } from '../../../util/json.js';
import { ownOrFinished } from './own.js';
import { share } from './share.js';
import type { AcceptedIntent, StepContext, StepOutcome } from './step-context.js';
import { changesOf } from './step-outcome.js';

const establishTimeoutSeconds = 60;
const schemaPollMilliseconds = 100;

/** Applies one intent by its lifecycle. @throws the refusal of the server. */
export async function applyStep(step: Step, context: StepContext): Promise<StepOutcome> {
  const address = await addressOf(context.cluster, step.intent);
  const apply = step.intent.lifecycle === 'own' ? ownOrFinished : share;
  let established = false;
  const onApplied = (accepted: AcceptedIntent) => {
    established ||= accepted.established;
    context.onApplied(accepted);
  };
  const outcome = await untilNewSchema(context, () => apply(step, address, { ...context, onApplied })).catch(async (failure) => {
    throw await stepFailure(failure, step, address, context);
  });
  if (isCrd(step.intent) && outcome.result !== 'conflict' && !established) {
    const onWait = () => context.onWait({ for: 'established', timeoutSeconds: establishTimeoutSeconds });
    await waitForEstablished(context.cluster, address, step.object, { seconds: establishTimeoutSeconds, signal: context.signal, onWait });
  }
  return outcome;
}

/** Repeats an apply that changed nothing while the server may still apply the previous schema of a kind that this run has changed. */
async function untilNewSchema<T>({ cluster, mayBeOldSchema, signal }: StepContext, apply: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await apply();
    } catch (failure) {
      if (hasPartialResult(failure) || !mayBeOldSchema(causeOf(failure))) throw failure;
      await cluster.machine.pause(schemaPollMilliseconds, signal);
    }
  }
}

/** Returns the error to report for a failed apply. */
async function stepFailure(failure: unknown, step: Step, address: ObjectAddress, context: StepContext): Promise<unknown> {
  const error = causeOf(failure);
  const merged = failure instanceof ApplyFailure ? failure.merged : undefined;
  if (merged !== undefined && error instanceof Error) {
    const changes = changesOf(merged, managersOf(step.stack), context.names);
    const { forcedConflicts = [], ...others } = partialResultOf(failure);
    const forced = [...(changes.forcedConflicts ?? []), ...forcedConflicts];
    return new ApplyFailure(error, { partialResult: { ...changes, ...others, forcedConflicts: forced } });
  }
  if (hasPartialResult(failure)) return failure;
  if (repeatedPortNames(error).length > 0) {
    return portNameTaken(error, await context.cluster.tryGet(address), step.stack.manager) ?? error;
  }
  if (context.planned?.uid === undefined || !isOtherObject(error, context.planned)) return withRejected(failure, step, context.live);
  return plannedObjectGone(step.stack.manager);
}

/** Returns a refusal together with the fields that the server does not let the intent remove. */
function withRejected(error: unknown, step: Step, live: JsonObject | undefined): unknown {
  if (!(error instanceof ApiError) || error.code !== 422 || live === undefined) return error;
  const released = rejectedIn(live, step.object, managersOf(step.stack), error.causes);
  return released.length > 0 ? new ApplyFailure(error, { partialResult: { released } }) : error;
}
