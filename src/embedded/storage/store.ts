import { metadataOf } from '../../kubernetes/object.js';
import type { JsonObject } from '../../util/json.js';

/** Names one object in the store: `GROUP/PLURAL`, namespace (empty for cluster-scoped ones) and name. */
export interface StoreKey {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** A change, in the order in which it happened. */
export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly key: StoreKey;
  readonly revision: number;
  /** The object after the change; of a deletion: as it last was, with the version of the deletion. */
  readonly object: JsonObject;
  /** The object before the change. */
  readonly before?: JsonObject;
}

/** What a store holds, as plain data. */
export interface StoreContent {
  readonly revision: number;
  readonly objects: readonly { readonly resource: string; readonly object: JsonObject }[];
}

const historyLength = 1_000;

/**
 * All objects with their versions: one counter for all, which every write moves on. Objects are frozen data; a write replaces one.
 * The history of changes is what watches are fed from.
 */
export class Store {
  #revision: number;
  readonly #objects = new Map<string, Map<string, JsonObject>>();
  #history: StoreEvent[] = [];
  #oldest: number;
  readonly #listeners = new Set<(event: StoreEvent) => void>();

  constructor(content: StoreContent = { revision: 1, objects: [] }) {
    this.#revision = content.revision;
    this.#oldest = content.revision;
    for (const { resource, object } of content.objects) {
      const { namespace = '', name } = metadataOf(object);
      this.#of(resource).set(`${namespace}/${name}`, object);
    }
  }

  get revision(): number {
    return this.#revision;
  }

  get(key: StoreKey): JsonObject | undefined {
    return this.#objects.get(key.resource)?.get(`${key.namespace}/${key.name}`);
  }

  /** The objects of a resource, by namespace and name as etcd orders them. */
  list(resource: string, namespace?: string): readonly JsonObject[] {
    const entries = [...(this.#objects.get(resource) ?? [])];
    const wanted = namespace === undefined ? entries : entries.filter(([key]) => key.startsWith(`${namespace}/`));
    return wanted.toSorted(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0)).map(([, object]) => object);
  }

  /** Names of resources that have objects. */
  resources(): readonly string[] {
    return [...this.#objects].flatMap(([resource, objects]) => (objects.size > 0 ? [resource] : []));
  }

  /** Writes an object; it is given the new version, and returned with it. */
  put(key: StoreKey, object: JsonObject): JsonObject {
    const objects = this.#of(key.resource);
    const id = `${key.namespace}/${key.name}`;
    const before = objects.get(id);
    const written = this.#versioned(object);
    objects.set(id, written);
    this.#publish({ type: before === undefined ? 'ADDED' : 'MODIFIED', key, object: written, ...(before === undefined ? {} : { before }) });
    return written;
  }

  /** Removes an object; the last state is returned with the version of the deletion. */
  remove(key: StoreKey): JsonObject | undefined {
    const objects = this.#of(key.resource);
    const id = `${key.namespace}/${key.name}`;
    const before = objects.get(id);
    if (before === undefined) return undefined;
    objects.delete(id);
    const object = this.#versioned(before);
    this.#publish({ type: 'DELETED', key, object, before });
    return object;
  }

  /** Lets go of an object as if it had never been there: nobody is told, and nobody can watch from before now. */
  evict(key: StoreKey): void {
    this.#of(key.resource).delete(`${key.namespace}/${key.name}`);
    this.#history = [];
    this.#oldest = this.#revision;
  }

  /** Changes after a version; undefined where the history does not reach back that far. */
  eventsSince(revision: number): readonly StoreEvent[] | undefined {
    if (revision < this.#oldest) return undefined;
    return this.#history.filter((event) => event.revision > revision);
  }

  /** Calls back on every change, until the returned function is called. */
  subscribe(listener: (event: StoreEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  content(): StoreContent {
    const objects = [...this.#objects].flatMap(([resource, members]) => [...members.values()].map((object) => ({ resource, object })));
    return { revision: this.#revision, objects };
  }

  #of(resource: string): Map<string, JsonObject> {
    const known = this.#objects.get(resource);
    if (known !== undefined) return known;
    const made = new Map<string, JsonObject>();
    this.#objects.set(resource, made);
    return made;
  }

  #versioned(object: JsonObject): JsonObject {
    this.#revision += 1;
    return { ...object, metadata: { ...metadataOf(object), resourceVersion: String(this.#revision) } };
  }

  #publish(change: Omit<StoreEvent, 'revision'>): void {
    const event = { ...change, revision: this.#revision };
    this.#history.push(event);
    if (this.#history.length > historyLength * 2) {
      this.#history = this.#history.slice(-historyLength);
      this.#oldest = (this.#history[0]?.revision ?? this.#revision) - 1;
    }
    for (const listener of [...this.#listeners]) listener(event);
  }
}

/**
 * Somebody else wrote the object between the moment when a request read it and the moment when it would be written: the request begins
 * anew, and nothing is lost. Never reaches a client.
 */
export class StaleRead extends Error {
  override readonly name = 'StaleRead';
}
