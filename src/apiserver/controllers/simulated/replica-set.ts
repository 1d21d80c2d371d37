import { isTerminating, metadataOf } from '../../../fields/object.js';
import { type JsonObject, jsonEqual } from '../../../util/json.js';
import { structOf } from '../../api/json-access.js';
import { selectorMatcher } from '../../registry/selectors.js';
import { conditionIn, conditionsIn, withChanged, withoutCondition } from './condition-list.js';
import type { ControllerContext } from './controller-context.js';
import { burst, createPods, deletePods } from './create-pods.js';
import { byDeletion, countPods, isActive } from './pod-state.js';
import { podFrom } from './pod-template.js';
import { defined, numberAt } from './workload-object.js';

const component = 'replicaset-controller';

/** Creates and deletes the pods of a ReplicaSet, and writes its status. Source: Kubernetes documentation "ReplicaSet". */
export async function syncReplicaSet(context: ControllerContext, set: JsonObject): Promise<void> {
  const spec = structOf(set.spec);
  const pods = context.podsOf(set, spec.selector);
  const active = pods.filter(isActive);
  const failure = isTerminating(set) ? undefined : await scale(context, set, active);
  await writeStatus(context, set, { active, terminating: pods.filter(isTerminating).length, failure });
}

async function scale(context: ControllerContext, set: JsonObject, active: readonly JsonObject[]): Promise<string | undefined> {
  const missing = numberAt(set, 'spec.replicas') - active.length;
  if (missing < 0) {
    const surplus = active.toSorted(byDeletion).slice(0, Math.min(-missing, burst));
    await deletePods(context, set, component, surplus);
    return undefined;
  }
  const template = structOf(structOf(set.spec).template);
  const pod = podFrom(set, template, {});
  return createPods(
    context,
    set,
    component,
    Array.from({ length: Math.min(missing, burst) }, () => pod),
  );
}

interface Seen {
  readonly active: readonly JsonObject[];
  readonly terminating: number;
  readonly failure: string | undefined;
}

async function writeStatus(context: ControllerContext, set: JsonObject, { active, terminating, failure }: Seen): Promise<void> {
  const before = structOf(set.status);
  const counts = countPods(active, numberAt(set, 'spec.minReadySeconds'), context.clock());
  const labels = structOf(structOf(structOf(structOf(set.spec).template).metadata).labels);
  const status = statusWith({
    replicas: active.length,
    fullyLabeledReplicas: active.filter(selectorMatcher({ matchLabels: labels })).length,
    readyReplicas: counts.ready,
    availableReplicas: counts.available,
    terminatingReplicas: terminating,
    observedGeneration: metadataOf(set).generation,
    conditions: conditionsWith(conditionsIn(before), failure, context.time),
  });
  if (counts.nextAvailable !== undefined) context.lookAgain(set, counts.nextAvailable);
  if (!jsonEqual(status, before)) await context.updateStatus('ReplicaSet', { ...set, status });
  if (failure !== undefined) throw new Error(failure);
}

/** Returns a status as a server writes it: without the counts that are 0, but for those that it always has. */
function statusWith(status: JsonObject): JsonObject {
  const counts = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'];
  const conditions = conditionsIn(status);
  const empty = counts.filter((name) => status[name] === 0);
  return defined({
    ...status,
    ...Object.fromEntries(empty.map((name) => [name, undefined])),
    conditions: conditions.length === 0 ? undefined : conditions,
  });
}

function conditionsWith(before: readonly JsonObject[], failure: string | undefined, now: string): readonly JsonObject[] {
  const known = conditionIn(before, 'ReplicaFailure');
  if (failure === undefined) return known === undefined ? before : withoutCondition(before, 'ReplicaFailure');
  if (known !== undefined) return before;
  const written = withChanged(before, { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: failure }, now);
  return written.map(({ lastUpdateTime: _, ...condition }) => condition);
}
