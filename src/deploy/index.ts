export { deploy } from './deploy.js';
export { destroy } from './destroy.js';
export type {
  DeployEvent,
  EventHost,
  FieldConflict,
  ObjectReport,
  ObjectResult,
  ReportedError,
  RunStarted,
  RunSummary,
  Waiting,
} from './events.js';
export type { ListedStack } from './list.js';
export { listStacks } from './list.js';
export type { Question, RunOptions } from './options.js';
export { plan } from './plan/plan.js';
export type { FieldChange, PlannedAction, PlannedField, PlannedObject, PlanSummary } from './plan/types.js';
