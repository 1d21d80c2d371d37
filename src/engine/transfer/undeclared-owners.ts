import { managersOf, objectText } from '../../assembly/identity.js';
import type { Manifest } from '../../assembly/types.js';
import type { Step } from '../graph/waves.js';
import type { InventoryStore } from '../inventory/inventory-store.js';
import type { FieldOwner } from '../report/plan-types.js';
import type { RunDiagnostic } from '../report/run-diagnostic.js';

/** An object that a stack deploys for the first time, and the owners of its fields. */
export interface FirstDeployOwners {
  readonly step: Step;
  readonly owners: readonly FieldOwner[];
}

/** A stack that the program does not declare, and the warning that names it. */
export interface StackLeftBehind {
  readonly stack: string;
  readonly warning: RunDiagnostic;
}

/**
 * Returns warnings about stacks of the same app and instance that the program does not declare, under no former name either, and that apply
 * to objects of a declared stack: as after a rename without `renamedFrom`. The objects themselves name them. For an intent that shares its
 * object, the inventory of the other stack decides: many stacks share one object, so only an equal intent indicates a rename.
 *
 * @param removed names of stacks that are removed in this very run.
 */
export async function undeclaredOwnerDiagnostics(
  found: readonly FirstDeployOwners[],
  { stacks }: Manifest,
  removed: readonly string[],
  store: Pick<InventoryStore, 'read'>,
): Promise<readonly StackLeftBehind[]> {
  const declared = new Set<string>(stacks.flatMap(managersOf));
  const byManager = new Map<string, { readonly stack: string; readonly steps: Step[] }>();
  for (const { step, owners } of found) {
    for (const { manager, operation, stack } of owners) {
      // The name of a stack of another app or instance includes both.
      if (operation !== 'Apply' || stack === undefined || stack.includes('/') || declared.has(manager) || removed.includes(stack)) continue;
      if (!manager.startsWith('fieldwise/')) continue;
      const known = byManager.get(manager) ?? { stack, steps: [] };
      byManager.set(manager, known);
      known.steps.push(step);
    }
  }
  const warnings: StackLeftBehind[] = [];
  for (const [manager, { stack, steps }] of byManager) {
    const moved = await movedSteps(steps, manager, store);
    if (moved.length > 0) warnings.push({ stack, warning: undeclaredOwnerDiagnostic(stack, moved) });
  }
  return warnings;
}

/** Returns the steps that own their object, and the shares that the other stack declares equally. */
async function movedSteps(steps: readonly Step[], manager: string, store: Pick<InventoryStore, 'read'>): Promise<readonly Step[]> {
  if (steps.every(({ intent }) => intent.lifecycle === 'own')) return steps;
  const [inventory] = await store.read({ manager });
  return steps.filter(({ intent, key, digest }) => {
    const entry = inventory?.entries.get(key);
    return intent.lifecycle === 'own' || (entry?.lifecycle === 'share' && entry.intent === digest);
  });
}

function undeclaredOwnerDiagnostic(old: string, steps: readonly Step[]): RunDiagnostic {
  const [first] = steps as readonly [Step, ...Step[]];
  const more = steps.length > 1 ? ` and ${steps.length - 1} more` : '';
  const name = first.stack.name;
  return {
    event: 'warning',
    code: 'stack-left-behind',
    message: `Stack ${old}, which the program does not declare, applies fields to ${objectText(first.intent)}${more}, which stack ${name} declares for the first time`,
    next: `If ${old} was renamed to ${name}, declare \`renamedFrom: '${old}'\` in stack ${name} and deploy again. If ${old} is not wanted any more, \`fieldwise destroy ${old}\` destroys it, and \`fieldwise deploy --prune-stacks\` destroys every stack that the program does not declare. A stack of documents keeps the name that \`--stack\` gave it, and \`fieldwise destroy --stack ${old}\` destroys it.`,
  };
}
