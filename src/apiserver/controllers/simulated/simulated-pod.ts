import { isTerminating, metadataOf, nameOf } from '../../../fields/object.js';
import type { Json, JsonObject } from '../../../util/json.js';
import type { Machine } from '../../../util/machine.js';
import { listOf, structOf } from '../../api/json-access.js';
import { type Clock, timestamp } from '../../storage/clock.js';
import { unlessGone } from './controller-context.js';
import type { EventRecorder } from './event-recorder.js';
import { pathOf, request, resources, type SimulatedClient } from './simulated-client.js';
import { kubelet, nodeName } from './simulated-node.js';

/** A container of a pod, and the list of the spec that it is in. */
export interface PodContainer {
  readonly name: string;
  readonly image: string;
  readonly list: 'containers' | 'initContainers';
}

/** The state of a container: what differs from one that has not started. */
export interface ContainerState {
  readonly state: JsonObject;
  readonly lastState?: JsonObject;
  readonly ready?: boolean;
  readonly started?: boolean;
  readonly restartCount?: number;
}

export const creating: ContainerState = { state: { waiting: { reason: 'ContainerCreating' } } };
export const initializing: ContainerState = { state: { waiting: { reason: 'PodInitializing' } } };

type Phase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

/** The end of the life of a pod, by its deletion or that of the server. */
export class PodEnded extends Error {}

/** A pod on the node, with the writes of a kubelet. Source: Kubernetes documentation "Pod Lifecycle". */
export class SimulatedPod {
  readonly object: JsonObject;
  readonly #client: SimulatedClient;
  readonly #clock: Clock;
  readonly #events: EventRecorder;
  readonly #machine: Machine;
  readonly #states = new Map<string, ContainerState>();
  readonly #transitions = new Map<string, { readonly status: string; readonly time: string }>();
  readonly #started: string;
  #live: JsonObject;
  #phase: Phase | undefined;
  #wake: (() => void) | undefined;
  #cancel: (() => void) | undefined;
  #ended = false;

  constructor(object: JsonObject, client: SimulatedClient, clock: Clock, events: EventRecorder, machine: Machine) {
    this.#machine = machine;
    this.object = object;
    this.#live = object;
    this.#client = client;
    this.#clock = clock;
    this.#events = events;
    // A kubelet that starts again continues from the status that it has written.
    const { startTime, conditions, containerStatuses, initContainerStatuses } = structOf(object.status);
    this.#started = typeof startTime === 'string' ? startTime : timestamp(clock);
    for (const { type, status, lastTransitionTime } of listOf(conditions)) {
      this.#transitions.set(String(type), { status: String(status), time: String(lastTransitionTime) });
    }
    for (const { name, ...status } of [...listOf(initContainerStatuses), ...listOf(containerStatuses)]) {
      this.#states.set(String(name), status as unknown as ContainerState);
    }
  }

  get containers(): readonly PodContainer[] {
    const spec = structOf(this.object.spec);
    return (['initContainers', 'containers'] as const).flatMap((list) =>
      listOf(spec[list]).map(({ name, image }) => ({ name: String(name), image: String(image), list })),
    );
  }

