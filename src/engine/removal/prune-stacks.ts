import { managersOf, objectText } from '../../assembly/identity.js';
import type { Manifest } from '../../assembly/types.js';
import { FieldwiseError } from '../../util/error.js';
import type { InventoryEntry } from '../inventory/inventory-entry.js';
import type { InventoryStore, StackIdentity } from '../inventory/inventory-store.js';
import { isOfAnotherProgram } from '../inventory/program-id.js';
import { homesOf, stacksOfOthers } from '../prepare/undeclared-stacks.js';
import type { Question } from '../report/question.js';
import type { RunOptions } from '../run/options.js';
import type { OtherStacksByEntry } from '../transfer/other-stacks.js';
import { type PredictedRemovals, predictedRemovalText } from './predict-removals.js';
import { neverApplied } from './remove-entry.js';
import { type StackRemoval, stackRemovalOf } from './stack-removal.js';

/**
 * Finds the stacks of an app and instance that are in the cluster and that the program does not declare, now or under a former name; not those of
 * programs of their own (`independent`, or another `id`). Stacks under a former name of the app or instance count where their inventories have the id of
 * the program.
 *
 * @param locked only these stacks, which a run has locked.
 * @throws FieldwiseError `flag-without-use` where only some stacks are deployed, or a saved plan.
 */
export async function findUndeclaredStacks(
  store: InventoryStore,
  manifest: Manifest,
  options: RunOptions,
  locked?: readonly StackIdentity[],
): Promise<readonly StackRemoval[]> {
  if (!options.pruneStacks) return [];
  if (options.plan) {
    throw new FieldwiseError('flag-without-use', 'usage', 'A saved plan does not cover stacks that the program does not declare', {
      next: 'Leave out `--prune-stacks`, and destroy these stacks in a separate run.',
    });
  }
  if (options.stacks && options.stacks.length > 0) {
    throw new FieldwiseError(
      'flag-without-use',
      'usage',
      '`--prune-stacks` applies to all stacks of the program, and only some are named',
      {
        next: 'Leave out the names, or use `fieldwise destroy STACK`.',
      },
    );
  }
  const isOfOthers = stacksOfOthers(options.independent ?? [], manifest);
  const declared = new Set<string>(manifest.stacks.flatMap(managersOf));
  const [present, ...former] = homesOf(manifest);
  const isAt = (stack: StackIdentity) => (home: typeof present) => stack.app === home.app && stack.instance === home.instance;
  const all = await store.read();
  return all
    .filter(({ stack }) => locked === undefined || locked.some(({ manager }) => manager === stack.manager))
    .filter(({ stack }) => !declared.has(stack.manager) && !isOfOthers(stack.stack))
    .filter(({ stack, id }) =>
      // Under a former name, only the id shows that it is not by now a stack of another program.
      isAt(stack)(present)
        ? !isOfAnotherProgram(id, manifest, options.takeOver)
        : id !== undefined && (id === manifest.id || id === options.takeOver) && former.some(isAt(stack)),
    )
    .flatMap(({ stack }) => stackRemovalOf(stack, all, undefined, options.takeOver) ?? []);
}

/** The context of removing undeclared stacks, beside their inventories. */
export interface UndeclaredStacksContext {
  readonly unapplied: ReadonlySet<InventoryEntry>;
  readonly otherStacks: OtherStacksByEntry;
  readonly predictions: PredictedRemovals;
}

/**
 * Returns the question to ask before stacks are removed, or undefined if no object is removed: those that another stack keeps owning are
 * not. It names all their objects.
 */
export function stacksQuestion(
  targets: readonly StackRemoval[],
  { unapplied, otherStacks, predictions }: UndeclaredStacksContext,
): Question | undefined {
  const entries = targets.flatMap((target) => [...target.entries.values()]);
  if (entries.every((entry) => unapplied.has(entry) || otherStacks.get(entry)?.newOwner !== undefined)) return undefined;
  const names = targets.map(({ stack }) => stack.stack);
  return {
    text: `destroy stack${names.length > 1 ? 's' : ''} ${names.join(', ')}, which the program does not declare`,
    objects: entries.map((entry) =>
      unapplied.has(entry) ? `forget ${objectText(entry)} (${neverApplied})` : predictedRemovalText(entry, predictions),
    ),
    answeredByPruneSetting: false,
  };
}
