import type { ApplyConfiguration } from '../../builders/index.js';
import { metadataOf } from '../../fields/object.js';
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
  /** The state of the object, in the sense of kstatus. */
  readonly state: 'ready' | 'reconciling' | 'stalled';
  /** CamelCase, for programs. */
  readonly reason: string;
  /**
   * A text for people.
   *
   * @default ''
   */
  readonly message?: string;
  /**
   * All other status fields of the controller: omitted ones are released. `conditions` contains its other conditions; if it is omitted, the
   * conditions that the controller has applied stay.
   */
  readonly status?: JsonObject;
}

/**
 * Returns a reconcile that writes its result to the object's status, including failures: the conditions Ready, Reconciling and Stalled of
 * kstatus, with `observedGeneration` (which is also set as a status field if the kind has it). After a failure, the other status fields of
 * the controller stay as it last applied them, and the error is thrown again, so that the caller retries.
 *
 * ```ts
 * const reconcile = reconcileWithConditions(controller, shopStatus, async (shop) => {
 *   await controller.apply(deployment(shop.metadata.name, shop.metadata.namespace).withSpec({ replicas: 2 }));
 *   return { state: 'ready', reason: 'Deployed' };
 * });
 * ```
 *
 * Declares conditions of other types only if the controller itself has applied them: those of other controllers stay with their owners.
 * Writes an atomic list of conditions as a whole, with its current items. Reads the object after the reconcile, because the given one may
 * be older than later writes of others or of the controller itself.
 *
 * A transient failure (such as a write conflict or an overloaded server) sets Reconciling, any other sets Stalled. See `conditionReasonOf`
 * for the text. A deleted object is not a failure.
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
      const conditions = conditionsFor[state](before, { ...cause, ...observed }) as readonly unknown[] as Json;
      return statusOf(make, { metadata, status: { ...fields, ...(hasObservedGeneration ? observed : {}), conditions } });
    });
  };
  return async (live) => {
    let result: ReconcileResult;
    try {
      result = await reconcile(live);
    } catch (error) {
      const { transient, ...cause } = conditionReasonOf(error);
      await write(live, transient ? 'reconciling' : 'stalled', cause, (current) => appliedStatus(root, current, manager));
      throw error;
    }
    const { state, status = {}, ...cause } = result;
    return write(live, state, cause, () => status);
  };
}

const conditionsFor: Readonly<
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
