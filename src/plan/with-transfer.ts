import type { Step } from '../engine/graph/waves.js';
import { explain } from '../engine/report/explain.js';
import type { FieldTransfer } from '../engine/transfer/field-transfers.js';
import { provedFields, valueDiffersError } from '../engine/transfer/release-ownership.js';
import { formatPath, isEmpty, membersOf } from '../fields/index.js';
import { applyEntryOf, entriesWithout } from '../ownership/index.js';
import type { JsonObject } from '../util/json.js';
import type { DryRunResult } from './dry-run.js';

/** An object as it will be when fields of it were taken over. */
export interface TransferredObject {
  readonly previousOwner: string;
  readonly newOwner: string;
  readonly object: JsonObject;
}

/** What a plan says of an intent that takes fields over, and what the giver will meet; `judged` is what it says of the intent alone. */
export function withTransfer(
  step: Step,
  transfer: FieldTransfer,
  dryRunResult: DryRunResult,
): { readonly judged: DryRunResult; readonly handed?: TransferredObject } {
  const { plannedChange, after } = dryRunResult;
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
    return { judged: { plannedChange: { ...plannedChange, action: 'blocked', error } } };
  }
  if (after === undefined) return { judged: dryRunResult };
  const releasedFields = provedFields(after, step, previousOwner, transfer);
  const theirs = applyEntryOf(after, previousOwner);
  if (isEmpty(releasedFields) || theirs === undefined) return { judged: dryRunResult };
  const managedFields = entriesWithout(after, [{ from: theirs, fields: releasedFields }]);
  const fields = membersOf(releasedFields)
    .filter(({ leaf }) => leaf)
    .map(({ path }) => formatPath(path));
  return {
    judged: { plannedChange: { ...plannedChange, action: 'update', transferred: { from: previousOwner, fields } }, after },
    handed: {
      previousOwner: previousOwner,
      newOwner: step.stack.name,
      object: { ...after, metadata: { ...(after.metadata as JsonObject), managedFields } },
    },
  };
}
