import { objectText } from '../../assembly/identity.js';
import type { Manifest } from '../../assembly/types.js';
import type { Step } from '../graph/waves.js';
import type { FieldOwner } from '../report/plan-types.js';
import type { RunDiagnostic } from '../report/run-diagnostic.js';

/** An object that a stack deploys for the first time, and the owners of its fields. */
export interface FirstDeployOwners {
  readonly step: Step;
  readonly owners: readonly FieldOwner[];
}

/**
 * Returns warnings about stacks of the same app and instance that the program does not declare, under no former name either, and that apply
 * to objects of a declared stack: as after a rename without `renamedFrom`. The objects themselves name them, so no request is needed.
 *
 * @param known names of stacks that are removed in this very run.
 */
export function undeclaredOwnerDiagnostics(
  found: readonly FirstDeployOwners[],
  { stacks }: Manifest,
  known: readonly string[],
): readonly RunDiagnostic[] {
  const former = stacks.flatMap(({ formerIdentities = [] }) => formerIdentities.map(({ manager }) => manager));
  const declared = new Set([...stacks.map(({ manager }) => manager), ...former]);
  const byStack = new Map<string, Step[]>();
  for (const { step, owners } of found) {
    for (const { manager, operation, stack } of owners) {
      // The name of a stack of another app or instance includes both.
      if (operation !== 'Apply' || stack === undefined || stack.includes('/') || declared.has(manager) || known.includes(stack)) continue;
      if (manager.startsWith('fieldwise/')) byStack.set(stack, [...(byStack.get(stack) ?? []), step]);
    }
  }
  return [...byStack].map(([old, steps]) => undeclaredOwnerDiagnostic(old, steps));
}

function undeclaredOwnerDiagnostic(old: string, steps: readonly Step[]): RunDiagnostic {
  const [first] = steps as readonly [Step, ...Step[]];
  const more = steps.length > 1 ? ` and ${steps.length - 1} more` : '';
  const name = first.stack.name;
  return {
    event: 'warning',
    code: 'stack-left-behind',
    message: `Stack ${old}, which the program does not declare, owns ${objectText(first.intent)}${more} that stack ${name} declares now`,
    next: `If ${old} was renamed to ${name}, declare \`renamedFrom: '${old}'\` in stack ${name} and deploy again. If ${old} is not wanted any more, \`fieldwise destroy ${old}\` destroys it, and \`fieldwise deploy --prune-stacks\` destroys every stack that the program does not declare.`,
  };
}
