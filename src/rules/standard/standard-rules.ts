import type { Rule } from '../rule.js';
import { noForcedConflicts } from './no-forced-conflicts.js';
import { noStatefulDeletion } from './no-stateful-deletion.js';
import { noValueChangingRelease } from './no-value-changing-release.js';
import { pinnedImages } from './pinned-images.js';
import { requestsSet } from './requests-set.js';

/** Returns the rules of the package with their defaults: `export default standardRules()`. */
export function standardRules(): readonly Rule[] {
  return [noForcedConflicts(), noValueChangingRelease(), noStatefulDeletion(), pinnedImages(), requestsSet()];
}
