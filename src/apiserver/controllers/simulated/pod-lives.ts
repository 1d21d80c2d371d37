import { metadataOf, nameOf, uidOf } from '../../../fields/object.js';
import type { JsonObject } from '../../../util/json.js';
import { listOf, structOf } from '../../api/json-access.js';
import { simulateAnnotation } from '../../api/simulate-annotation.js';
import { type ContainerState, creating, initializing, type PodContainer, type SimulatedPod } from './simulated-pod.js';

/** The life of a pod: the states and events that a kubelet writes, with pauses between them. `step` is the pause, in milliseconds, until a container has started. */
export type PodLife = (pod: SimulatedPod, step: number) => Promise<void>;

/** Seconds of the pauses of a kubelet before it tries again. Source: Kubernetes documentation "Pod Lifecycle", "Container restarts"; "Images". */
const backOffs = [10, 20, 40, 80, 160, 300];
const backOffAt = (failures: number) => backOffs[Math.min(failures, backOffs.length - 1)] ?? 300;
/** The least first pause, in milliseconds, so that failures without a pause do not keep the process busy. */
export const leastPause = 50;
/** The pauses of the simulation are shorter: a step for the first one. */
const shorterPause = (failures: number, step: number) => Math.min(Math.max(step, leastPause) * 2 ** failures, 300_000);

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

/** Creates the containers, and runs those that initialize the pod; a pod that has them continues. */
async function begin(pod: SimulatedPod, step: number): Promise<readonly PodContainer[]> {
  const init = pod.containers.filter(({ list }) => list === 'initContainers');
  const main = pod.containers.filter(({ list }) => list === 'containers');
  if (pod.containers.some((container) => pod.stateOf(container) === undefined)) {
    for (const container of pod.containers) pod.set(container, init.length > 0 ? initializing : creating);
    await pod.write('Pending');
  }
  for (const container of init.filter((each) => pod.stateOf(each)?.ready !== true)) {
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

/** Lets a container run, as it does already or from now on. */
async function run(pod: SimulatedPod, container: PodContainer, ready: boolean): Promise<void> {
  const before = pod.stateOf(container);
  if (before?.state.running !== undefined) return pod.set(container, { ...before, ready });
  await start(pod, container);
  pod.set(container, { ...running(pod), ready, ...nextRun(before) });
}

/** Returns what the next run of a container counts. */
function nextRun(before: ContainerState | undefined): { readonly restartCount: number; readonly lastState: JsonObject } {
  const { state = {}, lastState = {}, restartCount = 0 } = before ?? {};
  const hasEnded = state.terminated !== undefined;
  return { restartCount: hasEnded || restartCount > 0 ? restartCount + 1 : 0, lastState: hasEnded ? state : lastState };
}

const running = (pod: SimulatedPod) => ({ state: { running: { startedAt: pod.time } }, ready: true, started: true });
const terminated = (pod: SimulatedPod, exitCode: number): JsonObject => ({
  terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', startedAt: pod.time, finishedAt: pod.time },
});

const runs: PodLife = async (pod, step) => {
  const containers = await begin(pod, step);
  const unready = containers.filter((container) => pod.stateOf(container)?.ready !== true);
  if (unready.length === 0) return;
  await pod.pause(step);
  for (const container of unready) await run(pod, container, true);
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
  for (const other of others) await run(pod, other, true);
  // A kubelet that starts again counts on, and starts the container at once.
  for (let { restartCount } = nextRun(pod.stateOf(container)); ; restartCount++) {
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
  const first = firstOf(pod);
  await pod.pause(step);
  for (const container of containers) await run(pod, container, container.name !== first.name);
  await pod.write('Running');
  const { readinessProbe } = structOf(listOf(structOf(pod.object.spec).containers)[0]);
  for (let failures = 0; ; failures++) {
    await pod.event('Warning', 'Unhealthy', `Readiness probe failed: ${failureOf(readinessProbe)}`, first);
    await pod.pause(shorterPause(failures, step));
  }
};

/** Returns the text of a kubelet for a probe of this kind. A container without a probe fails one that the simulation has. */
function failureOf(declared: JsonObject[string]): string {
  if (declared === undefined) return `${simulateAnnotation}: never-ready`;
  const probe = structOf(declared);
  if (probe.httpGet !== undefined) return 'HTTP probe failed with statuscode: 503';
  if (probe.grpc !== undefined) return 'service unhealthy (responded with "NOT_SERVING")';
  return probe.tcpSocket === undefined ? 'command failed with exit code 1' : 'dial tcp 127.0.0.1: connect: connection refused';
}
