import type { Manifest } from '../../assembly/types.js';
import { FieldwiseError } from '../../util/error.js';
import type { Successions } from '../handoff/succession.js';
import type { InventoryEntry } from '../inventory/entry.js';
import type { InventoryStore, StackIdentity } from '../inventory/store.js';
import type { Question, RunOptions } from '../options.js';
import { endingReason } from './ending-reason.js';
import { endingText } from './prune.js';
import { type Target, targetOf } from './targets.js';
import type { LiveEndings } from './vanishing-release.js';

/**
 * The stacks of an app and instance that are in the cluster and that the program does not declare, now or under a former name.
 *
 * @param locked only these, which a run has locked.
 * @throws FieldwiseError `flag-without-use` where only some stacks are deployed, or a saved plan.
 */
export async function undeclaredStacks(
  store: InventoryStore,
  manifest: Manifest,
  options: RunOptions,
  locked?: readonly StackIdentity[],
): Promise<readonly Target[]> {
  if (!options.pruneStacks) return [];
  if (options.plan) {
    throw new FieldwiseError('flag-without-use', 'usage', 'A saved plan says nothing of stacks that the program does not declare', {
      next: 'Leave `--prune-stacks` out, and destroy them with a run of their own.',
    });
  }
  if (options.stacks && options.stacks.length > 0) {
    throw new FieldwiseError('flag-without-use', 'usage', '`--prune-stacks` looks at all stacks of the program, and some are named', {
      next: 'Leave the names out, or use `fieldwise destroy STACK`.',
    });
  }
  const { app, instance, stacks } = manifest;
  const declared = new Set(stacks.flatMap(({ manager, formerly = [] }) => [manager, ...formerly.map((former) => former.manager)]));
  const all = await store.read();
  return all
    .filter(({ stack }) => locked === undefined || locked.some(({ manager }) => manager === stack.manager))
    .filter(({ stack }) => stack.app === app && stack.instance === instance && !declared.has(stack.manager))
    .flatMap(({ stack }) => targetOf(stack, all, undefined) ?? []);
}

/** What a run knows of stacks that go, beside their inventories. */
export interface Leaving {
  readonly unapplied: ReadonlySet<InventoryEntry>;
  readonly successions: Successions;
  /** Whether a stack of the run declares an object. */
  readonly isDeclared: (key: string) => boolean;
  /** Objects go although others apply fields to them. */
  readonly deleteShared: boolean;
  /** The objects as they are. */
  readonly live: LiveEndings;
}

/** What must be asked before they go, or undefined where nothing ends: what another stack goes on owning does not. */
export function stacksQuestion(targets: readonly Target[], leaving: Leaving): Question | undefined {
  const { unapplied, successions } = leaving;
  const ending = targets.flatMap((target) =>
    [...target.entries]
      .filter(([, entry]) => !unapplied.has(entry) && successions.get(entry)?.heir === undefined)
      .map(([key, entry]) => ({ target, key, entry })),
  );
  if (ending.length === 0) return undefined;
  const names = targets.map(({ stack }) => stack.stack);
  return {
    text: `destroy stack${names.length > 1 ? 's' : ''} ${names.join(', ')}, which the program does not declare`,
    objects: ending.map(({ target, key, entry }) => leavingText(target, key, entry, leaving)),
    answeredByPruneSetting: false,
  };
}

function leavingText({ stack, formerManagers }: Target, key: string, entry: InventoryEntry, leaving: Leaving): string {
  const { live, successions, isDeclared, deleteShared } = leaving;
  const object = live.get(entry);
  const stays = !deleteShared && isDeclared(key);
  if (object === undefined || stays || entry.lifecycle !== 'own' || entry.retain || !entry.deletable) return endingText(entry, stays);
  const managers = [stack.manager, ...formerManagers] as const;
  const succession = successions.get(entry);
  const { kept, reason } = endingReason(object, { entry, stack: stack.stack, managers, succession, deleteShared });
  return `${endingText(entry, kept)}${reason === undefined ? '' : ` (${reason})`}`;
}
