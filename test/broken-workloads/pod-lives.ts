import type { PodLife, RunningPod } from './fake-kubelet.js';

type State = Readonly<Record<'waiting' | 'running' | 'terminated', object>>;

/** Writes the statuses of a container of a pod: of its only one, or of its init container. */
class Container {
  readonly name: string;
  readonly image: string;
  readonly fieldPath: string;
  readonly #list: 'containers' | 'initContainers';

  constructor(private readonly pod: RunningPod) {
    const { initContainers, containers } = pod.object.spec;
    this.#list = initContainers ? 'initContainers' : 'containers';
    const [{ name, image }] = initContainers ?? containers;
    this.name = name;
    this.image = image;
    this.fieldPath = `spec.${this.#list}{${name}}`;
  }

  async write(phase: 'Pending' | 'Running' | 'Failed', state: Partial<State>, more: object = {}): Promise<void> {
    const status = { name: this.name, image: this.image, imageID: '', ready: false, restartCount: 0, state, ...more };
    const later = () =>
      this.pod.object.spec.containers.map(({ name, image }: { name: string; image: string }) => ({
        ...{ name, image, imageID: '', ready: false, started: false, restartCount: 0 },
        state: { waiting: { reason: 'PodInitializing' } },
      }));
    const isInit = this.#list === 'initContainers';
    await this.pod.write({ phase, containers: isInit ? later() : [status], initContainers: isInit ? [status] : [] });
  }

  event(type: 'Normal' | 'Warning', reason: string, message: string): Promise<void> {
    return this.pod.event(type, reason, message, this.fieldPath);
  }

  /** Starts it, as far as events go. */
  async start(): Promise<void> {
    await this.event('Normal', 'Pulled', `Container image "${this.image}" already present on machine`);
    await this.event('Normal', 'Created', 'Container created');
    await this.event('Normal', 'Started', 'Container started');
  }
}

const creating = { waiting: { reason: 'ContainerCreating' } };
/** Seconds between two tries of the kubelet: the second one comes at once, then it backs off. */
const restartPauses = [1, 10, 20, 40, 80, 160, 300];
/** The restarts with which a crash is certain. */
const certainRestarts = 3;

/** The image cannot be pulled. */
export const cannotPull: PodLife = async (pod) => {
  const container = new Container(pod);
  const { image } = container;
  const why = `failed to pull and unpack image "${image}": failed to resolve reference "${image}": ${image}: not found`;
  await container.write('Pending', creating);
  for (const [tries, seconds] of [12, 20, 40, 80, 160, 300].entries()) {
    await container.event('Normal', 'Pulling', `Pulling image "${image}"`);
    await pod.pause(1);
    await container.event('Warning', 'Failed', `Failed to pull image "${image}": rpc error: code = NotFound desc = ${why}`);
    await container.event('Warning', 'Failed', 'Error: ErrImagePull');
    await container.write('Pending', { waiting: { reason: 'ErrImagePull', message: why } });
    if (tries === 1) pod.showsCause();
    await pod.pause(1);
    await container.event('Normal', 'BackOff', `Back-off pulling image "${image}"`);
    await container.event('Warning', 'Failed', 'Error: ImagePullBackOff');
    const message = `Back-off pulling image "${image}": ErrImagePull: ${why}`;
    await container.write('Pending', { waiting: { reason: 'ImagePullBackOff', message } });
    await pod.pause(seconds);
  }
};

/** The container cannot be created, for a reason such as `secret "db" not found`. */
export const cannotCreate =
  (why: (namespace: string) => string): PodLife =>
  async (pod) => {
    const container = new Container(pod);
    const message = why(pod.object.metadata.namespace);
    await container.write('Pending', creating);
    for (;;) {
      await container.event('Warning', 'Failed', `Error: ${message}`);
      await container.write('Pending', { waiting: { reason: 'CreateContainerConfigError', message } });
      pod.showsCause();
      await pod.pause(13);
    }
  };

