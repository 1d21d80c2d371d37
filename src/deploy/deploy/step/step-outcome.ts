import { formerManagersOf, managersOf } from '../../../assembly/identity.js';
import { changedFields } from '../../../engine/field-changes/changed-fields.js';
import { overwrittenIn } from '../../../engine/field-changes/overwritten-fields.js';
import { releasedIn } from '../../../engine/field-changes/report-releases.js';
import { rewrittenIn } from '../../../engine/field-changes/rewritten-fields.js';
import type { Step } from '../../../engine/graph/waves.js';
import { isEdited } from '../../../engine/inventory/not-as-applied.js';
import type { OwnerNameResolver } from '../../../engine/inventory/owner-name-resolver.js';
import type { Applied, ApplyConflict } from '../../../engine/object/applied.js';
import type { PartialResult } from '../../../engine/object/apply-failure.js';
import { topologyChangedSince } from '../../../engine/object/topology-change.js';
import type { ObjectReport, YieldedField } from '../../../engine/report/events.js';
import type { RunDiagnostic } from '../../../engine/report/run-diagnostic.js';
import { transferFromWarnings } from '../../../engine/transfer/fields-of-subresource.js';
import { lastAppliedWarning } from '../../../engine/transfer/last-applied-diagnostic.js';
import { uidOf } from '../../../fields/object.js';
import { applyEntryOf, type FieldConflict } from '../../../ownership/index.js';
import type { JsonObject } from '../../../util/json.js';
import type { Outcome } from '../../../util/outcome.js';
import { isAffected, type ObjectBefore } from './object-before.js';
import type { StepContext, StepOutcome } from './step-context.js';

/** Returns the outcome of an apply that a conflict has stopped. */
export function conflictOutcome({ conflicts, merged }: ApplyConflict, managers: readonly string[], names: OwnerNameResolver): StepOutcome {
  return { result: 'conflict', conflicts, ...(merged ? changesOf(merged, managers, names) : {}) };
}

/** Returns what an apply changed that did not come to its end. */
export function changesOf(applied: Applied, managers: readonly string[], names: OwnerNameResolver): PartialResult {
  const { forcedConflicts, collateral } = applied;
  return {
    forcedConflicts,
    ...(collateral.length > 0 ? { collateral } : {}),
    ...changedBy(applied, managers, names),
  };
}

/** Returns the report of an apply that the server has accepted. */
export function successReport(
  step: Step,
  applied: Applied,
  before: ObjectBefore | undefined,
  { known, read }: Pick<StepContext, 'known'> & { readonly read: JsonObject | undefined },
) {
  const { manager } = step.stack;
  const result = resultOf(applied, before, manager, known);
  // An object that was read, or that met a conflict, was compared. A list that is merged client-side has items of others, whoever the
  // server has on record for the whole.
  const sameIntent = known?.items !== undefined && !isEdited(known, step) && step.intent.policy.strategy !== 'dynamic';
  const unread = read === undefined && sameIntent && applied.forcedConflicts.length + applied.yielded.length === 0;
  const retyped =
    unread && (result === 'updated' || result === 'applied') && isAffected(before, applied)
      ? topologyChangedSince(applied.response.object, managersOf(step.stack), known.items)
      : [];
  return {
    result,
    forcedConflicts: unread ? retyped : applied.forcedConflicts,
    yielded: applied.yielded.map(yieldedField),
    ...(applied.collateral.length > 0 ? { collateral: applied.collateral } : {}),
    ...rewrittenBy(applied, manager),
    warnings: applied.response.warnings,
  };
}

/** Returns the declared fields of which the server keeps another value. */
function rewrittenBy({ response, sent }: Applied, manager: string): Pick<ObjectReport, 'rewritten'> {
  const rewritten = rewrittenIn(response.object, sent, manager);
  return rewritten.length > 0 ? { rewritten } : {};
}

