import { metadataOf } from '../fields/object.js';
import { type Cluster, clientOf } from '../kubernetes/cluster.js';
import type { ClusterClient } from '../kubernetes/index.js';
import { addressOf } from '../kubernetes/object-address.js';
import type { JsonObject } from '../util/json.js';
import { ownCopy } from '../util/own-copy.js';
import { type AppliedObject, type ApplyOptions, applyObject } from './apply/apply.js';
import { type AppliedStatus, type ApplyStatusOptions, applyStatus, applyStatusOf } from './apply/apply-status.js';
import { LastApplies } from './apply/last-applies.js';
import { isObjectDeleted } from './apply/object-deleted.js';
import type { ApplyInput } from './apply/resolve-intent.js';
import { ownIntent } from './apply/resolve-intent.js';
import { addFinalizer, type FinalizerResult, removeFinalizer } from './finalizers.js';

/** Options of a `Controller`. */
export interface ControllerOptions {
  /** Name of the field manager: one per controller, at most 128 bytes, never shared with another. */
  readonly manager: string;
}

/**
 * The client with which a controller writes. Every reconcile applies its complete intent; the server determines the changes.
 *
 * @example
 * ```ts
 * const controller = new Controller(await connect(), { manager: 'shop-operator' });
 * const { outcome, forcedConflicts } = await controller.apply(deployment('web', 'shop').withSpec({ replicas: 2 }));
 * ```
 *
 * Safe to use for many objects at once. Source: KEP-555, "Server-Side Apply", section on controllers.
 */
export class Controller {
  /** The cluster to which the controller writes. */
  readonly cluster: Cluster;
  /** The name of its field manager. */
  readonly manager: string;
  readonly #client: ClusterClient;
  readonly #last = new LastApplies();

  constructor(cluster: Cluster, { manager }: ControllerOptions) {
    this.cluster = cluster;
    this.#client = clientOf(cluster);
    this.manager = manager;
  }

  /**
   * Applies a complete intent, and creates the object if it is absent. See `AppliedObject`.
   *
   * @throws ApiError if the server rejects the apply; FieldwiseError `intent-invalid`, `kind-unknown`, `apply-contended`, and
   *   `object-deleted` if the intent has the uid of an object that no longer exists; intents of `extract` have a uid.
   */
  apply(intent: ApplyInput): Promise<AppliedObject>;
  /**
   * Applies only to the object with that uid; never creates one. The outcome is `absent` if the object no longer exists.
   *
   * @throws as `apply`.
   */
  apply(intent: ApplyInput, options: ApplyOptions): Promise<AppliedObject | { readonly outcome: 'absent' }>;
  async apply(intent: ApplyInput, options?: ApplyOptions): Promise<AppliedObject | { readonly outcome: 'absent' }> {
    try {
      return await applyObject(this.#client, this.manager, intent, this.#last, options?.uid);
    } catch (error) {
      if (options !== undefined && isObjectDeleted(error)) return { outcome: 'absent' };
      throw error;
    }
  }

  /**
   * Applies to the status subresource; never creates the object. See `AppliedStatus`.
   *
   * @throws as `apply`, and FieldwiseError `status-not-served` if the kind has no status subresource.
   */
  applyStatus(intent: ApplyInput, options: ApplyStatusOptions = {}): Promise<AppliedStatus> {
    return applyStatus(this.#client, { manager: this.manager, uid: options.uid }, intent, this.#last);
  }

  /**
   * Applies a status that is derived from the current object, to this object and to no later one of its name. `intentFor` receives the
   * current object, and is called again if others write it in between.
   *
   * @param live an object with apiVersion, kind, name and uid.
   * @throws as `applyStatus`.
   */
  async applyStatusTo(live: JsonObject, intentFor: (current: JsonObject) => ApplyInput): Promise<AppliedStatus> {
    const address = await addressOf(this.#client, live);
    const { uid } = metadataOf(live);
    return applyStatusOf(
      this.#client,
      address,
      { manager: this.manager, uid: String(uid) },
      // The report compares the object as it was read.
      (current) => ownIntent(intentFor(ownCopy(current))),
      this.#last,
    );
  }

  /** Adds a finalizer to an object that was read before. See `FinalizerResult`. @throws FieldwiseError `finalizer-contended`. */
  addFinalizer(live: JsonObject, finalizer: string): Promise<FinalizerResult> {
    return addFinalizer(this.#client, this.manager, live, finalizer);
  }

  /** Removes a finalizer from an object that was read before. See `FinalizerResult`. @throws FieldwiseError `finalizer-contended`. */
  removeFinalizer(live: JsonObject, finalizer: string): Promise<FinalizerResult> {
    return removeFinalizer(this.#client, this.manager, live, finalizer);
  }

  /**
   * Reads an object; returns undefined if it does not exist.
   *
   * @param object apiVersion, kind and metadata: name, and namespace if it is not the default one.
   * @throws ApiError if the server rejects the read; FieldwiseError `intent-without-kind`, `intent-without-name`, `kind-unknown`.
   */
  async read(object: JsonObject): Promise<JsonObject | undefined> {
    return this.#client.tryGet(await addressOf(this.#client, object));
  }
}
