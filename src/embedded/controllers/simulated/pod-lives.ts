import { metadataOf, nameOf, uidOf } from '../../../kubernetes/object.js';
import type { JsonObject } from '../../../util/json.js';
import { listOf, structOf } from '../../built-in/convert/json-access.js';
import { creating, initializing, type PodContainer, type SimulatedPod } from './simulated-pod.js';

/** Annotation of a pod that says how it fails. */
export const simulateAnnotation = 'fieldwise.dev/simulate';

/** The values of the annotation. */
export const simulatedFailures = ['crash-loop', 'image-pull', 'unschedulable', 'never-ready'] as const;

/** The life of a pod: the states and events that a kubelet writes, with pauses between them. `step` is the pause, in milliseconds, until a container has started. */
export type PodLife = (pod: SimulatedPod, step: number) => Promise<void>;

/** Seconds of the pauses of a kubelet before it tries again. Source: Kubernetes documentation "Pod Lifecycle", "Container restarts"; "Images". */
const backOffs = [10, 20, 40, 80, 160, 300];
const backOffAt = (failures: number) => backOffs[Math.min(failures, backOffs.length - 1)] ?? 300;
/** The pauses of the simulation are shorter, by this factor of a step for the first one. */
const shorterPause = (failures: number, step: number) => Math.min(step * 2 ** failures, 300_000);

/** Returns the life that the annotation of a pod names; by default its containers start and run, or complete if they are not to be restarted. */
export function lifeOf(pod: JsonObject): PodLife {
  switch (metadataOf(pod).annotations?.[simulateAnnotation]) {
    case 'crash-loop':
      return structOf(pod.spec).restartPolicy === 'Never' ? fails : crashes;
    case 'image-pull':
      return cannotPull;
    case 'never-ready':
      return neverReady;
    default:
      return structOf(pod.spec).restartPolicy === 'Always' ? runs : completes;
  }
}

const firstOf = (pod: SimulatedPod) => pod.containers.find(({ list }) => list === 'containers') as PodContainer;

/** Creates the containers, and runs those that initialize the pod. */
async function begin(pod: SimulatedPod, step: number): Promise<readonly PodContainer[]> {
  const init = pod.containers.filter(({ list }) => list === 'initContainers');
  const main = pod.containers.filter(({ list }) => list === 'containers');
  for (const container of pod.containers) pod.set(container, init.length > 0 ? initializing : creating);
  await pod.write('Pending');
  for (const container of init) {
    await start(pod, container);
    await pod.pause(step);
    pod.set(container, isSidecar(pod, container) ? running(pod) : { state: terminated(pod, 0), ready: true });
    await pod.write('Pending');
  }
  return main;
}

function isSidecar(pod: SimulatedPod, { name }: PodContainer): boolean {
  return listOf(structOf(pod.object.spec).initContainers).some(
    (container) => container.name === name && container.restartPolicy === 'Always',
  );
}

async function start(pod: SimulatedPod, container: PodContainer): Promise<void> {
  await pod.event('Normal', 'Pulled', `Container image "${container.image}" already present on machine`, container);
  await pod.event('Normal', 'Created', 'Container created', container);
  await pod.event('Normal', 'Started', 'Container started', container);
}

const running = (pod: SimulatedPod) => ({ state: { running: { startedAt: pod.time } }, ready: true, started: true });
const terminated = (pod: SimulatedPod, exitCode: number): JsonObject => ({
  terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', startedAt: pod.time, finishedAt: pod.time },
});

const runs: PodLife = async (pod, step) => {
  const containers = await begin(pod, step);
  await pod.pause(step);
  for (const container of containers) {
    await start(pod, container);
    pod.set(container, running(pod));
  }
  await pod.write('Running');
};

const completes: PodLife = async (pod, step) => {
  await runs(pod, step);
  await pod.pause(step);
  for (const container of pod.containers) pod.set(container, { state: terminated(pod, 0) });
  await pod.write('Succeeded');
};

