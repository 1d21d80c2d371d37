import { resolvePath, valueAt } from '../../fields/index.js';
import { isJsonObject, type JsonObject, jsonEqual } from '../../util/json.js';
import type { Step } from '../graph/waves.js';
import type { FieldTransfer } from '../transfer/field-transfers.js';
import type { EntryRemoval, OtherStacksByEntry } from '../transfer/other-stacks.js';

/** An intent of the run that owns fields of another stack before that stack gives them up; where it does not succeed, nothing is given up. */
interface TransferTarget {
  readonly previousOwners: readonly string[];
  readonly step: Step;
  readonly includesField: (field: string) => boolean;
}

/** Whether a field that managers give up of an object goes to another stack of the run. */
export type IsTransferred = (managers: readonly string[], key: string, field: string, live: JsonObject) => boolean;

/** Nothing goes to anybody. */
export const noTransfers: IsTransferred = () => false;

/** Knows what intents of a run take over, by the policy `transferFrom` or because their object moves to them. */
export function isTransferredIn(
  steps: readonly Step[],
  transfers: ReadonlyMap<Step, FieldTransfer>,
  entryRemovals: readonly EntryRemoval[],
  otherStacks: OtherStacksByEntry,
): IsTransferred {
  const byPolicy = [...transfers].map(
    ([step, { previousOwner, includesField }]): TransferTarget => ({
      previousOwners: [previousOwner],
      step,
      includesField: includesField,
    }),
  );
  const byMove = entryRemovals.flatMap(({ stack, formerManagers, key, entry }): TransferTarget[] => {
    const newOwner = otherStacks.get(entry)?.newOwner?.stack.manager;
    const step = newOwner === undefined ? undefined : steps.find((other) => other.key === key && other.stack.manager === newOwner);
    return step ? [{ previousOwners: [stack.manager, ...formerManagers], step, includesField: () => true }] : [];
  });
  const receivers = [...byPolicy, ...byMove];
  if (receivers.length === 0) return noTransfers;
  return (managers, key, field, live) =>
    receivers.some(
      ({ previousOwners, step, includesField }) =>
        step.key === key &&
        previousOwners.some((previousOwner) => managers.includes(previousOwner)) &&
        includesField(field) &&
        declaresWholeValue(step.object, field, live),
    );
}

/** Of a list or map all that is there must be declared: what is left out of it would go. */
function declaresWholeValue(object: JsonObject, field: string, live: JsonObject): boolean {
  const path = resolvePath(field, object);
  const value = path && valueAt(object, path);
  if (path === undefined || value === undefined) return false;
  return !(isJsonObject(value) || Array.isArray(value)) || jsonEqual(value, valueAt(live, path));
}
