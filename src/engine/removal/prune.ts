import { objectText } from '../../assembly/identity.js';
import type { StackManifest } from '../../assembly/types.js';
import type { Step } from '../graph/waves.js';
import type { InventoryEntry } from '../inventory/entry.js';
import type { Inventory } from '../inventory/store.js';
import type { RunOptions } from '../run/options.js';
import type { Question } from '../run/question.js';
import { removedFirstText, type Successions } from '../transfer/succession.js';
import { type Fates, fateText } from './fate.js';

/** Entries of a stack's inventory that its program no longer declares. */
export function undeclared(inventory: Inventory, steps: readonly Step[]): readonly (readonly [key: string, entry: InventoryEntry])[] {
  const declared = new Set(steps.map((step) => step.key));
  return [...inventory.entries].filter(([key]) => !declared.has(key));
}

/** What a run knows beside the inventory of a stack that it prunes. */
export interface Pruning {
  readonly options: RunOptions;
  readonly successions: Successions;
  readonly unapplied: ReadonlySet<InventoryEntry>;
  readonly fates: Fates;
}

/** What must be asked before a stack is pruned, or undefined when nothing goes. */
export function pruneQuestion(stack: StackManifest, inventory: Inventory, steps: readonly Step[], pruning: Pruning): Question | undefined {
  const { options, successions, unapplied, fates } = pruning;
  // What another stack of the app goes on owning does not end, and of what was never applied nothing is there.
  const going = undeclared(inventory, steps)
    .map(([, entry]) => entry)
    .filter((entry) => successions.get(entry)?.heir === undefined && !unapplied.has(entry));
  if (going.length === 0) return undefined;
  const owned = [...inventory.entries.values()].filter((entry) => entry.lifecycle === 'own');
  const goingOwned = going.filter((entry) => entry.lifecycle === 'own' && !entry.retain);
  const deleted = goingOwned.filter((entry) => fates.get(entry)?.does === 'delete');
  const moved = goingOwned.filter((entry) => steps.some((step) => movedTo(entry, step)));
  const removedFirst = removedFirstText(
    stack.name,
    deleted.map((entry) => {
      const { declarers = [], waiters = [] } = successions.get(entry) ?? {};
      return { object: entry, declarers, waiters };
    }),
  );
  const most = goingOwned.length * 2 > owned.length;
  const isAnswerable = !most && moved.length === 0 && removedFirst === undefined;
  const isSet = options.prune ?? stack.prune;
  const facts = [
    `stack ${stack.name} no longer declares ${going.length} object${going.length > 1 ? 's' : ''}`,
    deleted.length > 0 ? `${deleted.length} of its ${owned.length} owned objects would be deleted` : 'nothing of it would be deleted',
    moved.length > 0 ? 'the namespace of some of them has changed' : '',
    removedFirst ?? '',
    isSet && !isAnswerable ? `--prune does not answer this${most ? ', because more than half of what the stack owns would go' : ''}` : '',
  ].filter((fact) => fact !== '');
  return {
    text: facts.join('; '),
    objects: going.map((entry) => {
      const { does, reason } = fates.get(entry) ?? { does: 'delete' };
      return reason !== undefined && removedFirst?.includes(reason) ? `${does} ${objectText(entry)}` : fateText(entry, fates);
    }),
    answeredByPruneSetting: isSet && isAnswerable,
    ...(isAnswerable ? { answeredByPrune: true as const } : {}),
  };
}

function movedTo(entry: InventoryEntry, step: Step): boolean {
  const { intent } = step;
  return intent.kind === entry.kind && intent.name === entry.name && intent.namespace !== entry.namespace;
}
