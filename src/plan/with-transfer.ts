import { managersOf } from '../assembly/identity.js';
import type { Step } from '../engine/graph/waves.js';
import { explain } from '../engine/report/explain.js';
import type { FieldTransfer } from '../engine/transfer/field-transfers.js';
import { provedFields, valueDiffersError } from '../engine/transfer/release-ownership.js';
import { formatPath, isEmpty, membersOf } from '../fields/index.js';
import { applyEntryOf, entriesWithout } from '../ownership/index.js';
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
 */
export function withTransfer(
  step: Step,
  transfer: FieldTransfer,
  ofIntent: DryRunResult,
): { readonly dryRunResult: DryRunResult; readonly transferred?: TransferredObject } {
  const { plannedChange, after } = ofIntent;
  const { previousOwner, includesField } = transfer;
  const differing = plannedChange.fields.filter(({ field, change, owners = [] }) => {
    const contested = change === 'force' || change === 'conflict' || change === 'yield';
    return contested && includesField(field) && owners.some(({ manager, operation }) => manager === previousOwner && operation === 'Apply');
  });
  if (differing.length > 0) {
    const error = explain(
      valueDiffersError(
        step.intent,
        previousOwner,
        differing.map(({ field }) => field),
      ),
    );
    return { dryRunResult: { plannedChange: { ...plannedChange, action: 'blocked', error } } };
  }
  if (after === undefined) return { dryRunResult: ofIntent };
  // A dry run of a renamed stack is one under its former manager, which has what the new one will have.
  const manager = managersOf(step.stack).find((candidate) => applyEntryOf(after, candidate));
  const releasedFields = provedFields(after, step, previousOwner, transfer, manager);
  const previousEntry = applyEntryOf(after, previousOwner);
  if (isEmpty(releasedFields) || previousEntry === undefined) return { dryRunResult: ofIntent };
  const managedFields = entriesWithout(after, [{ from: previousEntry, fields: releasedFields }]);
  const fields = membersOf(releasedFields)
    .filter(({ leaf }) => leaf)
    .map(({ path }) => formatPath(path));
  return {
    dryRunResult: { plannedChange: { ...plannedChange, action: 'update', transferred: { from: previousOwner, fields } }, after },
    transferred: {
      previousOwner,
      newOwner: step.stack.name,
      object: { ...after, metadata: { ...(after.metadata as JsonObject), managedFields } },
    },
  };
}
