import type { SynthDiagnostic } from '../../assembly/index.js';
import type { ConstructTree } from '../declared/construct-tree.js';
import { forces } from '../merge/effective-policies.js';
import type { MergedStack } from '../merge/merged-intent.js';
import { contestedAtomics, sharedAtomics } from './atomic.js';
import { type Forces, forcedByTwo } from './forced-fields.js';
import { byObject, type LintDiagnostic, lifecycleOf, type StackIntent } from './lint-diagnostic.js';
import { sharedItems } from './list-items.js';
import { type PolicyOf, unusedListKeys } from './merged-client-side.js';
import { refusedReleases } from './release.js';
import { plainSecrets } from './secrets.js';
import { unacknowledged } from './unacknowledged.js';

/**
 * Finds ownership problems that are visible without a cluster. Returns all warnings that the program does not acknowledge. Takes time
 * linear in the declared fields.
 *
 * @param found warnings of earlier steps of synth.
 */
export function lint(
  tree: ConstructTree,
  stacks: readonly MergedStack[],
  found: readonly LintDiagnostic[],
  policyOf: PolicyOf,
): readonly SynthDiagnostic[] {
  const placed = stacks.flatMap((stack) => stack.intents.map((intent) => ({ stack, intent })));
  const diagnostics = [...found];
  const isForced: Forces = ({ intent }, path) => forces(policyOf(intent), path);
  for (const one of placed)
    diagnostics.push(...sharedAtomics(one, policyOf), ...plainSecrets(one), ...unusedListKeys(one, policyOf(one.intent)));
  for (const intents of byObject(placed).values()) {
    if (isOwnedAlone(intents)) continue;
    diagnostics.push(
      ...contestedAtomics(intents, policyOf),
      ...forcedByTwo(intents, isForced),
      ...sharedItems(intents.filter(({ intent }) => policyOf(intent).strategy !== 'dynamic')),
      ...refusedReleases(intents, isForced),
    );
  }
  return unacknowledged(tree, diagnostics);
}

/** Returns true for an object that only one stack declares, with `own`: it cannot conflict within the app. Most objects are such. */
function isOwnedAlone(intents: readonly StackIntent[]): boolean {
  return intents.length === 1 && lifecycleOf(intents[0] as StackIntent) === 'own';
}
