import { resolvePath, valueAt } from '../../fields/index.js';
import { isJsonObject, type JsonObject, jsonEqual } from '../../util/json.js';
import type { Step } from '../graph/waves.js';
import type { FieldTransfer } from '../transfer/field-transfers.js';
import type { EntryRemoval, OtherStacksByEntry } from '../transfer/other-stacks.js';

/** An intent of the run that owns fields of another stack before that stack releases them; if the intent fails, nothing is released. */
interface TransferTarget {
  readonly previousOwners: readonly string[];
  readonly step: Step;
  readonly includesField: (field: string) => boolean;
}

/** Returns true if a field of an object that managers release is transferred to another stack of the run. */
export type IsTransferred = (managers: readonly string[], key: string, field: string, live: JsonObject) => boolean;

/** Transfers nothing. */
export const noTransfers: IsTransferred = () => false;

/** Resolves the fields that intents of a run take over, by the policy `transferFrom` or because their object moves to them. */
export function isTransferredIn(
  steps: readonly Step[],
  transfers: Iterable<readonly [Step, FieldTransfer]>,
  entryRemovals: readonly EntryRemoval[],
  otherStacks: OtherStacksByEntry,
): IsTransferred {
  const byPolicy = [...transfers].map(
    ([step, { previousOwner, includesField }]): TransferTarget => ({
      previousOwners: [previousOwner],
      step,
      includesField,
    }),
  );
  const byMove = entryRemovals.flatMap(({ stack, formerManagers, key, entry }): TransferTarget[] => {
    const newOwner = otherStacks.get(entry)?.newOwner?.stack.manager;
    const step = newOwner === undefined ? undefined : steps.find((other) => other.key === key && other.stack.manager === newOwner);
    return step ? [{ previousOwners: [stack.manager, ...formerManagers], step, includesField: () => true }] : [];
  });
  const targets = [...byPolicy, ...byMove];
  if (targets.length === 0) return noTransfers;
  return (managers, key, field, live) =>
    targets.some(
      ({ previousOwners, step, includesField }) =>
        step.key === key &&
        previousOwners.some((previousOwner) => managers.includes(previousOwner)) &&
        includesField(field) &&
        declaresWholeValue(step.object, field, live),
    );
}

/** Returns true if an intent declares a field with all members of its list or map: undeclared members would be removed. */
function declaresWholeValue(object: JsonObject, field: string, live: JsonObject): boolean {
  const path = resolvePath(field, object);
  const value = path && valueAt(object, path);
  if (path === undefined || value === undefined) return false;
  return !(isJsonObject(value) || Array.isArray(value)) || jsonEqual(value, valueAt(live, path));
}
