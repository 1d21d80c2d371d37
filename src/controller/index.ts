/**
 * Tools for controllers: apply, status, finalizers, conditions, and a small loop. Exported as `fieldwise/controller`; docs/controller.md.
 */
export type { AppliedObject, ApplyOptions } from './apply.js';
export type { AppliedStatus, ApplyStatusOptions } from './apply-status.js';
export { type ConditionReason, conditionReasonOf } from './condition-reason.js';
export {
  type Condition,
  type ConditionCause,
  type ConditionOptions,
  type NewCondition,
  ready,
  reconciling,
  setCondition,
  stalled,
  withoutConditions,
} from './conditions.js';
export { Controller, type ControllerOptions } from './controller.js';
export { type AppliedBy, type BuilderFactory, extract, statusOf } from './extract.js';
export type { FinalizerResult } from './finalizers.js';
export type { GroupVersionKind } from './kind-informer.js';
export { ownedConditions } from './owned-conditions.js';
export { type ReconcileResult, reconcileWithConditions } from './reconcile-with-conditions.js';
export type { ApplyInput } from './resolve-intent.js';
export { type ControllerLoopOptions, runController } from './run-controller.js';