  get time(): string {
    return timestamp(this.#clock);
  }

  /** Returns the state of a container; undefined before a kubelet has looked at the pod. */
  stateOf({ name }: PodContainer): ContainerState | undefined {
    return this.#states.get(name);
  }

  set(container: PodContainer, state: ContainerState): void {
    this.#states.set(container.name, state);
  }

  /** Writes the phase, the states of all containers and the conditions that follow from them. */
  async write(phase: Phase): Promise<void> {
    if (this.#ended) throw new PodEnded();
    this.#phase = phase;
    const hasInit = this.containers.some(({ list }) => list === 'initContainers');
    const status = {
      phase,
      conditions: this.#withOthers(this.#conditions(phase)),
      hostIP: '127.0.0.1',
      podIP: '127.0.0.1',
      startTime: this.#started,
      containerStatuses: this.#statuses('containers'),
      ...(hasInit ? { initContainerStatuses: this.#statuses('initContainers') } : {}),
    };
    const path = `${this.#path}/status`;
    const body = { metadata: { uid: metadataOf(this.object).uid }, status };
    const contentType = 'application/merge-patch+json';
    await request(this.#client, { method: 'PATCH', path, manager: kubelet, contentType, body }).catch(unlessGone);
  }

  /** Takes the pod as it is now, and writes its conditions again where one of its readiness gates has changed. */
  async see(pod: JsonObject): Promise<void> {
    const before = this.#unmetGates().join();
    this.#live = pod;
    if (this.#phase !== undefined && !this.#ended && this.#unmetGates().join() !== before) await this.write(this.#phase);
  }

  /** Returns what keeps the pod from being ready although its containers are. Source: Kubernetes documentation "Pod Lifecycle", "Pod readiness". */
  #unmetGates(): readonly string[] {
    return listOf(structOf(this.#live.spec).readinessGates).flatMap(({ conditionType }) => {
      const type = String(conditionType);
      const { status } = listOf(structOf(this.#live.status).conditions).find((each) => each.type === type) ?? {};
      if (status === undefined) return [`corresponding condition of pod readiness gate ${JSON.stringify(type)} does not exist.`];
      return status === 'True' ? [] : [`the status of pod readiness gate ${JSON.stringify(type)} is not "True", but ${String(status)}`];
    });
  }

  #statuses(list: PodContainer['list']): readonly Json[] {
    return this.containers
      .filter((container) => container.list === list)
      .map(({ name, image }) => {
        const { state, lastState = {}, ready = false, started = false, restartCount = 0 } = this.#states.get(name) ?? creating;
        return { ...{ name, image, imageID: '', state, lastState, ready, started }, restartCount };
      });
  }

  /** Adds the conditions that others have written. */
  #withOthers(own: readonly JsonObject[]): readonly Json[] {
    const types = new Set(own.map(({ type }) => type));
    return [...own, ...listOf(structOf(this.#live.status).conditions).filter(({ type }) => !types.has(type))];
  }

  #conditions(phase: string): readonly JsonObject[] {
    const isOver = phase === 'Succeeded';
    const unready = this.#names('containers', ({ ready }) => ready !== true);
    // A sidecar is complete once it has started.
    const incomplete = this.#names('initContainers', ({ state, started }) => structOf(state.terminated).exitCode !== 0 && started !== true);
    const isReady = unready.length === 0 && incomplete.length === 0;
    const completed = { reason: 'PodCompleted' };
    const why = isReady ? {} : { reason: 'ContainersNotReady', message: `containers with unready status: [${unready.join(' ')}]` };
    const readiness = isOver ? completed : phase === 'Failed' ? { reason: 'PodFailed' } : why;
    const unmet = this.#unmetGates();
    const gated = { reason: 'ReadinessGatesNotReady', message: unmet.join(', ') };
    const initialized = incomplete.length === 0;
    const notInitialized = {
      ...{ reason: 'ContainersNotInitialized', message: `containers with incomplete status: [${incomplete.join(' ')}]` },
    };
    return [
      this.#condition('PodReadyToStartContainers', !isOver && phase !== 'Failed'),
      this.#condition('Initialized', initialized, isOver ? completed : initialized ? {} : notInitialized),
      this.#condition(
        'Ready',
        isReady && phase === 'Running' && unmet.length === 0,
        isReady && unmet.length > 0 && !isOver ? gated : readiness,
      ),
      this.#condition('ContainersReady', isReady && phase === 'Running', readiness),
      this.#condition('PodScheduled', true),
    ];
  }

  #names(list: PodContainer['list'], fits: (state: ContainerState) => boolean): readonly string[] {
    const inList = this.containers.filter((container) => container.list === list);
    return inList.filter(({ name }) => fits(this.#states.get(name) ?? creating)).map(({ name }) => name);
  }

  #condition(type: string, isTrue: boolean, why: JsonObject = {}): JsonObject {
    const status = isTrue ? 'True' : 'False';
    const before = this.#transitions.get(type);
    const time = before?.status === status ? before.time : this.time;
    this.#transitions.set(type, { status, time });
    return { type, status, observedGeneration: metadataOf(this.object).generation, lastProbeTime: null, lastTransitionTime: time, ...why };
  }

  /** Records an event of the kubelet about the pod, or about one of its containers. */
  async event(type: 'Normal' | 'Warning', reason: string, message: string, container?: PodContainer): Promise<void> {
    if (this.#ended) throw new PodEnded();
    const fieldPath = container && `spec.${container.list}{${container.name}}`;
    await this.#events.record(this.object, { type, reason, message, fieldPath, component: kubelet, manager: kubelet, host: nodeName });
  }

  /** @throws PodEnded where the pod is deleted, or the server stops. */
  async pause(milliseconds: number): Promise<void> {
    if (this.#ended) throw new PodEnded();
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      // A process that only waits for a simulated pod may end.
      this.#cancel = this.#machine.after(milliseconds, resolve, { unref: true });
    });
    if (this.#ended) throw new PodEnded();
  }

  /** Ends the life of the pod. */
  end(): void {
    this.#ended = true;
    this.#cancel?.();
    this.#wake?.();
  }

  /** Writes that the containers of a deleted pod have ended, and removes it. */
  async remove(): Promise<void> {
    const phase = String(structOf(this.object.status).phase);
    if (isTerminating(this.object) && phase !== 'Succeeded' && phase !== 'Failed') {
      const terminated = { exitCode: 0, reason: 'Completed', startedAt: this.#started, finishedAt: this.time };
      for (const container of this.containers) this.set(container, { ...this.#counted(container), state: { terminated } });
      this.#ended = false;
      await this.write(structOf(this.object.spec).restartPolicy === 'Always' ? 'Running' : 'Failed');
      this.#ended = true;
    }
    const { uid } = metadataOf(this.object);
    const body: JsonObject = { gracePeriodSeconds: 0, preconditions: { uid } };
    await request(this.#client, { method: 'DELETE', path: this.#path, manager: kubelet, body }).catch(unlessGone);
  }

  /** Returns what the end of a container leaves as it is. */
  #counted(container: PodContainer): Pick<ContainerState, 'lastState' | 'restartCount'> {
    const { lastState = {}, restartCount = 0 } = this.stateOf(container) ?? creating;
    return { lastState, restartCount };
  }

  get #path(): string {
    return pathOf(resources.Pod, metadataOf(this.object).namespace ?? '', nameOf(this.object));
  }
}
