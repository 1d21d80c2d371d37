import type { SynthWarning } from '../../assembly/index.js';
import type { ConstructTree } from '../construct-tree.js';
import type { MergedStack } from '../merged-stack.js';
import { unacknowledged } from './acknowledged.js';
import { contestedAtomics, sharedAtomics } from './atomic.js';
import { type Forces, forcedByTwo } from './forced-fields.js';
import { byObject, type Hazard } from './hazard.js';
import { sharedItems } from './list-items.js';
import { refusedReleases } from './release.js';
import { plainSecrets } from './secrets.js';

/**
 * Hazards of ownership that can be seen before anything reaches a cluster, without those that the program acknowledges. Takes time in
 * proportion to what is declared.
 *
 * @param found what synth noticed on its way here.
 */
export function lint(
  tree: ConstructTree,
  stacks: readonly MergedStack[],
  found: readonly Hazard[],
  forces: Forces,
): readonly SynthWarning[] {
  const placed = stacks.flatMap((stack) => stack.intents.map((intent) => ({ stack, intent })));
  const hazards = [...found];
  for (const one of placed) hazards.push(...sharedAtomics(one), ...plainSecrets(one));
  for (const intents of byObject(placed).values()) {
    hazards.push(
      ...contestedAtomics(intents),
      ...forcedByTwo(intents, forces),
      ...sharedItems(intents),
      ...refusedReleases(intents, forces),
    );
  }
  return unacknowledged(tree, hazards);
}
