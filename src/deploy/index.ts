export { type Assembly, readAssembly } from '../assembly/index.js';
export type { Contention } from '../engine/report/contention.js';
export type {
  ChangedField,
  DeployEvent,
  EventHost,
  ObjectReport,
  ReadinessProgress,
  Retrying,
  RunRefused,
  RunStarted,
  RunSummary,
  Waiting,
  WaitingForLock,
  YieldedField,
} from '../engine/report/events.js';
export type { ForcedField } from '../engine/report/forced-field.js';
export type { Judgment } from '../engine/report/judgment.js';
export type {
  ChangedFirst,
  FieldChange,
  FieldOwner,
  NotJudged,
  PlanEvent,
  PlannedAction,
  PlannedCollateralField,
  PlannedField,
  PlannedObject,
  PlanSource,
  PlanSummary,
} from '../engine/report/plan-types.js';
export type { Question } from '../engine/report/question.js';
export type { Readiness, ReadinessState, SettledReadiness } from '../engine/report/readiness-state.js';
export type { OverwrittenField, ReleasedField, ReleaseOutcome } from '../engine/report/released-field.js';
export type { RewrittenField } from '../engine/report/rewritten-field.js';
export type { ReportedError, RunDiagnostic } from '../engine/report/run-diagnostic.js';
export type { SensitiveChange } from '../engine/report/sensitive-changes.js';
export type { Reconcile, RunOptions } from '../engine/run/options.js';
export type { BoundPlan, SavedPlan, Simulation, StartSimulation } from '../engine/run/saved-plan.js';
export type { ReferenceSources } from '../engine/secrets/references.js';
export { type AdvisedList, adviseStrategies, type StrategyAdvice } from '../inspect/doctor/advise-strategies.js';
export type { Check } from '../inspect/doctor/checks.js';
export { checkCluster } from '../inspect/doctor/checks.js';
export type { Orphan, OrphanSearch } from '../inspect/doctor/find-orphans.js';
export { findOrphans } from '../inspect/doctor/find-orphans.js';
export type { InspectObjectsOptions, ObjectDiagnostic, ObjectInspection } from '../inspect/doctor/inspect-objects.js';
export { inspectObjects } from '../inspect/doctor/inspect-objects.js';
export type { ContendedField } from '../inspect/drift/drift.js';
export { type DriftOptions, type DriftSummary, drift, type ObjectDrift } from '../inspect/drift/drift.js';
export type { Drift, DriftedField } from '../inspect/drift/drifted-field.js';
export type { ListedRevision } from '../inspect/history/history.js';
export type { ListedStack } from '../inspect/list.js';
export { listStacks } from '../inspect/list.js';
export { type DatedOwner, type FieldView, type ObjectOwners, type OwnersSummary, owners, releases } from '../inspect/owners/owners.js';
export { type ObjectState, type ObjectStatus, type StatusOptions, type StatusSummary, status } from '../inspect/status/status.js';
export type { DriftEnded, SeenDrift, WatchEvent, WatchSummary } from '../inspect/watch/watch-drift.js';
export type { FieldConflict } from '../ownership/index.js';
export { type PlannerOptions, plan } from '../plan/plan.js';
export { parseSavedPlan } from '../plan/saved/saved-plan.js';
export { parseSnapshot, planOffline, type Snapshot, takeSnapshot } from '../plan/snapshot.js';
export type { Outcome } from '../util/outcome.js';
export type { AdoptionResult, AdoptOptions } from './adopt/adopt.js';
export { adopt } from './adopt/adopt.js';
export type { PrunedElsewhere } from './adopt/adoption-candidates.js';
export type { AdoptApplySetOptions, AdoptApplySetResult, ApplySetPreview, MemberResult } from './adopt/apply-set/adopt-apply-set.js';
export { adoptApplySet } from './adopt/apply-set/adopt-apply-set.js';
export type { ReturnedObject } from './adopt/apply-set/return-to-apply-set.js';
export type { Adoption } from './adopt/carry-out-adoptions.js';
export type { AdoptionRecord } from './adopt/record.js';
export { parseRecord, recordJson } from './adopt/record.js';
export type { StaleObject } from './adopt/rewrite-stale.js';
export { rewriteStale } from './adopt/rewrite-stale.js';
export type { UndoneAdoption, UndoResult } from './adopt/undo-adoption.js';
export { undoAdoption } from './adopt/undo-adoption.js';
export { deploy } from './deploy/deploy.js';
export { ReportCollector, type RunReport } from './deploy/report.js';
export { type UndoneField, undoForcedConflicts } from './deploy/undo-forced-conflicts.js';
export { destroy } from './destroy/destroy.js';
export type { DifferingField } from './repair/declared-differences.js';
export { type RepairOptions, repair } from './repair/repair.js';
export type { UnrepairedObject } from './repair/unrepaired.js';
export type { RollbackEvent, RollbackStarted } from './rollback/plan-rollback.js';
