import type { ApplyConfiguration } from '../builders/index.js';
import type { Cluster } from '../cluster/index.js';
import type { JsonObject } from '../util/json.js';
import { type AppliedObject, applyObject } from './apply.js';
import { type AppliedStatus, applyStatus, type StatusOptions } from './apply-status.js';
import { addFinalizer, type FinalizerAnswer, removeFinalizer } from './finalizers.js';
import { LastApplies } from './last-applies.js';

/** A builder of a whole object, or a plain object with apiVersion and kind. */
export type Intent = ApplyConfiguration<string, object> | JsonObject;

export interface ControllerOptions {
  /** Name of the field manager: one per controller, at most 128 bytes, never shared with another. */
  readonly manager: string;
}

/**
 * The writing half of a controller. Every reconcile states its whole intent again; the server finds out what is to be done.
 *
 * ```ts
 * const controller = new Controller(await connect(), { manager: 'shop-operator' });
 * const { outcome, taken } = await controller.apply(deployment('web', 'shop').withSpec({ replicas: 2 }));
 * ```
 *
 * Safe to use for many objects at once. Source: KEP-555, "Server-Side Apply", section on controllers.
 */
export class Controller {
  readonly cluster: Cluster;
  readonly manager: string;
  readonly #last = new LastApplies();

  constructor(cluster: Cluster, { manager }: ControllerOptions) {
    this.cluster = cluster;
    this.manager = manager;
  }

  /** See `AppliedObject`. @throws ApiError where the server refuses; FieldwiseError `intent-invalid`, `kind-unknown`, `apply-contended`. */
  apply(intent: Intent): Promise<AppliedObject> {
    return applyObject(this.cluster, this.manager, intent, this.#last);
  }

  /** See `AppliedStatus`. @throws as `apply`, and `status-not-served` where the kind has no status subresource. */
  applyStatus(intent: Intent, options: StatusOptions = {}): Promise<AppliedStatus> {
    return applyStatus(this.cluster, this.manager, intent, this.#last, options);
  }

  /** Adds a finalizer to an object as it was read. See `FinalizerAnswer`. @throws FieldwiseError `finalizer-contended`. */
  addFinalizer(live: JsonObject, finalizer: string): Promise<FinalizerAnswer> {
    return addFinalizer(this.cluster, this.manager, live, finalizer);
  }

  /** Takes a finalizer from an object as it was read. See `FinalizerAnswer`. @throws FieldwiseError `finalizer-contended`. */
  removeFinalizer(live: JsonObject, finalizer: string): Promise<FinalizerAnswer> {
    return removeFinalizer(this.cluster, this.manager, live, finalizer);
  }
}
