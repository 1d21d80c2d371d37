import { groupOf } from '../../assembly/identity.js';
import type { PartialObject } from '../../assembly/types.js';
import { isJsonObject } from '../../util/json.js';
import { isEdited } from '../inventory/intent-digest.js';
import type { InventoryEntry } from '../inventory/inventory-entry.js';

/** Why an absent Job is not applied again, as plans, reports and the status say it. */
export const finishedReason = 'it ran, and its ttlSecondsAfterFinished removes it after its end; an edited Job runs again';

/**
 * Whether the absence of an object is what its intent asks for: a Job that Kubernetes removes after its end, and that was applied as it is
 * declared now. Its content decides whether it runs again, not its absence. Source: Kubernetes documentation "Automatic Cleanup for
 * Finished Jobs".
 */
export function isFinishedJob(object: PartialObject, known: InventoryEntry | undefined): boolean {
  if (object.kind !== 'Job' || groupOf(object.apiVersion) !== 'batch' || known?.lifecycle !== 'own') return false;
  const seconds = isJsonObject(object.spec) ? object.spec.ttlSecondsAfterFinished : undefined;
  // Without items a run was killed before it applied the intent that is noted.
  const applied = known.uid !== undefined && known.intent !== undefined && known.items !== undefined && !isEdited(known, object);
  return typeof seconds === 'number' && applied;
}
