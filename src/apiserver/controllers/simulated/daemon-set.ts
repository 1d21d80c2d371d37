import { isTerminating, metadataOf, nameOf } from '../../../fields/object.js';
import { type JsonObject, jsonEqual } from '../../../util/json.js';
import { listOf, memberAt, structOf } from '../../api/json-access.js';
import type { ControllerContext } from './controller-context.js';
import { cleanUpRevisions, ensureRevision, revisionLabel } from './controller-revisions.js';
import { createPods, deletePods } from './create-pods.js';
import { countPods, isReady, phaseOf, untilAvailable } from './pod-state.js';
import { podFrom } from './pod-template.js';
import { nodeName } from './simulated-node.js';
import { defined, numberAt, podNumber } from './workload-object.js';

const component = 'daemonset-controller';

/** Runs the pod of a DaemonSet on the only node. Source: Kubernetes documentation "DaemonSet". */
export async function syncDaemonSet(context: ControllerContext, set: JsonObject): Promise<void> {
  if (isTerminating(set)) return;
  const revision = await ensureRevision(context, set);
  const hash = metadataOf(revision).labels?.[revisionLabel] ?? '';
  const failure = await manage(context, set, hash);
  await writeStatus(context, set, hash);
  const inUse = context.podsOf(set, structOf(set.spec).selector).map((pod) => `${nameOf(set)}-${hashOfPod(pod)}`);
  await cleanUpRevisions(context, set, new Set([nameOf(revision), ...inUse]));
  if (failure !== undefined) throw new Error(failure);
}

const hashOfPod = (pod: JsonObject) => metadataOf(pod).labels?.[revisionLabel];

/** Creates, replaces and deletes pods. Returns the reason for which a pod was refused. */
async function manage(context: ControllerContext, set: JsonObject, hash: string): Promise<string | undefined> {
  const pods = context.podsOf(set, structOf(set.spec).selector).filter((pod) => !isTerminating(pod));
  const failed = pods.filter((pod) => phaseOf(pod) === 'Failed');
  for (const pod of failed) {
    const message = `Found failed daemon pod ${metadataOf(pod).namespace}/${nameOf(pod)} on node ${nodeName}, will try to kill it`;
    await context.event(set, component, { type: 'Warning', reason: 'FailedDaemonPod', message });
  }
  if (failed.length > 0) {
    await deletePods(context, set, component, failed);
    return undefined;
  }
  const newest = pods.filter((pod) => hashOfPod(pod) === hash);
  const old = pods.filter((pod) => hashOfPod(pod) !== hash);
  if (newest.length === 0 && (old.length === 0 || surges(set))) return createPods(context, set, component, [podOf(set, hash)]);
  const wait = newest.map((pod) => untilAvailable(pod, numberAt(set, 'spec.minReadySeconds'), context.clock()));
  const isReplaced = !surges(set) || wait.some((each) => each === 0);
  if (memberAt(set, 'spec.updateStrategy.type') === 'RollingUpdate' && isReplaced) await deletePods(context, set, component, old);
  await deletePods(context, set, component, newest.slice(1));
  return undefined;
}

function surges(set: JsonObject): boolean {
  const isRolling = memberAt(set, 'spec.updateStrategy.type') === 'RollingUpdate';
  return isRolling && podNumber(memberAt(set, 'spec.updateStrategy.rollingUpdate.maxSurge'), 1, 'up') > 0;
}

/** Taints that the pods of every DaemonSet tolerate. Source: Kubernetes documentation "DaemonSet", "Taints and tolerations". */
const tolerated = [
  ...['not-ready', 'unreachable'].map((key) => ({ key, effect: 'NoExecute' })),
  ...['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'].map((key) => ({ key, effect: 'NoSchedule' })),
].map(({ key, effect }) => ({ key: `node.kubernetes.io/${key}`, operator: 'Exists', effect }));

const onNode = {
  requiredDuringSchedulingIgnoredDuringExecution: {
    nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [nodeName] }] }],
  },
};

function podOf(set: JsonObject, hash: string): JsonObject {
  const generation = metadataOf(set).annotations?.['deprecated.daemonset.template.generation'];
  const labels = { [revisionLabel]: hash, ...(generation === undefined ? {} : { 'pod-template-generation': generation }) };
  const pod = podFrom(set, structOf(structOf(set.spec).template), { labels });
  const spec = structOf(pod.spec);
  const affinity = structOf(spec.affinity);
  return {
    ...pod,
    spec: {
      ...spec,
      affinity: { ...affinity, nodeAffinity: { ...structOf(affinity.nodeAffinity), ...onNode } },
      tolerations: [...listOf(spec.tolerations), ...tolerated],
    },
  };
}

async function writeStatus(context: ControllerContext, set: JsonObject, hash: string): Promise<void> {
  const pods = context.podsOf(set, structOf(set.spec).selector).filter((pod) => !isTerminating(pod) && phaseOf(pod) !== 'Failed');
  const updated = pods.filter((pod) => hashOfPod(pod) === hash);
  // The status describes nodes, so that one node with two pods counts once.
  const counts = countPods(pods, numberAt(set, 'spec.minReadySeconds'), context.clock());
  const one = (isSo: boolean) => (isSo ? 1 : undefined);
  const before = structOf(set.status);
  const status = defined({
    currentNumberScheduled: pods.length > 0 ? 1 : 0,
    numberMisscheduled: 0,
    desiredNumberScheduled: 1,
    numberReady: pods.some(isReady) ? 1 : 0,
    observedGeneration: metadataOf(set).generation,
    updatedNumberScheduled: one(updated.length > 0),
    numberAvailable: one(counts.available > 0),
    numberUnavailable: one(counts.available === 0),
    collisionCount: before.collisionCount,
    conditions: before.conditions,
  });
  if (counts.nextAvailable !== undefined) context.lookAgain(set, counts.nextAvailable);
  if (!jsonEqual(status, before)) await context.updateStatus('DaemonSet', { ...set, status });
}
