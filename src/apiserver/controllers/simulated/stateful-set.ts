import { isTerminating, metadataOf, nameOf } from '../../../fields/object.js';
import { type JsonObject, jsonEqual } from '../../../util/json.js';
import { listOf, memberAt, structOf } from '../../api/json-access.js';
import type { ControllerContext } from './controller-context.js';
import { cleanUpRevisions, ensureRevision, revisionLabel } from './controller-revisions.js';
import { countPods, isReady, phaseOf, untilAvailable } from './pod-state.js';
import { podFrom } from './pod-template.js';
import { RefusedRequest } from './simulated-client.js';
import { defined, numberAt } from './workload-object.js';

const component = 'statefulset-controller';

/** A StatefulSet at one look. */
interface Look {
  readonly set: JsonObject;
  readonly pods: ReadonlyMap<number, JsonObject>;
  readonly first: number;
  readonly last: number;
  readonly current: string;
  readonly update: string;
  readonly isOrdered: boolean;
}

/** Creates, replaces and deletes the pods of a StatefulSet in their order. Source: Kubernetes documentation "StatefulSets". */
export async function syncStatefulSet(context: ControllerContext, set: JsonObject): Promise<void> {
  if (isTerminating(set)) return;
  const look = await lookAt(context, set);
  let failure: unknown;
  try {
    await manage(context, look);
  } catch (error) {
    failure = error;
  }
  await writeStatus(context, look);
  const inUse = [...look.pods.values()].map((pod) => String(metadataOf(pod).labels?.[revisionLabel]));
  await cleanUpRevisions(context, set, new Set([look.current, look.update, ...inUse]));
  if (failure !== undefined) throw failure;
}

async function lookAt(context: ControllerContext, set: JsonObject): Promise<Look> {
  const update = nameOf(await ensureRevision(context, set));
  const known = memberAt(set, 'status.currentRevision');
  const first = numberAt(set, 'spec.ordinals.start');
  const pods = new Map<number, JsonObject>();
  for (const pod of context.podsOf(set, structOf(set.spec).selector)) {
    const ordinal = /-(\d+)$/.exec(nameOf(pod))?.[1];
    if (ordinal !== undefined && nameOf(pod) === `${nameOf(set)}-${ordinal}`) pods.set(Number(ordinal), pod);
  }
  return {
    ...{ set, pods, first, last: first + numberAt(set, 'spec.replicas', 1) - 1 },
    current: typeof known === 'string' && known !== '' ? known : update,
    update,
    isOrdered: memberAt(set, 'spec.podManagementPolicy') !== 'Parallel',
  };
}

async function manage(context: ControllerContext, look: Look): Promise<void> {
  if (!(await createMissing(context, look))) return;
  if (!(await deleteSurplus(context, look))) return;
  await replaceOld(context, look);
}

/** Returns true if every pod is there, and in an ordered set ready. */
async function createMissing(context: ControllerContext, look: Look): Promise<boolean> {
  let isDone = true;
  for (let ordinal = look.first; ordinal <= look.last; ordinal++) {
    if (await ensurePod(context, look, ordinal)) continue;
    if (look.isOrdered) return false;
    isDone = false;
  }
  return isDone || !look.isOrdered;
}

async function ensurePod(context: ControllerContext, look: Look, ordinal: number): Promise<boolean> {
  const pod = look.pods.get(ordinal);
  if (pod === undefined) {
    await createPod(context, look, ordinal);
    return false;
  }
  if (isTerminating(pod)) return false;
  if (phaseOf(pod) === 'Failed' || phaseOf(pod) === 'Succeeded') {
    await deletePod(context, look.set, pod);
    return false;
  }
  return isAvailable(context, look.set, pod);
}

function isAvailable(context: ControllerContext, set: JsonObject, pod: JsonObject): boolean {
  const wait = untilAvailable(pod, numberAt(set, 'spec.minReadySeconds'), context.clock());
  if (wait !== undefined && wait > 0) context.lookAgain(set, wait);
  return wait === 0;
}

/** Returns true if no pod is left that the set no longer has. */
async function deleteSurplus(context: ControllerContext, look: Look): Promise<boolean> {
  const surplus = [...look.pods.entries()].filter(([ordinal]) => ordinal > look.last || ordinal < look.first);
  for (const [, pod] of surplus.toSorted(([left], [right]) => right - left)) {
    if (!isTerminating(pod)) await deletePod(context, look.set, pod);
    if (look.isOrdered) return false;
  }
  return surplus.length === 0;
}

/** Deletes pods of an old revision, the last one first: one at a time, or as many as may be unavailable. */
async function replaceOld(context: ControllerContext, look: Look): Promise<void> {
  if (memberAt(look.set, 'spec.updateStrategy.type') !== 'RollingUpdate') return;
  const partition = numberAt(look.set, 'spec.updateStrategy.rollingUpdate.partition');
  for (let ordinal = look.last; ordinal >= Math.max(look.first, partition); ordinal--) {
    const pod = look.pods.get(ordinal);
    if (pod === undefined || isTerminating(pod)) return;
    if (revisionOf(pod) !== look.update) return deletePod(context, look.set, pod);
    if (!isAvailable(context, look.set, pod)) return;
  }
}

