import { groupOf } from '../../../assembly/identity.js';
import { isJsonObject } from '../../../util/json.js';
import type { Step } from '../../graph/waves.js';
import type { InventoryEntry } from '../../inventory/inventory-entry.js';
import { isEdited } from '../../inventory/not-as-applied.js';

/** The reason that plans, reports and the status give for not applying an absent Job again. */
export const finishedReason = 'it ran, and its ttlSecondsAfterFinished removes it after its end; an edited Job runs again';

/**
 * Returns true if the absence of an object is what its intent asks for: a Job that Kubernetes removes after it finishes, and that was
 * applied as it is declared now. Its content decides whether it runs again, not its absence. Source: Kubernetes documentation "Automatic
 * Cleanup for Finished Jobs".
 */
export function isFinishedJob(step: Step, known: InventoryEntry | undefined): boolean {
  const { object } = step;
  if (object.kind !== 'Job' || groupOf(object.apiVersion) !== 'batch' || known?.lifecycle !== 'own') return false;
  const seconds = isJsonObject(object.spec) ? object.spec.ttlSecondsAfterFinished : undefined;
  // Without items, a run was killed before it applied the recorded intent.
  const applied = known.uid !== undefined && known.intent !== undefined && known.items !== undefined && !isEdited(known, step);
  return typeof seconds === 'number' && applied;
}
