import { isTerminating, metadataOf, nameOf } from '../../../fields/object.js';
import type { JsonObject } from '../../../util/json.js';
import { memberAt, structOf } from '../../api/json-access.js';
import { conditionIn, conditionsIn, withChanged } from './condition-list.js';
import type { ControllerContext } from './controller-context.js';
import {
  cleanUp,
  ensureNewest,
  findReplicaSets,
  hasDeadline,
  isScaledFor,
  limitsOf,
  newestReplicas,
  type ReplicaSets,
  replicasOf,
  StatusWritten,
  scaleReplicaSet,
  sum,
} from './deployment-replica-sets.js';
import { isRolledOut, writeRolloutStatus, writeStatus } from './deployment-status.js';
import { isActive } from './pod-state.js';
import { scaleInProportion } from './scale-in-proportion.js';
import { numberAt } from './workload-object.js';

/** Rolls out a Deployment by its ReplicaSets, and writes its status. Source: Kubernetes documentation "Deployments". */
export async function syncDeployment(context: ControllerContext, deployment: JsonObject): Promise<void> {
  const sets = findReplicaSets(context, deployment);
  if (isTerminating(deployment)) return writeStatus(context, deployment, sets);
  try {
    await notePause(context, deployment);
    const isPaused = memberAt(deployment, 'spec.paused') === true;
    if (isPaused || isToScale(deployment, sets)) return await scale(context, deployment, sets, isPaused);
    if (memberAt(deployment, 'spec.strategy.type') === 'Recreate') await recreate(context, deployment, sets);
    else await rollOut(context, deployment, sets);
  } catch (error) {
    if (!(error instanceof StatusWritten)) throw error;
    const written = context.get('Deployment', metadataOf(deployment).namespace ?? '', nameOf(deployment));
    if (written !== undefined) await syncDeployment(context, written);
  }
}

/**
 * Writes that a Deployment is paused, or no longer is. The look goes on with the older state, so that its next write is refused and the look
 * is repeated: a rollout that begins with the resumption shows no `NewReplicaSetCreated`. Source: observed.
 */
async function notePause(context: ControllerContext, deployment: JsonObject): Promise<void> {
  if (!hasDeadline(deployment)) return;
  const status = structOf(deployment.status);
  const before = conditionsIn(status);
  const progressing = conditionIn(before, 'Progressing');
  const isPaused = memberAt(deployment, 'spec.paused') === true;
  // The failure to meet the deadline stays.
  if (progressing?.reason === 'ProgressDeadlineExceeded') return;
  const wasPaused = progressing?.reason === 'DeploymentPaused';
  if (isPaused === wasPaused) return;
  const [reason, message] = isPaused ? ['DeploymentPaused', 'Deployment is paused'] : ['DeploymentResumed', 'Deployment is resumed'];
  const conditions = withChanged(before, { type: 'Progressing', status: 'Unknown', reason, message }, context.time);
  await context.updateStatus('Deployment', { ...deployment, status: { ...status, conditions } });
}

function isToScale(deployment: JsonObject, { newest, old }: ReplicaSets): boolean {
  return [...old, ...(newest === undefined ? [] : [newest])].some((set) => replicasOf(set) > 0 && !isScaledFor(set, deployment));
}

async function scale(context: ControllerContext, deployment: JsonObject, sets: ReplicaSets, isPaused: boolean): Promise<void> {
  const scaled = await scaleInProportion(context, deployment, sets);
  if (isPaused) await cleanUp(context, deployment, scaled.old);
  await writeStatus(context, deployment, scaled);
}

async function recreate(context: ControllerContext, deployment: JsonObject, sets: ReplicaSets): Promise<void> {
  if (sum(sets.old, 'spec.replicas') > 0) {
    const old = await inTurn(sets.old, (set) => (replicasOf(set) > 0 ? scaleReplicaSet(context, deployment, set, 0) : set));
    await writeRolloutStatus(context, deployment, { ...sets, old });
    return;
  }
  const remains = sets.old.some((set) => context.controlled('Pod', set).some((pod) => isActive(pod) || isTerminating(pod)));
  if (remains) {
    await writeRolloutStatus(context, deployment, sets);
    return;
  }
  // The end of the old pods is reported before the new ones begin.
  if (sets.newest === undefined && sets.old.length > 0 && (await writeRolloutStatus(context, deployment, sets))) return;
  const newest = await ensureNewest(context, deployment, sets);
  const scaled = await scaleReplicaSet(context, deployment, newest, replicasOf(deployment));
  await finish(context, deployment, { newest: scaled, old: sets.old });
}

async function rollOut(context: ControllerContext, deployment: JsonObject, sets: ReplicaSets): Promise<void> {
  const newest = await ensureNewest(context, deployment, sets);
  const current = replicasOf(newest);
  const wanted = replicasOf(deployment);
  const target = current > wanted ? wanted : newestReplicas(deployment, sets.old, current);
  if (target !== current) {
    const scaled = await scaleReplicaSet(context, deployment, newest, target);
    await writeRolloutStatus(context, deployment, { ...sets, newest: scaled });
    return;
  }
  const old = await scaleOldDown(context, deployment, newest, sets.old);
  await finish(context, deployment, { newest, old });
}

async function finish(context: ControllerContext, deployment: JsonObject, sets: ReplicaSets): Promise<void> {
  if (isRolledOut(deployment, structOf(deployment.status))) await cleanUp(context, deployment, sets.old);
  await writeRolloutStatus(context, deployment, sets);
}

/** Scales old ReplicaSets down as far as enough pods stay available: first by their pods that are not available, then by others. */
async function scaleOldDown(
  context: ControllerContext,
  deployment: JsonObject,
  newest: JsonObject,
  old: readonly JsonObject[],
): Promise<readonly JsonObject[]> {
  const minAvailable = replicasOf(deployment) - limitsOf(deployment).maxUnavailable;
  const newestUnavailable = replicasOf(newest) - numberAt(newest, 'status.availableReplicas');
  let room = replicasOf(newest) + sum(old, 'spec.replicas') - minAvailable - newestUnavailable;
  if (room <= 0 || sum(old, 'spec.replicas') === 0) return old;
  const unhealthy = await inTurn(old, async (set) => {
    const removed = Math.min(room, Math.max(0, replicasOf(set) - numberAt(set, 'status.availableReplicas')));
    room -= removed;
    return removed === 0 ? set : scaleReplicaSet(context, deployment, set, replicasOf(set) - removed);
  });
  let surplus = sum([newest, ...unhealthy], 'status.availableReplicas') - minAvailable;
  return inTurn(unhealthy, async (set) => {
    const removed = Math.min(Math.max(0, surplus), replicasOf(set));
    surplus -= removed;
    return removed === 0 ? set : scaleReplicaSet(context, deployment, set, replicasOf(set) - removed);
  });
}

/** Calls a function for each object, one after another. */
export async function inTurn(
  objects: readonly JsonObject[],
  call: (object: JsonObject) => JsonObject | Promise<JsonObject>,
): Promise<readonly JsonObject[]> {
  const results: JsonObject[] = [];
  for (const object of objects) results.push(await call(object));
  return results;
}
