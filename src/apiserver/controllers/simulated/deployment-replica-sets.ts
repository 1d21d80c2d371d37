import { isTerminating, metadataOf, nameOf, uidOf } from '../../../fields/object.js';
import { type JsonObject, jsonEqual } from '../../../util/json.js';
import { memberAt, structOf } from '../../api/json-access.js';
import { conditionIn, conditionsIn, withChanged } from './condition-list.js';
import { type ControllerContext, controllerReference } from './controller-context.js';
import { hashOf } from './pod-template.js';
import { RefusedRequest } from './simulated-client.js';
import { byAge, numberAt, podNumber, withAnnotations, withSpec } from './workload-object.js';

export const component = 'deployment-controller';

const hashLabel = 'pod-template-hash';
const revisionAnnotation = 'deployment.kubernetes.io/revision';
const historyAnnotation = 'deployment.kubernetes.io/revision-history';
const desiredAnnotation = 'deployment.kubernetes.io/desired-replicas';
const maxAnnotation = 'deployment.kubernetes.io/max-replicas';

/** The ReplicaSets of a Deployment. */
export interface ReplicaSets {
  readonly newest: JsonObject | undefined;
  /** The oldest first. */
  readonly old: readonly JsonObject[];
}

export const replicasOf = (set: JsonObject) => numberAt(set, 'spec.replicas');

export const sum = (sets: readonly JsonObject[], path: string) => sets.reduce((total, set) => total + numberAt(set, path), 0);

/** Returns the limits of a rolling update, in pods. Source: Kubernetes documentation "Deployments", "Rolling Update Deployment". */
export function limitsOf(deployment: JsonObject): { readonly maxSurge: number; readonly maxUnavailable: number } {
  const replicas = replicasOf(deployment);
  if (memberAt(deployment, 'spec.strategy.type') !== 'RollingUpdate' || replicas === 0) return { maxSurge: 0, maxUnavailable: 0 };
  const { maxSurge, maxUnavailable } = structOf(memberAt(deployment, 'spec.strategy.rollingUpdate'));
  const surge = podNumber(maxSurge, replicas, 'up');
  const unavailable = podNumber(maxUnavailable, replicas, 'down');
  return { maxSurge: surge, maxUnavailable: Math.min(surge === 0 && unavailable === 0 ? 1 : unavailable, replicas) };
}

/** Finds the ReplicaSet with the template of the Deployment, and the others. */
export function findReplicaSets(context: ControllerContext, deployment: JsonObject): ReplicaSets {
  const all = context.controlled('ReplicaSet', deployment).toSorted(byAge);
  const template = comparable(structOf(structOf(deployment.spec).template));
  const newest = all.find((set) => jsonEqual(comparable(structOf(structOf(set.spec).template)), template));
  return { newest, old: all.filter((set) => set !== newest) };
}

function comparable(template: JsonObject): JsonObject {
  const metadata = structOf(template.metadata);
  const { [hashLabel]: _, ...labels } = structOf(metadata.labels);
  const { creationTimestamp: __, ...others } = metadata;
  return { ...template, metadata: { ...others, labels } };
}

/** A step of a Deployment that changed its status: the next look continues. */
export class StatusWritten extends Error {}

/**
 * Gives the newest ReplicaSet its revision and annotations, and creates it if there is none.
 *
 * @throws StatusWritten after the Deployment was written.
 */
export async function ensureNewest(context: ControllerContext, deployment: JsonObject, sets: ReplicaSets): Promise<JsonObject> {
  const revision = String(Math.max(0, ...sets.old.map(revisionOf)) + 1);
  if (sets.newest !== undefined) {
    const kept = withRevision(deployment, sets.newest, revision);
    const set = withSpec(kept, { minReadySeconds: memberAt(deployment, 'spec.minReadySeconds') });
    if (!jsonEqual(set, sets.newest)) return context.update('ReplicaSet', set);
    const condition = { reason: 'FoundNewReplicaSet', message: `Found new replica set "${nameOf(set)}"` };
    const isNew = conditionIn(conditionsIn(structOf(deployment.status)), 'Progressing') === undefined;
    await writeRevision(context, deployment, String(revisionOf(set)), isNew ? condition : undefined);
    return set;
  }
  const created = await createNewest(context, deployment, sets, revision);
  const condition = { reason: 'NewReplicaSetCreated', message: `Created new replica set "${nameOf(created)}"` };
  await writeRevision(context, deployment, revision, condition);
  return created;
}

