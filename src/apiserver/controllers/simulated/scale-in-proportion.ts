import { metadataOf } from '../../../fields/object.js';
import type { JsonObject } from '../../../util/json.js';
import { memberAt } from '../../api/json-access.js';
import type { ControllerContext } from './controller-context.js';
import { limitsOf, type ReplicaSets, replicasOf, scaleReplicaSet, sum } from './deployment-replica-sets.js';
import { byAge, numberAt } from './workload-object.js';

/**
 * Scales the ReplicaSets of a Deployment whose number of replicas has changed: the only one that has pods, or all of a rolling update in
 * proportion to their size. Source: Kubernetes documentation "Deployments", "Proportional scaling".
 */
export async function scaleInProportion(context: ControllerContext, deployment: JsonObject, sets: ReplicaSets): Promise<ReplicaSets> {
  const { newest, old } = sets;
  const all = [...old, ...(newest === undefined ? [] : [newest])];
  const active = all.filter((set) => replicasOf(set) > 0);
  const wanted = replicasOf(deployment);
  const only = active.length === 0 ? (newest ?? old.at(-1)) : active.length === 1 ? active[0] : undefined;
  const sizes = new Map<JsonObject, number>();
  if (only !== undefined) sizes.set(only, wanted);
  else if (isSaturated(newest, wanted)) for (const set of old) sizes.set(set, 0);
  else if (memberAt(deployment, 'spec.strategy.type') === 'RollingUpdate') distribute(deployment, active, sizes);
  const scaled = new Map<JsonObject, JsonObject>();
  for (const [set, replicas] of sizes) scaled.set(set, await scaleReplicaSet(context, deployment, set, replicas));
  return { newest: newest && (scaled.get(newest) ?? newest), old: old.map((set) => scaled.get(set) ?? set) };
}

function isSaturated(newest: JsonObject | undefined, wanted: number): boolean {
  if (newest === undefined) return false;
  const scaledFor = Number(metadataOf(newest).annotations?.['deployment.kubernetes.io/desired-replicas']);
  return replicasOf(newest) === wanted && scaledFor === wanted && numberAt(newest, 'status.availableReplicas') === wanted;
}

/** Distributes the pods to add or to remove: the largest ReplicaSet comes first, and takes what rounding leaves. */
function distribute(deployment: JsonObject, active: readonly JsonObject[], sizes: Map<JsonObject, number>): void {
  const total = sum(active, 'spec.replicas');
  const allowed = replicasOf(deployment) === 0 ? 0 : replicasOf(deployment) + limitsOf(deployment).maxSurge;
  const change = allowed - total;
  const newestFirst = active.toSorted(byAge).toReversed();
  const ordered = (change > 0 ? newestFirst : newestFirst.toReversed()).toSorted((left, right) => replicasOf(right) - replicasOf(left));
  let added = 0;
  for (const set of ordered) {
    const part = change === 0 ? 0 : proportion(set, deployment, change - added, change);
    sizes.set(set, Math.max(0, replicasOf(set) + part));
    added += part;
  }
  const [largest] = ordered;
  if (largest !== undefined) sizes.set(largest, Math.max(0, (sizes.get(largest) ?? 0) + change - added));
}

function proportion(set: JsonObject, deployment: JsonObject, left: number, change: number): number {
  const size = replicasOf(set);
  const maxBefore = Number(metadataOf(set).annotations?.['deployment.kubernetes.io/max-replicas'] ?? replicasOf(deployment));
  const maxNow = replicasOf(deployment) + limitsOf(deployment).maxSurge;
  const part = replicasOf(deployment) === 0 ? -size : Math.round((size * maxNow) / Math.max(1, maxBefore)) - size;
  return change > 0 ? Math.max(0, Math.min(part, left)) : Math.min(0, Math.max(part, left));
}
