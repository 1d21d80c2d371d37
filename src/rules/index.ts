/** The rules over the changes of a plan. */

export { Change, type ObjectStates } from './change.js';
export { changeChecker } from './change-checker.js';
export { checkChange } from './check-change.js';
export { type Answer, deny, type Objection, type Rule, type RuleTexts, warn } from './rule.js';
export { boundToCluster } from './standard/bound-to-cluster.js';
export { type AcknowledgedConflict, noForcedConflicts } from './standard/no-forced-conflicts.js';
export { noSensitiveChanges, type SensitiveChange } from './standard/no-sensitive-changes.js';
export { noStatefulDeletion } from './standard/no-stateful-deletion.js';
export { noValueChangingRelease } from './standard/no-value-changing-release.js';
export { onlyStack } from './standard/only-stack.js';
export { pinnedImages } from './standard/pinned-images.js';
export { requestsSet } from './standard/requests-set.js';
export { standardRules } from './standard/standard-rules.js';