async function createNewest(context: ControllerContext, deployment: JsonObject, sets: ReplicaSets, revision: string): Promise<JsonObject> {
  const set = newReplicaSet(context, deployment, sets, revision);
  try {
    const created = await context.create('ReplicaSet', set);
    if (replicasOf(created) > 0) await recordScaling(context, deployment, created, 0);
    return created;
  } catch (error) {
    if (!(error instanceof RefusedRequest)) throw error;
    const message = `Failed to create new replica set "${nameOf(set)}": ${error.message}`;
    await context.event(deployment, component, { type: 'Warning', reason: 'ReplicaSetCreateError', message });
    if (hasDeadline(deployment)) {
      const status = structOf(deployment.status);
      const condition = { type: 'Progressing', status: 'False', reason: 'ReplicaSetCreateError', message } as const;
      await context.updateStatus('Deployment', {
        ...deployment,
        status: { ...status, conditions: withChanged(conditionsIn(status), condition, context.time) },
      });
    }
    throw error;
  }
}

function newReplicaSet(context: ControllerContext, deployment: JsonObject, sets: ReplicaSets, revision: string): JsonObject {
  const spec = structOf(deployment.spec);
  const template = structOf(spec.template);
  const hash = freeHash(context, deployment, template);
  const labels = { ...structOf(structOf(template.metadata).labels), [hashLabel]: hash };
  const selector = structOf(spec.selector);
  const set: JsonObject = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${nameOf(deployment)}-${hash}`,
      namespace: metadataOf(deployment).namespace,
      labels,
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas: newestReplicas(deployment, sets.old, 0),
      minReadySeconds: spec.minReadySeconds,
      selector: { ...selector, matchLabels: { ...structOf(selector.matchLabels), [hashLabel]: hash } },
      template: { ...template, metadata: { ...structOf(template.metadata), labels } },
    },
  };
  return withRevision(deployment, set, revision);
}

/** Returns a hash whose name no other ReplicaSet has. */
function freeHash(context: ControllerContext, deployment: JsonObject, template: JsonObject): string {
  for (let collisions = 0; ; collisions++) {
    const hash = hashOf(template, collisions);
    if (context.get('ReplicaSet', metadataOf(deployment).namespace ?? '', `${nameOf(deployment)}-${hash}`) === undefined) return hash;
  }
}

/** Returns the replicas that the newest ReplicaSet may have now. */
export function newestReplicas(deployment: JsonObject, old: readonly JsonObject[], current: number): number {
  const wanted = replicasOf(deployment);
  if (memberAt(deployment, 'spec.strategy.type') !== 'RollingUpdate') return wanted;
  const room = wanted + limitsOf(deployment).maxSurge - sum(old, 'spec.replicas') - current;
  return room <= 0 ? current : current + Math.min(room, wanted - current);
}

function withRevision(deployment: JsonObject, set: JsonObject, revision: string): JsonObject {
  const own = metadataOf(set).annotations ?? {};
  const before = own[revisionAnnotation];
  const isNewer = before === undefined || Number(before) < Number(revision);
  const history = [own[historyAnnotation], before].filter((text) => text !== undefined && text !== '').join(',');
  return withAnnotations(set, {
    ...copiedAnnotations(deployment),
    ...(uidOf(set) === '' ? scaleAnnotations(deployment) : {}),
    ...(isNewer ? { [revisionAnnotation]: revision, ...(before === undefined ? {} : { [historyAnnotation]: history }) } : {}),
  });
}

/** Annotations of a Deployment that its ReplicaSets do not have. Source: observed. */
const notCopied: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'deprecated.deployment.rollback.to',
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
]);

function copiedAnnotations(deployment: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(metadataOf(deployment).annotations ?? {}).filter(([name]) => !notCopied.has(name)));
}

function scaleAnnotations(deployment: JsonObject): Readonly<Record<string, string>> {
  const replicas = replicasOf(deployment);
  return { [desiredAnnotation]: String(replicas), [maxAnnotation]: String(replicas + limitsOf(deployment).maxSurge) };
}

/** Returns true if a ReplicaSet was scaled for another number of replicas. */
export function isScaledFor(set: JsonObject, deployment: JsonObject): boolean {
  const desired = metadataOf(set).annotations?.[desiredAnnotation];
  return desired === undefined || Number(desired) === replicasOf(deployment);
}

export function revisionOf(set: JsonObject): number {
  return Number(metadataOf(set).annotations?.[revisionAnnotation] ?? 0);
}

export function hasDeadline(deployment: JsonObject): boolean {
  const seconds = memberAt(deployment, 'spec.progressDeadlineSeconds');
  return typeof seconds === 'number' && seconds < 2 ** 31 - 1;
}

async function writeRevision(
  context: ControllerContext,
  deployment: JsonObject,
  revision: string,
  condition: { readonly reason: string; readonly message: string } | undefined,
): Promise<void> {
  const status = structOf(deployment.status);
  const before = conditionsIn(status);
  const conditions =
    condition === undefined || !hasDeadline(deployment)
      ? before
      : withChanged(before, { type: 'Progressing', status: 'True', ...condition }, context.time);
  if (conditions === before && metadataOf(deployment).annotations?.[revisionAnnotation] === revision) return;
  const annotated = withAnnotations(deployment, { [revisionAnnotation]: revision });
  await context.updateStatus('Deployment', { ...annotated, status: conditions === before ? status : { ...status, conditions } });
  throw new StatusWritten();
}

/** Gives a ReplicaSet another number of replicas; returns the ReplicaSet as it is then. */
export async function scaleReplicaSet(
  context: ControllerContext,
  deployment: JsonObject,
  set: JsonObject,
  replicas: number,
): Promise<JsonObject> {
  const before = replicasOf(set);
  const wanted = withAnnotations(withSpec(set, { replicas }), scaleAnnotations(deployment));
  if (jsonEqual(wanted, set)) return set;
  const scaled = await context.update('ReplicaSet', wanted);
  if (before !== replicas) await recordScaling(context, deployment, scaled, before);
  return scaled;
}

async function recordScaling(context: ControllerContext, deployment: JsonObject, set: JsonObject, before: number): Promise<void> {
  const after = replicasOf(set);
  const message = `Scaled ${after > before ? 'up' : 'down'} replica set ${nameOf(set)} from ${before} to ${after}`;
  await context.event(deployment, component, { type: 'Normal', reason: 'ScalingReplicaSet', message });
}

/** Deletes the oldest ReplicaSets without pods that the history does not keep. Source: Kubernetes documentation "Deployments", "Clean up Policy". */
export async function cleanUp(context: ControllerContext, deployment: JsonObject, old: readonly JsonObject[]): Promise<void> {
  const limit = memberAt(deployment, 'spec.revisionHistoryLimit');
  if (typeof limit !== 'number') return;
  const surplus = old.toSorted((left, right) => revisionOf(left) - revisionOf(right)).slice(0, Math.max(0, old.length - limit));
  const isUnused = (set: JsonObject) =>
    numberAt(set, 'status.replicas') === 0 &&
    replicasOf(set) === 0 &&
    !isTerminating(set) &&
    metadataOf(set).generation === memberAt(set, 'status.observedGeneration');
  for (const set of surplus.filter(isUnused)) await context.delete('ReplicaSet', set);
}
