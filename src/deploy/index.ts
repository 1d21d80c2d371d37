export { type Assembly, readAssembly } from '../assembly/index.js';
export type { FieldConflict } from '../ownership/index.js';
export type { Adoption, AdoptionOutcome, AdoptOptions } from './adopt/adopt.js';
export { adopt } from './adopt/adopt.js';
export type { AdoptionRecord } from './adopt/record.js';
export { parseRecord, recordJson } from './adopt/record.js';
export type { StaleObject } from './adopt/stale.js';
export { rewriteStale } from './adopt/stale.js';
export type { UndoneAdoption } from './adopt/undo.js';
export { undoAdoption } from './adopt/undo.js';
export { type UndoneField, undoTakeovers } from './apply/undo-takeovers.js';
export { deploy } from './deploy.js';
export { destroy } from './destroy.js';
export type { Check } from './doctor/checks.js';
export { checkCluster } from './doctor/checks.js';
export type { InspectObjectsOptions, ObjectFinding, ObjectInspection } from './doctor/objects.js';
export { inspectObjects } from './doctor/objects.js';
export type { Orphan, OrphanSearch } from './doctor/orphans.js';
export { findOrphans } from './doctor/orphans.js';
export { type AdvisedList, adviseStrategies, type StrategyAdvice } from './doctor/strategy-advice.js';
export type {
  DeployEvent,
  EventHost,
  ObjectReport,
  ObjectResult,
  ReadinessProgress,
  Retrying,
  RunRefused,
  RunStarted,
  RunSummary,
  Waiting,
  WaitingForLock,
  YieldedField,
} from './events.js';
export type { HandedOver, HandoffOptions, HandoffOutcome } from './handoff/handoff.js';
export { handoff } from './handoff/handoff.js';
export type { Take } from './inventory/takes.js';
export type { ListedStack } from './list.js';
export { listStacks } from './list.js';
export type { Reconcile, RunOptions } from './options.js';
export { type PlanOptions, plan } from './plan/plan.js';
export { PlanRecorder, parseSavedPlan } from './plan/saved.js';
export type {
  FieldChange,
  FieldOwner,
  LostField,
  PlanEvent,
  PlannedAction,
  PlannedField,
  PlannedObject,
  PlanSource,
  PlanSummary,
} from './plan/types.js';
export type { Question } from './question.js';
export type { Readiness, ReadinessState, SettledReadiness } from './readiness/state.js';
export type { OverwrittenField, ReleasedField, ReleaseOutcome } from './released-field.js';
export { ReportCollector, type RunReport } from './report.js';
export type { ReportedError, RunWarning } from './run-warning.js';
export type { BoundPlan, SavedPlan, Simulation, StartSimulation } from './saved-plan.js';
export type { Fight } from './seen/drift.js';
export { type DriftOptions, type DriftSummary, drift, type ObjectDrift, type RepairOptions, repair } from './seen/drift.js';
export type { Drift, DriftedField } from './seen/drifted-field.js';
export { type DatedOwner, type FieldView, type ObjectOwners, type OwnersSummary, owners, releases } from './seen/owners.js';
export { type ObjectState, type ObjectStatus, type StatusOptions, type StatusSummary, status } from './seen/status.js';
export { parseSnapshot, planOffline, type Snapshot, takeSnapshot } from './snapshot.js';
