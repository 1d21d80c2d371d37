import { metadataOf, nameOf } from '../../../fields/object.js';
import { type JsonObject, jsonEqual } from '../../../util/json.js';
import { structOf } from '../../api/json-access.js';
import { conditionIn, conditionsIn, type NewCondition, withChanged, withoutCondition, withWritten } from './condition-list.js';
import type { ControllerContext } from './controller-context.js';
import { hasDeadline, limitsOf, type ReplicaSets, replicasOf, sum } from './deployment-replica-sets.js';
import { defined, numberAt } from './workload-object.js';

const counts = ['replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas', 'unavailableReplicas'] as const;

/** Writes the counts of a Deployment and its condition Available, as for one that is paused or scaled. */
export async function writeStatus(context: ControllerContext, deployment: JsonObject, sets: ReplicaSets): Promise<void> {
  await write(context, deployment, computeStatus(context, deployment, sets));
}

/** Returns true if it has written the counts of a Deployment and its conditions, the progress of its rollout among them. Source: Kubernetes documentation "Deployments". */
export async function writeRolloutStatus(context: ControllerContext, deployment: JsonObject, sets: ReplicaSets): Promise<boolean> {
  const status = computeStatus(context, deployment, sets);
  const progressed = withProgress(context, deployment, sets, status);
  const conditions = withFailure(progressed, sets, context.time);
  const isNew = await write(context, deployment, { ...status, conditions });
  const progressing = conditionIn(conditions, 'Progressing');
  if (hasDeadline(deployment) && progressing !== undefined && !isSettled(progressing)) context.lookAgain(deployment, 1_000);
  return isNew;
}

async function write(context: ControllerContext, deployment: JsonObject, status: JsonObject): Promise<boolean> {
  const isNew = !jsonEqual(status, structOf(deployment.status));
  if (isNew) await context.updateStatus('Deployment', { ...deployment, status });
  return isNew;
}

function computeStatus(context: ControllerContext, deployment: JsonObject, { newest, old }: ReplicaSets): JsonObject {
  const all = [...old, ...(newest === undefined ? [] : [newest])];
  const before = structOf(deployment.status);
  const available = sum(all, 'status.availableReplicas');
  const numbers = {
    replicas: sum(all, 'status.replicas'),
    updatedReplicas: newest === undefined ? 0 : numberAt(newest, 'status.replicas'),
    readyReplicas: sum(all, 'status.readyReplicas'),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, sum(all, 'spec.replicas') - available),
  };
  const isEnough = available >= replicasOf(deployment) - limitsOf(deployment).maxUnavailable;
  const condition: NewCondition = isEnough
    ? { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable', message: 'Deployment has minimum availability.' }
    : {
        ...{ type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable' },
        message: 'Deployment does not have minimum availability.',
      };
  return defined({
    observedGeneration: metadataOf(deployment).generation,
    ...Object.fromEntries(counts.map((name) => [name, numbers[name] === 0 ? undefined : numbers[name]])),
    terminatingReplicas: sum(all, 'status.terminatingReplicas'),
    collisionCount: before.collisionCount,
    conditions: withChanged(conditionsIn(before), condition, context.time),
  });
}

function withProgress(context: ControllerContext, deployment: JsonObject, { newest }: ReplicaSets, status: JsonObject) {
  const conditions = conditionsIn(status);
  if (!hasDeadline(deployment)) return withoutCondition(conditions, 'Progressing');
  const current = conditionIn(conditions, 'Progressing');
  const isComplete = numberAt(status, 'replicas') === numberAt(status, 'updatedReplicas') && current?.reason === 'NewReplicaSetAvailable';
  if (isComplete) return conditions;
  const subject = newest === undefined ? `Deployment "${nameOf(deployment)}"` : `ReplicaSet "${nameOf(newest)}"`;
  const type = 'Progressing';
  if (isRolledOut(deployment, status)) {
    const message = `${subject} has successfully progressed.`;
    return withChanged(conditions, { type, status: 'True', reason: 'NewReplicaSetAvailable', message }, context.time);
  }
  if (hasProgressed(structOf(deployment.status), status)) {
    const message = `${subject} is progressing.`;
    return withWritten(conditions, { type, status: 'True', reason: 'ReplicaSetUpdated', message }, context.time);
  }
  if (!isLate(context, deployment, current)) return conditions;
  const message = `${subject} has timed out progressing.`;
  return withChanged(conditions, { type, status: 'False', reason: 'ProgressDeadlineExceeded', message }, context.time);
}

/** Returns true if all pods of a Deployment are of its template and available. */
export function isRolledOut(deployment: JsonObject, status: JsonObject): boolean {
  const replicas = replicasOf(deployment);
  const isAll = (['updatedReplicas', 'replicas', 'availableReplicas'] as const).every((name) => numberAt(status, name) === replicas);
  return isAll && numberAt(status, 'observedGeneration') >= (metadataOf(deployment).generation ?? 0);
}

function hasProgressed(before: JsonObject, after: JsonObject): boolean {
  const old = (status: JsonObject) => numberAt(status, 'replicas') - numberAt(status, 'updatedReplicas');
  const isMore = (name: string) => numberAt(after, name) > numberAt(before, name);
  return isMore('updatedReplicas') || old(after) < old(before) || isMore('readyReplicas') || isMore('availableReplicas');
}

function isLate({ clock }: ControllerContext, deployment: JsonObject, progressing: JsonObject | undefined): boolean {
  if (progressing === undefined || progressing.reason === 'NewReplicaSetAvailable') return false;
  if (progressing.reason === 'ProgressDeadlineExceeded') return true;
  const seconds = numberAt(deployment, 'spec.progressDeadlineSeconds');
  return clock() > Date.parse(String(progressing.lastUpdateTime)) + seconds * 1000;
}

const isSettled = ({ reason }: JsonObject) => reason === 'NewReplicaSetAvailable' || reason === 'ProgressDeadlineExceeded';

/** Copies the refusal of pods that a ReplicaSet reports. */
function withFailure(conditions: readonly JsonObject[], { newest, old }: ReplicaSets, now: string): readonly JsonObject[] {
  const failures = [newest, ...old].flatMap((set) => conditionIn(conditionsIn(structOf(set?.status)), 'ReplicaFailure') ?? []);
  const [failure] = failures;
  if (failure === undefined) return withoutCondition(conditions, 'ReplicaFailure');
  const { status, reason, message } = failure as unknown as NewCondition;
  return withChanged(conditions, { type: 'ReplicaFailure', status, reason, message }, now);
}