/** The first container ends with exit code 1, and with it the pod. */
const fails: PodLife = async (pod, step) => {
  await runs(pod, step);
  await pod.pause(step);
  for (const container of pod.containers) pod.set(container, { state: terminated(pod, container.name === firstOf(pod).name ? 1 : 0) });
  await pod.write('Failed');
};

/** The first container ends with exit code 1, and is started again after longer and longer pauses. */
const crashes: PodLife = async (pod, step) => {
  const containers = await begin(pod, step);
  const [container, ...others] = containers as [PodContainer, ...PodContainer[]];
  for (const other of others) {
    await start(pod, other);
    pod.set(other, running(pod));
  }
  for (let restartCount = 0; ; restartCount++) {
    await start(pod, container);
    await pod.pause(step);
    const ended = terminated(pod, 1);
    pod.set(container, { state: ended, restartCount });
    await pod.write('Running');
    // The first restart comes at once.
    if (restartCount === 0) continue;
    const { namespace = '' } = metadataOf(pod.object);
    const text = `restarting failed container=${container.name} pod=${nameOf(pod.object)}_${namespace}(${uidOf(pod.object)})`;
    await pod.event(
      'Warning',
      'BackOff',
      `Back-off restarting failed container ${container.name} in pod ${nameOf(pod.object)}_${namespace}(${uidOf(pod.object)})`,
      container,
    );
    const waiting = { reason: 'CrashLoopBackOff', message: `back-off ${backOffAt(restartCount - 1)}s ${text}` };
    pod.set(container, { state: { waiting }, lastState: ended, restartCount });
    await pod.write('Running');
    await pod.pause(shorterPause(restartCount - 1, step));
  }
};

/** The image of the first container cannot be pulled. */
const cannotPull: PodLife = async (pod, step) => {
  await begin(pod, step);
  const container = firstOf(pod);
  const { image } = container;
  const why = `failed to pull and unpack image "${image}": failed to resolve reference "${image}": ${image}: not found`;
  for (let failures = 0; ; failures++) {
    await pod.event('Normal', 'Pulling', `Pulling image "${image}"`, container);
    await pod.pause(step);
    await pod.event('Warning', 'Failed', `Failed to pull image "${image}": rpc error: code = NotFound desc = ${why}`, container);
    await pod.event('Warning', 'Failed', 'Error: ErrImagePull', container);
    pod.set(container, { state: { waiting: { reason: 'ErrImagePull', message: `rpc error: code = NotFound desc = ${why}` } } });
    await pod.write('Pending');
    await pod.pause(step);
    await pod.event('Normal', 'BackOff', `Back-off pulling image "${image}"`, container);
    await pod.event('Warning', 'Failed', 'Error: ImagePullBackOff', container);
    const message = `Back-off pulling image "${image}": ErrImagePull: rpc error: code = NotFound desc = ${why}`;
    pod.set(container, { state: { waiting: { reason: 'ImagePullBackOff', message } } });
    await pod.write('Pending');
    await pod.pause(shorterPause(failures, step));
  }
};

/** The containers run, and the first one is never ready. */
const neverReady: PodLife = async (pod, step) => {
  const containers = await begin(pod, step);
  await pod.pause(step);
  const first = firstOf(pod);
  for (const container of containers) {
    await start(pod, container);
    pod.set(container, { ...running(pod), ready: container.name !== first.name });
  }
  await pod.write('Running');
  const { readinessProbe } = structOf(listOf(structOf(pod.object.spec).containers)[0]);
  if (readinessProbe === undefined) return;
  for (let failures = 0; ; failures++) {
    await pod.event('Warning', 'Unhealthy', `Readiness probe failed: ${failureOf(structOf(readinessProbe))}`, first);
    await pod.pause(Math.max(step, shorterPause(failures, step)));
  }
};

/** Returns the text of a kubelet for a probe of this kind. */
function failureOf(probe: JsonObject): string {
  if (probe.httpGet !== undefined) return 'HTTP probe failed with statuscode: 503';
  if (probe.grpc !== undefined) return 'service unhealthy (responded with "NOT_SERVING")';
  return probe.tcpSocket === undefined ? 'command failed with exit code 1' : 'dial tcp 127.0.0.1: connect: connection refused';
}
