import { metadataOf, uidOf } from '../../../fields/object.js';
import type { JsonObject } from '../../../util/json.js';
import type { Machine } from '../../../util/machine.js';
import type { Clock } from '../../storage/clock.js';
import type { Store, StoreEvent } from '../../storage/store.js';
import { ControllerContext, controllerOf } from './controller-context.js';
import { syncDaemonSet } from './daemon-set.js';
import { syncDeployment } from './deployment.js';
import { EventRecorder } from './event-recorder.js';
import { syncJob } from './job.js';
import { KeyQueue } from './key-queue.js';
import { caConfigMap, syncNamespaceObjects } from './namespace-objects.js';
import { leastPause } from './pod-lives.js';
import { syncReplicaSet } from './replica-set.js';
import { resources, type SimulatedClient } from './simulated-client.js';
import { SimulatedKubelet } from './simulated-kubelet.js';
import { ensureNode } from './simulated-node.js';
import { syncStatefulSet } from './stateful-set.js';

/** The surroundings of simulated controllers. */
export interface SimulationOptions {
  readonly client: SimulatedClient;
  readonly store: Store;
  readonly clock: Clock;
  readonly machine: Machine;
  /** Seconds until a container has started; other pauses are derived from it. */
  readonly podReadySeconds: number;
  /** Returns the certificate of the server as PEM; empty without one. */
  readonly ca: () => string;
}

/** Resources whose objects a controller looks at, by their name in the store. */
const watched: ReadonlySet<string> = new Set([
  '/namespaces',
  ...(['Pod', 'Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job'] as const).map((kind) => resources[kind].store),
]);

/** Behaves like the controllers of workloads, a scheduler and a kubelet. The reasons are in docs/decisions/71. */
export class SimulatedControllers {
  readonly #store: Store;
  readonly #context: ControllerContext;
  readonly #kubelet: SimulatedKubelet;
  readonly #queue: KeyQueue;
  readonly #options: SimulationOptions;
  readonly #unsubscribe: () => void;

  constructor(options: SimulationOptions) {
    const { client, store, clock, machine, podReadySeconds } = options;
    this.#options = options;
    this.#store = store;
    this.#queue = new KeyQueue(machine, (key) => this.#sync(key));
    const events = new EventRecorder(client, clock);
    const lookAgain = (object: JsonObject, milliseconds: number) => {
      const stored = Object.values(resources).find(({ kind }) => kind === object.kind);
      if (stored !== undefined) this.#queue.addAfter(objectKey(stored.store, object), milliseconds);
    };
    this.#context = new ControllerContext(client, store, clock, lookAgain, events);
    this.#kubelet = new SimulatedKubelet(client, clock, podReadySeconds * 1000, events, machine);
    this.#unsubscribe = store.subscribe((event) => this.#follow(event));
  }

  /** Begins with the objects that are there. */
  async start(): Promise<void> {
    await ensureNode(this.#options.client, this.#options.clock);
    for (const resource of watched) this.#addAll(resource);
  }

  /** Looks at all namespaces again, after the certificate of the server has changed. */
  restoreNamespaceObjects(): void {
    this.#addAll('/namespaces');
  }

  stop(): void {
    this.#unsubscribe();
    this.#queue.stop();
    this.#kubelet.stop();
  }

  #addAll(resource: string): void {
    for (const object of this.#store.list(resource)) this.#queue.add(objectKey(resource, object));
  }

  #follow({ type, key, object }: StoreEvent): void {
    const { resource, namespace, name } = key;
    if (watched.has(resource)) {
      this.#queue.add(objectKey(resource, object));
      this.#addController(object);
    }
    if (resource === '/pods' && type === 'DELETED') this.#kubelet.forget(uidOf(object));
    const isOfNamespace = (resource === '/configmaps' && name === caConfigMap) || (resource === '/serviceaccounts' && name === 'default');
    if (isOfNamespace) this.#queue.add(`/namespaces  ${namespace}`);
  }

  #addController(object: JsonObject): void {
    const owner = controllerOf(object);
    const resource =
      owner && Object.values(resources).find(({ apiVersion, kind }) => apiVersion === owner.apiVersion && kind === owner.kind);
    if (owner === undefined || resource === undefined) return;
    this.#queue.add(`${resource.store} ${metadataOf(object).namespace ?? ''} ${owner.name}`);
  }

  async #sync(key: string): Promise<void> {
    const [resource = '', namespace = '', name = ''] = key.split(' ');
    const object = this.#store.get({ resource, namespace, name });
    if (object === undefined) return;
    const context = this.#context;
    switch (resource) {
      case '/namespaces':
        return syncNamespaceObjects(context, object, this.#options.ca());
      case '/pods':
        return this.#kubelet.sync(object);
      case 'apps/deployments':
        return syncDeployment(context, object);
      case 'apps/replicasets':
        return syncReplicaSet(context, object);
      case 'apps/statefulsets':
        return syncStatefulSet(context, object);
      case 'apps/daemonsets':
        return syncDaemonSet(context, object);
      case 'batch/jobs':
        return syncJob(context, object, { firstPause: Math.max(this.#options.podReadySeconds * 1000, leastPause) });
    }
  }
}

function objectKey(resource: string, object: JsonObject): string {
  const { namespace = '', name = '' } = metadataOf(object);
  return `${resource} ${namespace} ${name}`;
}
