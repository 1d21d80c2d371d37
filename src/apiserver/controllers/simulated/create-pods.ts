import { nameOf } from '../../../fields/object.js';
import type { JsonObject } from '../../../util/json.js';
import type { ControllerContext } from './controller-context.js';
import { RefusedRequest } from './simulated-client.js';

/** The most pods that a controller creates or deletes at one look. Source: observed. */
export const burst = 500;

/**
 * Creates pods of a workload until one is refused.
 *
 * @param component the reporter of the events, such as `replicaset-controller`.
 * @returns the reason of a refusal; undefined if all pods were created.
 */
export async function createPods(
  context: ControllerContext,
  workload: JsonObject,
  component: string,
  pods: readonly JsonObject[],
): Promise<string | undefined> {
  for (const pod of pods) {
    try {
      const created = await context.create('Pod', pod);
      const message = `Created pod: ${nameOf(created)}`;
      await context.event(workload, component, { type: 'Normal', reason: 'SuccessfulCreate', message });
    } catch (error) {
      if (!(error instanceof RefusedRequest)) throw error;
      await context.event(workload, component, { type: 'Warning', reason: 'FailedCreate', message: `Error creating: ${error.message}` });
      return error.message;
    }
  }
  return undefined;
}

/** Deletes pods of a workload, and records an event for each. */
export async function deletePods(
  context: ControllerContext,
  workload: JsonObject,
  component: string,
  pods: readonly JsonObject[],
): Promise<void> {
  for (const pod of pods) {
    await context.delete('Pod', pod);
    const message = `Deleted pod: ${nameOf(pod)}`;
    await context.event(workload, component, { type: 'Normal', reason: 'SuccessfulDelete', message });
  }
}