/**
 * Returns the warnings about fields that other clients keep after an apply, or will delete or reset: `transferFrom` does not end the ownership
 * through a subresource, and a client whose field was taken by force may still have it in its last-applied annotation.
 */
export function warningsAfter(step: Step, { forcedConflicts, response: { object } }: Applied): readonly RunDiagnostic[] {
  const isForced = forcedConflicts.some(({ operation }) => operation === 'Update');
  const warnings = [...transferFromWarnings(step, object), isForced ? lastAppliedWarning(step, object) : undefined];
  return warnings.filter((warning) => warning !== undefined);
}

/** Returns the report of a conflict that changed no value. */
function yieldedField({ oldValue, newValue, ...owned }: FieldConflict): YieldedField {
  return { ...owned, ...(oldValue === undefined ? {} : { value: oldValue }), ...(newValue === undefined ? {} : { declared: newValue }) };
}

/** Returns what the apply gave up, and what it changed that nobody owned, where it may have done so. */
export function changedBy(
  { before, response, sent, forcedConflicts, yielded, perhapsReleased = [] }: Applied,
  managers: readonly string[],
  names: OwnerNameResolver,
): Pick<ObjectReport, 'released' | 'overwritten'> {
  if (before === undefined) return perhapsReleased.length > 0 ? { released: perhapsReleased } : {};
  const contested = [...forcedConflicts, ...yielded].map(({ field }) => field);
  const known = releasedIn({ live: before, after: response.object, intent: sent, managers, contested, names });
  const released = [...perhapsReleased, ...known];
  const overwritten = overwrittenIn({ live: before, after: response.object, intent: sent }, managers[0] as string, contested, names);
  return { ...(released.length > 0 ? { released } : {}), ...(overwritten.length > 0 ? { overwritten } : {}) };
}

/** Returns what an apply set or changed; see `changedFields`. */
export function changesBetween(
  applied: Applied,
  report: Parameters<typeof changedFields>[3],
  stack: Step['stack'],
  { names, isLeaving, claimed }: Pick<StepContext, 'names' | 'isLeaving' | 'claimed'>,
): Pick<ObjectReport, 'changed' | 'notRead' | 'sensitive'> {
  const { before, response, sent, pinned } = applied;
  const { object: after, created } = response;
  const owners = { formerManagers: formerManagersOf(stack), isLeaving, claimed };
  const accepted = { intent: sent, after, created, contested: applied, isExact: pinned !== undefined, ...owners };
  return changedFields(before, accepted, stack.manager, report, names);
}

/**
 * Returns only what can be proved; see `Outcome`.
 *
 * @param known says until when earlier runs may have applied to the object, recorded or pending; see `InventoryEntry`.
 */
function resultOf(applied: Applied, before: ObjectBefore | undefined, manager: string, known: StepContext['known']): Outcome {
  const { object, created, changed, responseLost } = applied.response;
  const { resourceVersion } = object.metadata as JsonObject;
  if (created) return 'created';
  if (changed !== undefined && !responseLost) return changed ? 'updated' : 'unchanged';
  const appliedAt = applyEntryOf(object, manager)?.time;
  const byThisRun = (earlierUntil: number | undefined) =>
    appliedAt === undefined || earlierUntil === undefined || Date.parse(appliedAt) > earlierUntil ? 'updated' : 'applied';
  // The answer to a pass whose repetition was refused may be that of an earlier run.
  const byRefused = responseLost ? byThisRun(known?.earlierUntil) : 'updated';
  if (applied.pinned !== undefined) return applied.pinned === resourceVersion ? 'unchanged' : byRefused;
  if (!before || before.uid !== uidOf(object)) return 'applied';
  if (before.resourceVersion === resourceVersion) return 'unchanged';
  if (appliedAt === undefined || before.resourceVersion === undefined || appliedAt === before.appliedAt) return 'applied';
  return byThisRun(responseLost || known?.window === undefined ? known?.earlierUntil : undefined);
}
