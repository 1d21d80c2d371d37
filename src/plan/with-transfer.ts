import { managersOf } from '../assembly/identity.js';
import type { Step } from '../engine/graph/waves.js';
import { explain } from '../engine/report/explain.js';
import type { FieldOwner, PlannedField } from '../engine/report/plan-types.js';
import { coOwnersAfter } from '../engine/transfer/co-owners-after.js';
import type { FieldTransfer, TransferredFields } from '../engine/transfer/field-transfers.js';
import { afterTransfers, isTransfer } from '../engine/transfer/ownership-transfers.js';
import { isPreviousEntry } from '../engine/transfer/previous-entries.js';
import { clientSideMerge, provedTransfers, transferredPaths, valueDiffersError } from '../engine/transfer/release-ownership.js';
import { applyEntryOf } from '../ownership/index.js';
import type { JsonObject } from '../util/json.js';
import type { DryRunResult } from './dry-run.js';

/** An object after the transfer of fields. */
export interface TransferredObject {
  readonly previousOwner: string;
  readonly newOwner: string;
  readonly object: JsonObject;
}

/**
 * Plans a transfer of fields to an intent. Returns the result with the transfer, and the object as the previous owner will find it.
 *
 * @param ofIntent the dry run of the intent alone.
 * @param live the object before it.
 */
export function withTransfer(
  step: Step,
  transfer: FieldTransfer,
  ofIntent: DryRunResult,
  live: JsonObject | undefined,
): { readonly dryRunResult: DryRunResult; readonly transferred?: TransferredObject } {
  const { plannedChange, after } = ofIntent;
  const { previousOwner, includesField } = transfer;
  const differing = plannedChange.fields.filter(({ field, change, owners = [] }) => {
    const contested = change === 'force' || change === 'conflict' || change === 'yield';
    const isPrevious = ({ subresource = '', ...owner }: FieldOwner) => isPreviousEntry({ ...owner, subresource }, previousOwner);
    return contested && includesField(field) && owners.some(isPrevious);
  });
  const contested = differing.map(({ field }) => field);
  const refusal =
    (live && clientSideMerge(live, step, previousOwner)) ??
    (contested.length > 0 ? valueDiffersError(step.intent, previousOwner, contested) : undefined);
  if (refusal) return { dryRunResult: { plannedChange: { ...plannedChange, action: 'blocked', error: explain(refusal) } } };
  if (after === undefined) return { dryRunResult: ofIntent };
  // A dry run of a renamed stack is one under its former manager, which has what the new one will have.
  const manager = managersOf(step.stack).find((candidate) => applyEntryOf(after, candidate));
  const transfers = provedTransfers(after, step, previousOwner, transfer, manager);
  if (!isTransfer(transfers)) return { dryRunResult: ofIntent };
  const transferred = { from: previousOwner, fields: transferredPaths(transfers, step) };
  const fields = plannedChange.fields.map((field) => withoutPreviousOwner(field, transferred));
  return {
    dryRunResult: { plannedChange: { ...plannedChange, fields, action: 'update', transferred }, after },
    transferred: {
      previousOwner,
      newOwner: step.stack.name,
      object: afterTransfers(after, transfers),
    },
  };
}

function withoutPreviousOwner(planned: PlannedField, transferred: TransferredFields): PlannedField {
  const owners = coOwnersAfter(planned, transferred);
  if (owners === undefined) return planned;
  if (owners.length > 0) return { ...planned, owners };
  const { owners: _, gained: __, ...field } = planned;
  return { ...field, change: 'same' };
}