const revisionOf = (pod: JsonObject) => metadataOf(pod).labels?.[revisionLabel];

async function createPod(context: ControllerContext, look: Look, ordinal: number): Promise<void> {
  const { set } = look;
  const name = `${nameOf(set)}-${ordinal}`;
  try {
    await createClaims(context, set, name, ordinal);
    await context.create('Pod', podNamed(context, look, name, ordinal));
    const message = `Create Pod ${name} in StatefulSet ${nameOf(set)} successful`;
    await context.event(set, component, { type: 'Normal', reason: 'SuccessfulCreate', message });
  } catch (error) {
    if (!(error instanceof RefusedRequest)) throw error;
    const message = `Create Pod ${name} in StatefulSet ${nameOf(set)} failed error: ${error.message}`;
    await context.event(set, component, { type: 'Warning', reason: 'FailedCreate', message });
    throw error;
  }
}

function podNamed(context: ControllerContext, look: Look, name: string, ordinal: number): JsonObject {
  const { set } = look;
  const partition = numberAt(set, 'spec.updateStrategy.rollingUpdate.partition');
  const isOld = look.current !== look.update && ordinal < partition;
  const revision = isOld ? look.current : look.update;
  const labels = { [revisionLabel]: revision, 'statefulset.kubernetes.io/pod-name': name, 'apps.kubernetes.io/pod-index': String(ordinal) };
  const pod = podFrom(set, isOld ? templateOf(context, set, revision) : structOf(structOf(set.spec).template), {
    name,
    generateName: `${nameOf(set)}-`,
    labels,
  });
  const claims = claimTemplates(set).map((template) => ({
    name: nameOf(template),
    persistentVolumeClaim: { claimName: `${nameOf(template)}-${name}` },
  }));
  const spec = structOf(pod.spec);
  const others = listOf(spec.volumes).filter((volume) => !claims.some((claim) => claim.name === volume.name));
  const volumes = [...others, ...claims];
  const { serviceName = '' } = structOf(set.spec);
  const address = { hostname: name, ...(serviceName === '' ? {} : { subdomain: serviceName }) };
  return { ...pod, spec: { ...spec, ...(volumes.length === 0 ? {} : { volumes }), ...address } };
}

function templateOf(context: ControllerContext, set: JsonObject, revision: string): JsonObject {
  const kept = context.get('ControllerRevision', metadataOf(set).namespace ?? '', revision);
  const { $patch: _, ...template } = structOf(memberAt(kept ?? set, kept === undefined ? 'spec.template' : 'data.spec.template'));
  return template;
}

const claimTemplates = (set: JsonObject) => listOf(structOf(set.spec).volumeClaimTemplates);

async function createClaims(context: ControllerContext, set: JsonObject, pod: string, ordinal: number): Promise<void> {
  const namespace = metadataOf(set).namespace ?? '';
  for (const template of claimTemplates(set)) {
    const name = `${nameOf(template)}-${nameOf(set)}-${ordinal}`;
    if (context.get('PersistentVolumeClaim', namespace, name) !== undefined) continue;
    const { labels, annotations } = metadataOf(template);
    const own = structOf(memberAt(set, 'spec.selector.matchLabels'));
    await context.create('PersistentVolumeClaim', {
      metadata: { name, namespace, labels: { ...labels, ...own }, ...(annotations === undefined ? {} : { annotations }) },
      spec: structOf(template.spec),
    });
    const message = `Create Claim ${name} Pod ${pod} in StatefulSet ${nameOf(set)} success`;
    await context.event(set, component, { type: 'Normal', reason: 'SuccessfulCreate', message });
  }
}

async function deletePod(context: ControllerContext, set: JsonObject, pod: JsonObject): Promise<void> {
  await context.delete('Pod', pod);
  const message = `Delete Pod ${nameOf(pod)} in StatefulSet ${nameOf(set)} successful`;
  await context.event(set, component, { type: 'Normal', reason: 'SuccessfulDelete', message });
}

async function writeStatus(context: ControllerContext, { set, current, update }: Look): Promise<void> {
  const pods = context.podsOf(set, structOf(set.spec).selector);
  const counts = countPods(pods, numberAt(set, 'spec.minReadySeconds'), context.clock());
  const ofRevision = (revision: string) => pods.filter((pod) => !isTerminating(pod) && revisionOf(pod) === revision).length;
  const before = structOf(set.status);
  const updated = ofRevision(update);
  const isUpdated = updated === pods.length && pods.every(isReady) && memberAt(set, 'spec.updateStrategy.type') === 'RollingUpdate';
  const currentRevision = isUpdated ? update : current;
  const numbers = { readyReplicas: counts.ready, currentReplicas: ofRevision(currentRevision), updatedReplicas: updated };
  const status = defined({
    observedGeneration: metadataOf(set).generation,
    replicas: pods.length,
    ...Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, value === 0 ? undefined : value])),
    availableReplicas: counts.available,
    currentRevision,
    updateRevision: update,
    collisionCount: before.collisionCount ?? 0,
    conditions: before.conditions,
  });
  if (!jsonEqual(status, before)) await context.updateStatus('StatefulSet', { ...set, status });
}
