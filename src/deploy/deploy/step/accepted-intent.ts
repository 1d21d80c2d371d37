import { isEstablished } from '../../../engine/addresses/wait-for-established.js';
import type { Step } from '../../../engine/graph/waves.js';
import type { InventoryEntry } from '../../../engine/inventory/inventory-entry.js';
import type { Applied } from '../../../engine/object/applied.js';
import type { PartialResult } from '../../../engine/object/apply-failure.js';
import { isUnrecorded } from '../../../engine/object/cleared-since.js';
import { appliedItems } from '../../../engine/object/collateral.js';
import type { ObjectReport } from '../../../engine/report/events.js';
import { policyToRemember } from '../../../engine/run/stack-state.js';
import { uidOf } from '../../../fields/object.js';
import { appliedLast, applyEntryOf, isBeforeFirstApply, isIntentApplied, recordedFieldsOf } from '../../../ownership/index.js';
import type { JsonObject } from '../../../util/json.js';
import { generationOf, isAffected, type ObjectBefore } from './object-before.js';
import type { AcceptedIntent, StepContext } from './step-context.js';

/** The facts known of the object of an accepted intent. */
export interface AcceptedObject {
  readonly before: ObjectBefore | undefined;
  /** True where the stack may delete it. */
  readonly deletable: boolean;
  /** The entry of the very object before this run. */
  readonly last: InventoryEntry | undefined;
}

/** Returns the record of an intent that the server has accepted. */
export function acceptedIntent(
  step: Step,
  applied: Applied,
  { before, deletable, last }: AcceptedObject,
  report: Pick<ObjectReport, 'result'> & PartialResult,
): AcceptedIntent {
  const affected = isAffected(before, applied);
  const { manager } = step.stack;
  const settled = isSettled(report, applied, manager);
  return {
    entry: entryOf(step, applied, deletable, last),
    affected,
    established: !affected && isEstablished(applied.response.object),
    settled,
    isProvedByObject: () => isIntentApplied(applied.response.object, step.object, manager),
    changes: changesIn(report),
  };
}

/** Returns the same after a former manager was released, which is one more write; `report` is of the apply and of the release. */
export function acceptedRename(
  step: Step,
  applied: Applied,
  { deletable, last }: AcceptedObject,
  report: PartialResult,
  affected: boolean,
): AcceptedIntent {
  return {
    entry: entryOf(step, applied, deletable, last),
    affected,
    established: false,
    settled: false,
    isProvedByObject: () => false,
    changes: changesIn(report),
  };
}

function changesIn({ forcedConflicts = [], collateral, released, changed, notRead, sensitive, overwritten }: PartialResult): PartialResult {
  return {
    forcedConflicts,
    ...(collateral ? { collateral } : {}),
    ...(released ? { released } : {}),
    ...(changed ? { changed } : {}),
    ...(notRead ? { notRead } : {}),
    ...(sensitive ? { sensitive } : {}),
    ...(overwritten ? { overwritten } : {}),
  };
}

/** Returns what the stack remembered of an object that is still the same; of one that moved here, what the stack that had it did. */
export function deployerOf(object: JsonObject, { deployers }: StepContext): InventoryEntry | undefined {
  return deployers.find(({ known }) => known.uid === uidOf(object))?.known;
}

/**
 * Returns the entry to remember of an object.
 *
 * @param last the entry of the very object before this run.
 */
function entryOf(step: Step, applied: Applied, deletable: boolean, last: InventoryEntry | undefined): InventoryEntry {
  const { apiVersion, kind, namespace, name, lifecycle } = step.intent;
  const { uid, resourceVersion } = applied.response.object.metadata as JsonObject;
  const isDynamic = step.intent.policy.strategy === 'dynamic';
  // No time is recorded for wiped owners; the entry keeps that there once were owners.
  const appliedAt = applyEntryOf(applied.response.object, step.stack.manager)?.time ?? (isDynamic ? last?.appliedAt : undefined);
  const generation = generationOf(applied.response.object);
  return {
    apiVersion,
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    lifecycle,
    uid: uid as string,
    deletable,
    ...policyToRemember(step.intent),
    ...appliedItems(step, applied.response.object),
    resourceVersion: resourceVersion as string,
    ...(isDynamic ? { strategy: 'dynamic' } : {}),
    ...(appliedAt === undefined ? {} : { appliedAt }),
    ...initialEntryTime(last, applied.response.object),
    ...(generation === undefined ? {} : { generation }),
  };
}

/** Returns the time since which `before-first-apply` owns the fields that existed before the first apply of the stack. */
function initialEntryTime(last: InventoryEntry | undefined, object: JsonObject): Pick<InventoryEntry, 'initialEntryTime'> {
  const isOld = last !== undefined && !isUnrecorded(last);
  const found = isOld ? last.initialEntryTime : recordedFieldsOf(object).find(isBeforeFirstApply)?.time;
  return found === undefined ? {} : { initialEntryTime: found };
}

/** Returns false where a conflict was settled first: each run reports it again. */
function isSettled(
  { result }: Pick<ObjectReport, 'result'>,
  { forcedConflicts, yielded, collateral, response }: Applied,
  manager: string,
): boolean {
  const settledFirst = forcedConflicts.length + yielded.length + collateral.length > 0;
  return result === 'unchanged' && !settledFirst && appliedLast(response.object, manager);
}
