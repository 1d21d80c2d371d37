/** `fieldwise/rules`: rules over the changes of a plan, for `rules` in fieldwise.yaml. See docs/rules.md. */

export type { Declaration } from '../assembly/types.js';
export type { ClusterIdentity } from '../engine/inventory/cluster-identity.js';
export type {
  ChangedFirst,
  FieldChange,
  FieldOwner,
  NotJudged,
  PlannedAction,
  PlannedCollateralField,
  PlannedField,
} from '../engine/report/plan-types.js';
export {
  type AcknowledgedConflict,
  type Answer,
  boundToCluster,
  Change,
  deny,
  noForcedConflicts,
  noSensitiveChanges,
  noStatefulDeletion,
  noValueChangingRelease,
  type Objection,
  onlyStack,
  pinnedImages,
  type Rule,
  type RuleTexts,
  requestsSet,
  type SensitiveChange,
  standardRules,
  warn,
} from '../rules/index.js';
export type { Json, JsonObject } from '../util/json.js';
