import type { ResponseBody } from '../harness/api-client.js';
import { ref, type TestCluster, unlessMissing } from '../harness/cluster.js';
import { placePod } from './place-pod.js';
import { nodeName, recordEvent } from './record-event.js';

/** A state of the containers of a pod, as the kubelet writes it. */
export interface PodState {
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
  readonly containers?: readonly object[];
  readonly initContainers?: readonly object[];
}

/** What happens to a pod: it writes states and events, with pauses between them. */
export type PodLife = (pod: RunningPod) => Promise<void>;

/** A pod on the node. */
export class RunningPod {
  constructor(
    readonly object: ResponseBody,
    private readonly cluster: TestCluster,
    private readonly signal: AbortSignal,
    /** Called once nothing more is needed for the cause to be certain, but the time of docs/deploy.md. */
    readonly showsCause: () => void,
  ) {}

  async write({ phase, containers = [], initContainers = [] }: PodState): Promise<void> {
    const now = new Date().toISOString();
    const condition = (type: string, isTrue: boolean) => ({ type, status: isTrue ? 'True' : 'False', lastTransitionTime: now });
    const status = {
      phase,
      conditions: [
        condition('PodReadyToStartContainers', phase === 'Running'),
        condition('Initialized', initContainers.length === 0),
        condition('Ready', false),
        condition('ContainersReady', false),
        condition('PodScheduled', true),
      ],
      containerStatuses: containers,
      initContainerStatuses: initContainers,
    };
    await this.cluster.patch('kubelet', this.object, { status }, 'merge', 'status').catch(unlessMissing);
  }

  /** Records an event of the kubelet about the pod, or about one of its containers. */
  async event(type: 'Normal' | 'Warning', reason: string, message: string, fieldPath?: string): Promise<void> {
    await recordEvent(this.cluster, this.object, { type, reason, message, fieldPath });
  }

  /** @throws Error where the pod is deleted, or the test ends. */
  async pause(seconds: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        reject(new Error('the pod has ended'));
      };
      const timer = setTimeout(() => {
        this.signal.removeEventListener('abort', stop);
        resolve();
      }, seconds * 1000);
      if (this.signal.aborted) stop();
      else this.signal.addEventListener('abort', stop, { once: true });
    });
  }
}

const intervalMs = 300;
/** Milliseconds that the containers of a deleted pod take to end. */
const endMs = 1_000;

/** A scheduler and a kubelet of one node, without containers: the pods of each namespace live as the test says. */
export class FakeKubelet {
  readonly #pods = new Map<string, AbortController>();
  readonly #ending = new Set<string>();
  readonly #ended = new AbortController();
  #loop: Promise<void> = Promise.resolve();
  /** The moment at which a pod of a namespace first showed its cause. */
  readonly shown = new Map<string, number>();

  constructor(
    private readonly cluster: TestCluster,
    private readonly lives: ReadonlyMap<string, PodLife>,
  ) {}

  /** Registers the node, and begins. */
  async start(): Promise<void> {
    const node = ref('v1', 'Node', nodeName);
    await this.cluster.create('kubelet', node);
    const conditions = [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is ready' }];
    await this.cluster.patch('kubelet', node, { status: { conditions } }, 'merge', 'status');
    await this.cluster.patch('node-lifecycle', node, { spec: { taints: null } });
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    for (const life of this.#pods.values()) life.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    while (!this.#ended.signal.aborted) {
      const { items } = await this.cluster.client.call('GET', '/api/v1/pods').catch(() => ({ items: [] }));
      await Promise.all(items.map((pod: ResponseBody) => this.#sync({ ...pod, apiVersion: 'v1', kind: 'Pod' }).catch(unlessMissing)));
      await new Promise((resolve) => setTimeout(resolve, intervalMs));
    }
  }

  async #sync(pod: ResponseBody): Promise<void> {
    const { uid, namespace, deletionTimestamp } = pod.metadata;
    if (deletionTimestamp !== undefined) return this.#end(pod);
    if (!pod.spec.nodeName) return placePod(this.cluster, pod, () => this.#show(namespace));
    const live = this.lives.get(namespace);
    if (this.#pods.has(uid) || !live) return;
    const life = new AbortController();
    this.#pods.set(uid, life);
    void live(new RunningPod(pod, this.cluster, life.signal, () => this.#show(namespace))).catch((error: Error) => {
      if (!life.signal.aborted) process.stderr.write(`${namespace}: ${error.message}\n`);
    });
  }

  #show(namespace: string): void {
    if (!this.shown.has(namespace)) this.shown.set(namespace, Date.now());
  }

  /** Ends the containers of a pod that is being deleted, and removes it. */
  async #end(pod: ResponseBody): Promise<void> {
    const { uid } = pod.metadata;
    if (this.#ending.has(uid)) return;
    this.#ending.add(uid);
    this.#pods.get(uid)?.abort();
    await new Promise((resolve) => setTimeout(resolve, endMs));
    if (pod.status.phase !== 'Failed') await this.cluster.patch('kubelet', pod, { status: { phase: 'Failed' } }, 'merge', 'status');
    const query = { gracePeriodSeconds: '0' };
    await this.cluster.client.call('DELETE', await this.cluster.path(pod), { query });
  }
}
