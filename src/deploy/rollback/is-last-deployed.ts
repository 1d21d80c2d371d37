import { isEdited } from '../../engine/inventory/not-as-applied.js';
import type { OpenHistory, OpenRevision } from '../../engine/prepare/open-revision.js';
import { inventoriesIn, prepareRun, readInventories, readSteps } from '../../engine/prepare/prepare-run.js';
import type { RunOptions } from '../../engine/run/options.js';

/**
 * Returns true if the inventory of a stack has the intents of its last revision. It has others after a deploy that could not be recorded, or
 * one of some objects only. Secrets are not compared, because the revision does not contain their values; nothing is known of a failed deploy.
 */
export async function isLastDeployed(
  { stack, cluster }: OpenHistory,
  { revision, whole: assembly, recorded, moved }: OpenRevision,
  options: Pick<RunOptions, 'inventoryNamespace' | 'takeOver'>,
): Promise<boolean> {
  if (revision.result !== 'succeeded') return true;
  const run = prepareRun(assembly, cluster, { ...options, stacks: [stack.name] });
  const [steps, [inventory]] = await Promise.all([readSteps(run, {}), readInventories(run, inventoriesIn(run.cluster, options), options)]);
  const entries = inventory?.whole.entries ?? new Map();
  const keys = new Set(steps.map(({ key }) => key));
  if ([...entries.keys()].some((key) => !keys.has(key))) return false;
  return steps.every((step) => recorded.omitted.has(step.index) || moved.has(step.index) || !isEdited(entries.get(step.key), step));
}
