import type { ApplyConfiguration } from '../../builders/index.js';
import { metadataOf } from '../../kubernetes/object.js';
import { applyEntryOf } from '../../ownership/index.js';
import type { RootType } from '../../schema/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import type { AppliedStatus } from '../apply/apply-status.js';
import type { Controller } from '../controller.js';
import { appliedFields, type BuilderFactory, rootOf, statusOf } from '../extract.js';
import { conditionReasonOf } from './condition-reason.js';
import { type Condition, type ConditionCause, ready, reconciling, stalled } from './conditions.js';
import { conditionsToApply, statusFieldOf } from './owned-conditions.js';

/** The result of a reconcile. */
export interface ReconcileResult {
  /** The state of the object, as kstatus reads it. */
  readonly state: 'ready' | 'reconciling' | 'stalled';
  /** CamelCase, for programs. */
  readonly reason: string;
  /**
   * For people.
   *
   * @default ''
   */
  readonly message?: string;
  /**
   * The controller's other status fields, all of them: what is left out is released. Its other conditions belong to `conditions`; where
   * that is left out, those that the controller has applied stay.
   */
  readonly status?: JsonObject;
}

/**
 * Returns a reconcile that writes its end to the object's status, failures included: conditions Ready, Reconciling and Stalled as kstatus
 * reads them, with `observedGeneration` (also beside them, where the kind's status has that field). After a failure the other status
 * fields of the controller stay as it applied them last, and the error is thrown again, so that the caller retries.
 *
 * ```ts
 * const reconcile = reconcileWithConditions(controller, shopStatus, async (shop) => {
 *   await controller.apply(deployment(shop.metadata.name, shop.metadata.namespace).withSpec({ replicas: 2 }));
 *   return { state: 'ready', reason: 'Deployed' };
 * });
 * ```
 *
 * Conditions of other types are declared only where the controller itself has applied them: those of other controllers stay with their
 * owners. A list of conditions that is one value is written as a whole, as it is at that moment. The object is read when the reconcile has
 * ended, because the given one may be older than what others, or the controller itself, have written since.
 *
 * A failure whose cause passes by itself (a write conflict, a server that is overloaded) is Reconciling, any other is Stalled. See
 * `conditionReasonOf` for the text. An object that is gone by then is no failure.
 *
 * @param make the constructor of the kind's status builder.
 */
export function reconcileWithConditions<Live extends object>(
  controller: Controller,
  make: BuilderFactory<ApplyConfiguration<string, object>>,
  reconcile: (live: Live) => Promise<ReconcileResult>,
): (live: Live) => Promise<AppliedStatus> {
  const root = rootOf(make);
  const { apiVersion, kind } = root;
  const { manager } = controller;
  const hasObservedGeneration = statusFieldOf(root, 'observedGeneration') !== undefined;
  const write = (live: Live, state: ReconcileResult['state'], cause: ConditionCause, statusFor: (current: JsonObject) => JsonObject) => {
    const { metadata } = live as JsonObject;
    const { generation } = metadataOf(live as JsonObject);
    const observed = typeof generation === 'number' ? { observedGeneration: generation } : {};
    return controller.applyStatusTo({ apiVersion, kind, metadata } as JsonObject, (current) => {
      const { conditions: declaredConditions, ...fields } = statusFor(current);
      const before = conditionsToApply(root, current, manager, declaredConditions);
      const conditions = preset[state](before, { ...cause, ...observed }) as readonly unknown[] as Json;
      return statusOf(make, { metadata, status: { ...fields, ...(hasObservedGeneration ? observed : {}), conditions } });
    });
  };
  return async (live) => {
    let progress: ReconcileResult;
    try {
      progress = await reconcile(live);
    } catch (error) {
      const { transient, ...cause } = conditionReasonOf(error);
      await write(live, transient ? 'reconciling' : 'stalled', cause, (current) => appliedStatus(root, current, manager));
      throw error;
    }
    const { state, status = {}, ...cause } = progress;
    return write(live, state, cause, () => status);
  };
}

const preset: Readonly<
  Record<ReconcileResult['state'], (conditions: readonly Condition[], cause: ConditionCause) => readonly Condition[]>
> = {
  ready,
  reconciling,
  stalled,
};

function appliedStatus(root: RootType, live: JsonObject, manager: string): JsonObject {
  const { status } = appliedFields(root, live, applyEntryOf(live, manager, 'status'));
  return isJsonObject(status) ? status : {};
}
