import { metadataOf } from '../../fields/object.js';
import type { JsonObject } from '../../util/json.js';
import { Admission } from '../admission/admission.js';
import { refuseEndedNamespace } from '../admission/namespace-lifecycle.js';
import { listOf, structOf } from '../api/json-access.js';
import type { ApiRequest } from '../api/request.js';
import { badRequest, internalError, notFound, StatusError } from '../api/status-error.js';
import { objectBody } from '../http/body.js';
import { type Backend, isCurrent, type ObjectTarget, targetKey } from '../registry/backend.js';
import { selectorMatcher } from '../registry/selectors.js';
import { writeOptions } from '../registry/write-options.js';
import { timestamp } from '../storage/clock.js';
import { StaleRead } from '../storage/store.js';
import { withCondition } from './bind-pod.js';
import { deletePod } from './delete.js';

const budgets = 'policy/poddisruptionbudgets';
const over = ['Pending', 'Succeeded', 'Failed'];

/** Deletes a Pod if no PodDisruptionBudget speaks against it. Source: Kubernetes documentation "API-initiated Eviction". @throws StatusError */
export async function evictPod(backend: Backend, target: ObjectTarget, request: ApiRequest): Promise<void> {
  const options = writeOptions(request, 'CreateOptions');
  const { object: eviction } = await objectBody(request, target);
  refuseEndedNamespace(backend, target, target.name);
  if (metadataOf(eviction).name !== target.name) throw badRequest('name in URL does not match name in Eviction object');
  const deleteOptions = structOf(eviction.deleteOptions);
  const dryRun = options.dryRun || listOf(deleteOptions.dryRun).length > 0;
  const pod = backend.store.get(targetKey(target));
  if (pod === undefined) throw notFound(target.resource, target.name);
  const created = { operation: 'CREATE', object: eviction, oldObject: null, dryRun } as const;
  await new Admission(backend, target, request).validate(created);
  if (!isCurrent(backend, target, pod)) throw new StaleRead();
  const isTerminating = metadataOf(pod).deletionTimestamp !== undefined;
  if (!isTerminating && !over.includes(String(structOf(pod.status).phase))) spendBudget(backend, target, pod, dryRun);
  const marked = {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: timestamp(backend.clock),
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  };
  if (!dryRun && !isTerminating && deleteOptions.preconditions === undefined)
    backend.store.put(targetKey(target), withCondition(pod, marked));
  await deletePod(backend, { ...target, subresource: undefined }, { ...deleteOptions, ...(dryRun ? { dryRun: ['All'] } : {}) }, request);
}

/** Takes a disruption from the budget of a Pod. @throws StatusError 429, 500 */
function spendBudget({ store, clock }: Backend, target: ObjectTarget, pod: JsonObject, dryRun: boolean): void {
  const found = store
    .list(budgets, target.namespace)
    .filter(({ spec }) => structOf(spec).selector !== undefined && selectorMatcher(structOf(spec).selector)(pod));
  if (found.length > 1) {
    const text = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
    throw internalError(text);
  }
  const [budget] = found;
  if (budget === undefined) return;
  const status = structOf(budget.status);
  const metadata = metadataOf(budget);
  const { disruptionsAllowed = 0, desiredHealthy = 0, currentHealthy = 0, observedGeneration = 0 } = status as Record<string, number>;
  const name = String(metadata.name);
  if (observedGeneration < (metadata.generation ?? 0))
    throw tooManyRequests(`The disruption budget ${name} is still being processed by the server.`, { retryAfterSeconds: 10 });
  if (disruptionsAllowed <= 0) {
    const why =
      currentHealthy <= desiredHealthy
        ? `needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`
        : 'does not allow evicting pods currently';
    throw tooManyRequests(`The disruption budget ${name} ${why}`, {});
  }
  if (dryRun) return;
  const disruptedPods = { ...structOf(status.disruptedPods), [target.name]: timestamp(clock) };
  const key = { resource: budgets, namespace: target.namespace ?? '', name };
  store.put(key, { ...budget, status: { ...status, disruptionsAllowed: disruptionsAllowed - 1, disruptedPods } });
}

function tooManyRequests(reason: string, more: JsonObject): StatusError {
  const text = "Cannot evict pod as it would violate the pod's disruption budget.";
  return new StatusError(429, 'TooManyRequests', text, { causes: [{ reason: 'DisruptionBudget', message: reason }], ...more });
}
