import { metadataOf, nameOf, type OwnerReference, uidOf } from '../../../fields/object.js';
import type { Json, JsonObject } from '../../../util/json.js';
import { selectorMatcher } from '../../registry/selectors.js';
import { type Clock, timestamp } from '../../storage/clock.js';
import type { Store } from '../../storage/store.js';
import { Dependents } from '../dependents.js';
import type { EventRecorder, SimulatedEvent } from './event-recorder.js';
import { pathOf, RefusedRequest, request, resources, type SimulatedClient, type SimulatedResource } from './simulated-client.js';

const manager = 'kube-controller-manager';

type Kind = keyof typeof resources;

/** The reads and writes of simulated controllers: they read the store, and write through the server as a kube-controller-manager does. */
export class ControllerContext {
  readonly #events: EventRecorder;
  readonly #dependents: Dependents;

  constructor(
    readonly client: SimulatedClient,
    readonly store: Store,
    readonly clock: Clock,
    /** Looks at the object again after some milliseconds. */
    readonly lookAgain: (object: JsonObject, milliseconds: number) => void,
    events: EventRecorder,
  ) {
    this.#events = events;
    this.#dependents = new Dependents(store);
  }

  get(kind: Kind, namespace: string, name: string): JsonObject | undefined {
    return this.store.get({ resource: resources[kind].store, namespace, name });
  }

  /** Returns the objects of a kind that an object controls, in the order of their names. */
  controlled(kind: Kind, owner: JsonObject): readonly JsonObject[] {
    const uid = uidOf(owner);
    const { store } = resources[kind];
    const found = this.#dependents.of(uid).filter(({ key, object }) => key.resource === store && controllerOf(object)?.uid === uid);
    return found.map(({ object }) => object).toSorted((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1));
  }

  /** Returns the pods that a workload controls and selects. */
  podsOf(workload: JsonObject, selector: Json | undefined): readonly JsonObject[] {
    return this.controlled('Pod', workload).filter(selectorMatcher(selector));
  }

  /** The current time as objects hold it. */
  get time(): string {
    return timestamp(this.clock);
  }

  create(kind: Kind, object: JsonObject): Promise<JsonObject> {
    const { apiVersion } = resources[kind];
    const path = pathOf(resources[kind], metadataOf(object).namespace ?? '');
    return request(this.client, { method: 'POST', path, manager, body: { apiVersion, kind, ...object } });
  }

  /** Replaces an object. */
  update(kind: Kind, object: JsonObject): Promise<JsonObject> {
    return request(this.client, { method: 'PUT', path: this.#path(resources[kind], object), manager, body: object });
  }

  updateStatus(kind: Kind, object: JsonObject): Promise<JsonObject> {
    return request(this.client, { method: 'PUT', path: `${this.#path(resources[kind], object)}/status`, manager, body: object });
  }

  async patchMetadata(kind: Kind, object: JsonObject, metadata: JsonObject): Promise<void> {
    const path = this.#path(resources[kind], object);
    const contentType = 'application/merge-patch+json';
    await request(this.client, { method: 'PATCH', path, manager, contentType, body: { metadata } }).catch(unlessGone);
  }

  /** Deletes an object as it was read; one that no longer exists counts as deleted. */
  async delete(kind: Kind, object: JsonObject): Promise<void> {
    const body = { preconditions: { uid: uidOf(object) } };
    await request(this.client, { method: 'DELETE', path: this.#path(resources[kind], object), manager, body }).catch(unlessGone);
  }

  event(object: JsonObject, component: string, event: Pick<SimulatedEvent, 'type' | 'reason' | 'message'>): Promise<void> {
    return this.#events.record(object, { ...event, component, manager });
  }

  #path(resource: SimulatedResource, object: JsonObject): string {
    return pathOf(resource, metadataOf(object).namespace ?? '', nameOf(object));
  }
}

/** @throws every error but that an object does not exist. */
export function unlessGone(error: unknown): undefined {
  if (error instanceof RefusedRequest && error.status === 404) return undefined;
  throw error;
}

/** Returns the reference to the controller of an object. */
export function controllerOf(object: JsonObject): OwnerReference | undefined {
  return metadataOf(object).ownerReferences?.find(({ controller }) => controller === true);
}

/** Returns the reference of a dependent to its controller. */
export function controllerReference(owner: JsonObject): JsonObject {
  const { apiVersion = '', kind = '' } = owner;
  return { apiVersion, kind, name: nameOf(owner), uid: uidOf(owner), controller: true, blockOwnerDeletion: true };
}
