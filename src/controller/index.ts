/**
 * Tools for controllers: apply, status, finalizers, conditions, and a small loop. Exported as `fieldwise/controller`; docs/controller.md.
 */
export type { AppliedObject, ApplyOptions } from './apply/apply.js';
export type { AppliedStatus, ApplyStatusOptions } from './apply/apply-status.js';
export type { ApplyInput } from './apply/resolve-intent.js';
export { type ConditionReason, conditionReasonOf } from './conditions/condition-reason.js';
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
} from './conditions/conditions.js';
export { ownedConditions } from './conditions/owned-conditions.js';
export { type ReconcileResult, reconcileWithConditions } from './conditions/reconcile-with-conditions.js';
export { Controller, type ControllerOptions } from './controller.js';
export { type AppliedBy, type BuilderFactory, extract, statusOf } from './extract.js';
export type { FinalizerResult } from './finalizers.js';
export type { GroupVersionKind } from './kind-informer.js';
export { type ControllerLoopOptions, runController } from './run-controller.js';
