/** Tools for controllers: apply, status, finalizers, conditions, and a small loop. Exported as `fieldwise/controller`; docs/controller.md. */
export type { AppliedObject, ApplyOptions } from './apply.js';
export type { AppliedStatus, StatusOptions } from './apply-status.js';
export {
  type Condition,
  type ConditionCause,
  type NewCondition,
  ready,
  reconciling,
  setCondition,
  stalled,
  withoutConditions,
} from './conditions.js';
export { Controller, type ControllerOptions } from './controller.js';
export { extract, type Maker, statusOf } from './extract.js';
export { type Failure, failureOf } from './failure.js';
export type { FinalizerAnswer } from './finalizers.js';
export type { Kind } from './followed-kind.js';
export { ownedConditions } from './owned-conditions.js';
export { type ControllerLoop, runController } from './run-controller.js';
export type { Intent } from './target.js';
export { type Progress, withConditions } from './with-conditions.js';
