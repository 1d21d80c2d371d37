import { objectText } from '../../assembly/identity.js';
import type { StackManifest } from '../../assembly/types.js';
import type { Step } from '../graph/waves.js';
import type { InventoryEntry } from '../inventory/inventory-entry.js';
import type { Inventory } from '../inventory/inventory-store.js';
import { undeclaredEntries } from '../inventory/undeclared-entries.js';
import type { Question } from '../report/question.js';
import type { RunOptions } from '../run/options.js';
import { type OtherStacksByEntry, removedBeforeTransferText } from '../transfer/other-stacks.js';
import { type PredictedRemovals, predictedRemovalText } from './predict-removals.js';

/** The context of pruning a stack, beside its inventory. */
export interface PruneContext {
  readonly options: RunOptions;
  readonly otherStacks: OtherStacksByEntry;
  readonly unapplied: ReadonlySet<InventoryEntry>;
  readonly predictions: PredictedRemovals;
}

/** Returns the question to ask before a stack is pruned, or undefined if nothing is removed. */
export function pruneQuestion(
  stack: StackManifest,
  inventory: Inventory,
  steps: readonly Step[],
  pruning: PruneContext,
): Question | undefined {
  const { options, otherStacks, unapplied, predictions } = pruning;
  // An object that another stack of the app keeps owning is not removed, and one that was never applied does not exist.
  const removedEntries = undeclaredEntries(inventory, steps)
    .map(([, entry]) => entry)
    .filter((entry) => otherStacks.get(entry)?.newOwner === undefined && !unapplied.has(entry));
  if (removedEntries.length === 0) return undefined;
  const owned = [...inventory.entries.values()].filter((entry) => entry.lifecycle === 'own');
  const removedOwned = removedEntries.filter((entry) => entry.lifecycle === 'own' && !entry.retain);
  const deleted = removedOwned.filter((entry) => predictions.get(entry)?.action === 'delete');
  const moved = removedOwned.filter((entry) => steps.some((step) => movedTo(entry, step)));
  const removedFirst = removedBeforeTransferText(
    stack.name,
    deleted.map((entry) => {
      const { declarers = [], waitingStacks = [] } = otherStacks.get(entry) ?? {};
      return { object: entry, declarers, waitingStacks };
    }),
  );
  const most = removedOwned.length * 2 > owned.length;
  const isAnswerable = !most && moved.length === 0 && removedFirst === undefined;
  const isSet = options.prune ?? stack.prune;
  const facts = [
    `stack ${stack.name} no longer declares ${removedEntries.length} object${removedEntries.length > 1 ? 's' : ''}`,
    deleted.length > 0 ? `${deleted.length} of its ${owned.length} owned objects would be deleted` : 'nothing of it would be deleted',
    moved.length > 0 ? 'the namespace of some of them has changed' : '',
    removedFirst ?? '',
    isSet && !isAnswerable
      ? `--prune does not confirm this${most ? ', because more than half of its owned objects would be removed' : ''}`
      : '',
  ].filter((fact) => fact !== '');
  return {
    text: facts.join('; '),
    objects: removedEntries.map((entry) => {
      const { action, reason } = predictions.get(entry) ?? { action: 'delete' };
      return reason !== undefined && removedFirst?.includes(reason)
        ? `${action} ${objectText(entry)}`
        : predictedRemovalText(entry, predictions);
    }),
    answeredByPruneSetting: isSet && isAnswerable,
    ...(isAnswerable ? { answeredByPrune: true as const } : {}),
  };
}

function movedTo(entry: InventoryEntry, step: Step): boolean {
  const { intent } = step;
  return intent.kind === entry.kind && intent.name === entry.name && intent.namespace !== entry.namespace;
}
