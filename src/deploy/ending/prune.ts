import { objectText } from '../../assembly/identity.js';
import type { StackManifest } from '../../assembly/types.js';
import { FieldwiseError } from '../../util/error.js';
import { removedFirstText, type Successions } from '../handoff/succession.js';
import type { InventoryEntry } from '../inventory/entry.js';
import type { Inventory } from '../inventory/store.js';
import type { Question, RunOptions } from '../options.js';
import type { Step } from '../order/waves.js';
import { managersOf } from '../rename.js';
import { endingReason } from './ending-reason.js';
import type { LiveEndings } from './vanishing-release.js';

/** Entries of a stack's inventory that its program no longer declares. */
export function undeclared(inventory: Inventory, steps: readonly Step[]): readonly (readonly [key: string, entry: InventoryEntry])[] {
  const declared = new Set(steps.map((step) => step.key));
  return [...inventory.entries].filter(([key]) => !declared.has(key));
}

/** Tells which stacks of this run declare an object. */
export function declarersOf(steps: readonly Step[]): {
  anywhere(key: string): boolean;
  elsewhere(key: string, stack: StackManifest): boolean;
} {
  const declarers = new Map<string, Set<StackManifest>>();
  for (const { key, stack } of steps) declarers.set(key, (declarers.get(key) ?? new Set()).add(stack));
  return {
    anywhere: (key) => declarers.has(key),
    elsewhere(key, stack) {
      const found = declarers.get(key);
      return found !== undefined && found.size > (found.has(stack) ? 1 : 0);
    },
  };
}

/** What a run knows beside the inventory of a stack that it prunes. */
export interface Pruning {
  readonly options: RunOptions;
  readonly successions: Successions;
  readonly unapplied: ReadonlySet<InventoryEntry>;
  /** The objects as they are. */
  readonly live: LiveEndings;
  /** Whether another stack of the run declares an object. */
  readonly isElsewhere: (key: string) => boolean;
}

/** What must be asked before a stack is pruned, or undefined when nothing goes. */
export function pruneQuestion(stack: StackManifest, inventory: Inventory, steps: readonly Step[], pruning: Pruning): Question | undefined {
  const { options, successions, unapplied, live, isElsewhere } = pruning;
  // What another stack of the app goes on owning does not end, and of what was never applied nothing is there.
  const going = undeclared(inventory, steps).filter(([, entry]) => successions.get(entry)?.heir === undefined && !unapplied.has(entry));
  if (going.length === 0) return undefined;
  const owned = [...inventory.entries.values()].filter((entry) => entry.lifecycle === 'own');
  const goingOwned = going.filter(([, entry]) => entry.lifecycle === 'own' && !entry.retain);
  const reasons = new Map(
    goingOwned.flatMap(([key, entry]) => {
      const object = live.get(entry);
      if (object === undefined || !entry.deletable || isElsewhere(key)) return [];
      const candidate = { entry, stack: stack.name, managers: managersOf(stack), deleteShared: options.deleteShared === true };
      return [[entry, endingReason(object, { ...candidate, succession: successions.get(entry) })] as const];
    }),
  );
  const stays = (key: string, entry: InventoryEntry) => isElsewhere(key) || reasons.get(entry)?.kept === true;
  const deleted = goingOwned.filter(([key, entry]) => entry.deletable && !stays(key, entry));
  const most = goingOwned.length * 2 > owned.length;
  const moved = goingOwned.filter(([, entry]) => steps.some((step) => movedTo(entry, step)));
  const removed = goingOwned.map(([, entry]) => ({ object: entry, declarers: successions.get(entry)?.declarers ?? [] }));
  const removedFirst = removedFirstText(
    stack.name,
    removed.filter(({ declarers }) => declarers.length > 0),
  );
  const facts = [
    `stack ${stack.name} no longer declares ${going.length} object${going.length > 1 ? 's' : ''}`,
    deleted.length > 0 ? `${deleted.length} of its ${owned.length} owned objects would be deleted` : 'nothing of it would be deleted',
    moved.length > 0 ? 'the namespace of some of them has changed' : '',
    removedFirst ?? '',
  ].filter((fact) => fact !== '');
  return {
    text: facts.join('; '),
    objects: going.map(([key, entry]) => {
      const text = endingText(entry, stays(key, entry));
      const { reason } = reasons.get(entry) ?? {};
      return reason === undefined || removedFirst?.includes(reason) ? text : `${text} (${reason})`;
    }),
    answeredByPruneSetting: (options.prune ?? stack.prune) && !most && moved.length === 0 && removedFirst === undefined,
  };
}

/** What becomes of an object that ends, as a question names it. `stays`: whatever the inventory says, others keep it. */
export function endingText(entry: InventoryEntry, stays = false): string {
  if (entry.lifecycle === 'own' && entry.retain) return `forget ${objectText(entry)}`;
  return `${entry.lifecycle === 'own' && entry.deletable && !stays ? 'delete' : 'release'} ${objectText(entry)}`;
}

/** @throws FieldwiseError `confirmation-needed` (usage) unless the question is answered with yes. */
export async function askAll(questions: readonly Question[], options: RunOptions): Promise<void> {
  const open = questions.filter((question) => !question.answeredByPruneSetting);
  for (const question of open) {
    if (await options.confirm?.(question)) continue;
    throw new FieldwiseError(
      'confirmation-needed',
      'usage',
      `Nothing was changed, because this needs a yes: ${question.text}: ${question.objects.join(', ')}`,
      {
        next: 'Run again with --yes, or at a terminal to be asked.',
      },
    );
  }
}

function movedTo(entry: InventoryEntry, step: Step): boolean {
  const { intent } = step;
  return intent.kind === entry.kind && intent.name === entry.name && intent.namespace !== entry.namespace;
}