/** The container ends at once with an exit code, and is started again. The kubelet does not see it run. */
export const crashes =
  (exitCode: number, reason = 'Error'): PodLife =>
  async (pod) => {
    const container = new Container(pod);
    await container.write('Pending', creating);
    for (const [restartCount, seconds] of restartPauses.entries()) {
      await container.start();
      await pod.pause(0.3);
      await writeEnd(container, { exitCode, reason, restartCount, isCertain: pod.showsCause });
      await backOff(pod, container, { exitCode, reason, restartCount, seconds });
    }
  };

/** The liveness probe and the readiness probe of the container fail. */
export const failsLiveness: PodLife = async (pod) => {
  const container = new Container(pod);
  await container.write('Pending', creating);
  for (const [restartCount, seconds] of restartPauses.entries()) {
    await container.start();
    await container.write('Running', { running: { startedAt: new Date().toISOString() } }, { started: true, restartCount });
    await pod.pause(3);
    const why = 'HTTP probe failed with statuscode: 503';
    await container.event('Warning', 'Unhealthy', `Liveness probe failed: ${why}`);
    await container.event('Normal', 'Killing', `Container ${container.name} failed liveness probe, will be restarted`);
    await container.event('Warning', 'Unhealthy', `Readiness probe failed: ${why}`);
    await pod.pause(1);
    await writeEnd(container, { exitCode: 137, reason: 'Error', restartCount, isCertain: pod.showsCause });
    await backOff(pod, container, { exitCode: 137, reason: 'Error', restartCount, seconds });
  }
};

/** The container runs, and never passes its readiness probe. */
export const neverReady: PodLife = async (pod) => {
  const container = new Container(pod);
  await container.write('Pending', creating);
  await container.start();
  await container.write('Running', { running: { startedAt: new Date().toISOString() } }, { started: true });
  pod.showsCause();
  for (;;) {
    await container.event('Warning', 'Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 503');
    await pod.pause(2);
  }
};

/** A volume of the pod cannot be mounted. */
export const cannotMount =
  (why: string): PodLife =>
  async (pod) => {
    await new Container(pod).write('Pending', creating);
    for (const seconds of [1, 1, 2, 4, 8, 16, 32, 64, 122]) {
      await pod.event('Warning', 'FailedMount', why);
      pod.showsCause();
      await pod.pause(seconds);
    }
  };

/** The container ends with an exit code, and with it the pod. */
export const ends =
  (exitCode: number): PodLife =>
  async (pod) => {
    const container = new Container(pod);
    await container.write('Pending', creating);
    await container.start();
    await pod.pause(1);
    await container.write('Failed', { terminated: { exitCode, reason: 'Error' } });
  };

interface Ended {
  readonly exitCode: number;
  readonly reason: string;
  readonly restartCount: number;
}

async function writeEnd(container: Container, { exitCode, reason, restartCount, isCertain }: Ended & { readonly isCertain: () => void }) {
  await container.write('Running', { terminated: { exitCode, reason } }, { restartCount });
  if (restartCount === certainRestarts) isCertain();
}

/** The kubelet waits before it starts a container again; the first time it does not. */
async function backOff(pod: RunningPod, container: Container, ended: Ended & { readonly seconds: number }): Promise<void> {
  const { exitCode, reason, restartCount, seconds } = ended;
  if (restartCount > 0) {
    const { name, namespace, uid } = pod.object.metadata;
    const text = `restarting failed container ${container.name} in pod ${name}_${namespace}(${uid})`;
    await container.event('Warning', 'BackOff', `Back-off ${text}`);
    const waiting = { reason: 'CrashLoopBackOff', message: `back-off ${seconds}s ${text}` };
    await container.write('Running', { waiting }, { restartCount, lastState: { terminated: { exitCode, reason } } });
  }
  await pod.pause(seconds);
}
