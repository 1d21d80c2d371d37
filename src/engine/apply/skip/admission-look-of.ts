import type { ClusterClient } from '../../../kubernetes/index.js';
import { isEdited } from '../../inventory/not-as-applied.js';
import { fewestWorthALook, type Reconcile } from '../../run/options.js';
import { mayBeSkipped, type SkipCandidate } from './find-unchanged.js';
import { concernsAdmission } from './observers/admission-kinds.js';
import { AdmissionLook } from './observers/admission-look.js';

/** Starts to read the configuration of admission if `reconcile: auto` needs it. */
export function admissionLookOf(cluster: ClusterClient, candidates: readonly SkipCandidate[], mode: Reconcile): AdmissionLook | undefined {
  if (mode !== 'auto' || candidates.filter(mayBeSkipped).length < fewestWorthALook) return undefined;
  // An object is read from the assembly and kept: few concern admission.
  const declared = candidates
    .filter(({ step }) => concernsAdmission(step.intent))
    .map((candidate) => ({ object: candidate.step.object, isNewOrEdited: isNewOrEdited(candidate) }));
  return new AdmissionLook(cluster, declared);
}

function isNewOrEdited({ step, known }: SkipCandidate): boolean {
  return known?.uid === undefined || known.intent === undefined || isEdited(known, step);
}
