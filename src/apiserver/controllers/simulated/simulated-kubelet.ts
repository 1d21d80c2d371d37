import { isTerminating, metadataOf, nameOf, uidOf } from '../../../fields/object.js';
import type { JsonObject } from '../../../util/json.js';
import { type Machine, thisMachine } from '../../../util/machine.js';
import { listOf, structOf } from '../../api/json-access.js';
import { simulateAnnotation, unknownSimulation } from '../../api/simulate-annotation.js';
import { type Clock, timestamp } from '../../storage/clock.js';
import { unlessGone } from './controller-context.js';
import { EventRecorder } from './event-recorder.js';
import { lifeOf } from './pod-lives.js';
import { isReady, phaseOf } from './pod-state.js';
import { pathOf, request, resources, type SimulatedClient } from './simulated-client.js';
import { kubelet, nodeName, scheduler } from './simulated-node.js';
import { PodEnded, SimulatedPod } from './simulated-pod.js';

/** The scheduler and the kubelet of the only node, without containers. It is driven by calls with each state of each pod. */
export class SimulatedKubelet {
  readonly #client: SimulatedClient;
  readonly #clock: Clock;
  readonly #step: number;
  readonly #events: EventRecorder;
  readonly #machine: Machine;
  readonly #pods = new Map<string, SimulatedPod>();
  readonly #removed = new Set<string>();

  /** @param step milliseconds until a container has started. */
  constructor(client: SimulatedClient, clock: Clock, step: number, events = new EventRecorder(client, clock), machine = thisMachine) {
    this.#machine = machine;
    this.#client = client;
    this.#clock = clock;
    this.#step = step;
    this.#events = events;
  }

  /** Continues with a pod as it is now. */
  async sync(pod: JsonObject): Promise<void> {
    const { nodeName: node } = structOf(pod.spec);
    if (isTerminating(pod)) return this.#remove(pod);
    if (node === undefined || node === '') return this.#place(pod);
    const uid = uidOf(pod);
    const known = this.#pods.get(uid);
    if (known !== undefined) return known.see(pod);
    if (node !== nodeName || hasArrived(pod)) return;
    const simulated = new SimulatedPod(pod, this.#client, this.#clock, this.#events, this.#machine);
    this.#pods.set(uid, simulated);
    void this.#run(simulated);
  }

  /** Ends the life of a pod that no longer exists. */
  forget(uid: string): void {
    this.#pods.get(uid)?.end();
    this.#pods.delete(uid);
    this.#removed.delete(uid);
  }

  stop(): void {
    for (const pod of this.#pods.values()) pod.end();
  }

  async #run(pod: SimulatedPod): Promise<void> {
    try {
      await lifeOf(pod.object)(pod, this.#step);
    } catch (error) {
      // A pod that cannot be written is no longer simulated; the server reports what it refuses to whoever reads the pod.
      if (!(error instanceof PodEnded)) this.#pods.delete(uidOf(pod.object));
    }
  }

  async #remove(pod: JsonObject): Promise<void> {
    const uid = uidOf(pod);
    if (this.#removed.has(uid)) return;
    this.#removed.add(uid);
    this.#pods.get(uid)?.end();
    await new SimulatedPod(pod, this.#client, this.#clock, this.#events, this.#machine).remove();
  }

  async #place(pod: JsonObject): Promise<void> {
    const { name, namespace = '' } = metadataOf(pod);
    if (listOf(structOf(pod.spec).schedulingGates).length > 0) return;
    const path = pathOf(resources.Pod, namespace, nameOf(pod));
    const how = metadataOf(pod).annotations?.[simulateAnnotation];
    if (how === 'unschedulable') return this.#refuse(pod, path);
    const body = { apiVersion: 'v1', kind: 'Binding', metadata: { name, namespace }, target: { kind: 'Node', name: nodeName } };
    await request(this.#client, { method: 'POST', path: `${path}/binding`, manager: scheduler, body }).catch(unlessGone);
    const message = `Successfully assigned ${namespace}/${nameOf(pod)} to ${nodeName}`;
    await this.#events.record(pod, { type: 'Normal', reason: 'Scheduled', message, component: 'default-scheduler', manager: scheduler });
    const problem = unknownSimulation(how);
    if (problem === undefined) return;
    const reporter = { component: kubelet, manager: kubelet, host: nodeName };
    await this.#events.record(pod, {
      ...{ type: 'Warning', reason: 'UnknownSimulation', message: `annotation ${simulateAnnotation}: ${problem}` },
      ...reporter,
    });
  }

  async #refuse(pod: JsonObject, path: string): Promise<void> {
    if (listOf(structOf(pod.status).conditions).length > 0) return;
    const message =
      '0/1 nodes are available: 1 node(s) were unschedulable. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.';
    const reason = 'Unschedulable';
    const times = { lastProbeTime: null, lastTransitionTime: timestamp(this.#clock) };
    const body = { status: { conditions: [{ type: 'PodScheduled', status: 'False', reason, message, ...times }] } };
    const contentType = 'application/strategic-merge-patch+json';
    await request(this.#client, { method: 'PATCH', path: `${path}/status`, manager: scheduler, contentType, body }).catch(unlessGone);
    await this.#events.record(pod, {
      type: 'Warning',
      reason: 'FailedScheduling',
      message,
      component: 'default-scheduler',
      manager: scheduler,
    });
  }
}

/** Returns true for a pod whose life is over, or that runs as it will. */
function hasArrived(pod: JsonObject): boolean {
  const phase = phaseOf(pod);
  return phase === 'Succeeded' || phase === 'Failed' || (isReady(pod) && structOf(pod.spec).restartPolicy === 'Always');
}
