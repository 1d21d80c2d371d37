import { type ApplyConfiguration, builderTypeOf } from '../builders/index.js';
import { resolve } from '../schema/index.js';
import type { JsonObject } from '../util/json.js';
import type { AppliedStatus } from './apply-status.js';
import { type Condition, type ConditionCause, ready, reconciling, stalled } from './conditions.js';
import type { Controller } from './controller.js';
import { extract, type Maker, statusOf } from './extract.js';
import { failureOf } from './failure.js';

/** Where a reconcile has come to. */
export interface Progress {
  readonly state: 'ready' | 'reconciling' | 'stalled';
  /** CamelCase. */
  readonly reason: string;
  readonly message?: string;
  /** The controller's other status fields, all of them: what is left out is released. */
  readonly status?: JsonObject;
}

/**
 * A reconcile that tells in the object's status how it ended, failures included: conditions Ready, Reconciling and Stalled as kstatus reads
 * them, with `observedGeneration` (also beside them, where the kind's status has that field). After a failure the other status fields of
 * the controller stay as it applied them last, and the error is thrown on, so that the caller tries again.
 *
 * ```ts
 * const reconcile = withConditions(controller, shopStatus, async (shop) => {
 *   await controller.apply(deployment(shop.metadata.name, shop.metadata.namespace).withSpec({ replicas: 2 }));
 *   return { state: 'ready', reason: 'Deployed' };
 * });
 * ```
 *
 * A failure whose cause passes by itself (a write conflict, a server that is overloaded) is Reconciling, any other is Stalled. See
 * `failureOf` for what is told of it. An object that is gone by then is no failure.
 *
 * @param make the constructor of the kind's status builder.
 */
export function withConditions<Live extends object>(
  controller: Controller,
  make: Maker<ApplyConfiguration<string, object>>,
  reconcile: (live: Live) => Promise<Progress>,
): (live: Live) => Promise<AppliedStatus> {
  const tell = (live: Live, { state, status = {}, ...cause }: Progress) => {
    const { metadata, status: before } = live as JsonObject;
    const { generation, uid } = metadata as JsonObject;
    const observed = typeof generation === 'number' ? { observedGeneration: generation } : {};
    const conditions = preset[state](conditionsOf(before), { ...cause, ...observed });
    const fields = { ...status, ...(hasObservedGeneration(make) ? observed : {}), conditions };
    return controller.applyStatus(statusOf(make, { metadata, status: fields }), { uid: String(uid) });
  };
  return async (live) => {
    let progress: Progress;
    try {
      progress = await reconcile(live);
    } catch (error) {
      const { transient, ...cause } = failureOf(error);
      const { status } = extract(make, live, controller.manager, 'status').build() as JsonObject;
      await tell(live, { state: transient ? 'reconciling' : 'stalled', ...cause, status: (status ?? {}) as JsonObject });
      throw error;
    }
    return tell(live, progress);
  };
}

const preset: Readonly<Record<Progress['state'], (conditions: readonly Condition[], cause: ConditionCause) => readonly Condition[]>> = {
  ready,
  reconciling,
  stalled,
};

function conditionsOf(status: unknown): readonly Condition[] {
  const { conditions } = (status ?? {}) as JsonObject;
  return Array.isArray(conditions) ? (conditions as unknown as readonly Condition[]) : [];
}

function hasObservedGeneration(make: Maker<unknown>): boolean {
  const root = builderTypeOf(make('any'))?.root;
  const status = root && resolve(root.schema, root.type).map?.fields.get('status')?.type;
  return root !== undefined && status !== undefined && resolve(root.schema, status).map?.fields.has('observedGeneration') === true;
}
