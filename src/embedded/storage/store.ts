import { metadataOf } from '../../kubernetes/object.js';
import type { JsonObject } from '../../util/json.js';

/** The key of an object: `GROUP/PLURAL`, namespace (empty for a cluster-scoped object) and name. */
export interface StoreKey {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** A change of one object. */
export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly key: StoreKey;
  readonly revision: number;
  /** The object after the change; for a deletion its last state, with the resourceVersion of the deletion. */
  readonly object: JsonObject;
  /** The object before the change. */
  readonly before?: JsonObject;
}

/** The content of a store as plain data. */
export interface StoreContent {
  readonly revision: number;
  readonly objects: readonly { readonly resource: string; readonly object: JsonObject }[];
}

const historyLength = 1_000;

/**
 * All objects with their versions: one counter for all objects, which every write increments. Objects are frozen data; a write replaces
 * one. Watches read the history of changes.
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

  /** Returns the objects of a resource, ordered by namespace and name as in etcd. */
  list(resource: string, namespace?: string): readonly JsonObject[] {
    const entries = [...(this.#objects.get(resource) ?? [])];
    const wanted = namespace === undefined ? entries : entries.filter(([key]) => key.startsWith(`${namespace}/`));
    return wanted.toSorted(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0)).map(([, object]) => object);
  }

  /** The oldest revision whose objects are known. */
  get oldestListed(): number {
    return this.#oldest;
  }

  /** Returns the objects of a resource as they were at a revision, ordered as by `list`. */
  listAt(revision: number, resource: string, namespace?: string): readonly JsonObject[] {
    const changed = (this.eventsSince(revision) ?? []).filter(
      ({ key }) => key.resource === resource && (namespace === undefined || key.namespace === namespace),
    );
    if (changed.length === 0) return this.list(resource, namespace);
    const before = new Map<string, JsonObject | undefined>();
    for (const event of changed) {
      const id = positionOf(event.object);
      if (!before.has(id)) before.set(id, event.before);
    }
    const unchanged = this.list(resource, namespace).filter((object) => !before.has(positionOf(object)));
    const objects = [...unchanged, ...before.values()].filter((object) => object !== undefined);
    return objects.toSorted((left, right) => (positionOf(left) < positionOf(right) ? -1 : 1));
  }

  /** Returns the names of resources that have objects. */
  resources(): readonly string[] {
    return [...this.#objects].flatMap(([resource, objects]) => (objects.size > 0 ? [resource] : []));
  }

  /** Writes an object; returns it with its new resourceVersion. */
  put(key: StoreKey, object: JsonObject): JsonObject {
    const objects = this.#of(key.resource);
    const id = `${key.namespace}/${key.name}`;
    const before = objects.get(id);
    const written = this.#versioned(object);
    objects.set(id, written);
    this.#publish({ type: before === undefined ? 'ADDED' : 'MODIFIED', key, object: written, ...(before === undefined ? {} : { before }) });
    return written;
  }

  /** Removes an object; returns its last state with the resourceVersion of the deletion. */
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

  /** Removes an object without an event. A watch can no longer start from an earlier version. */
  evict(key: StoreKey): void {
    this.#of(key.resource).delete(`${key.namespace}/${key.name}`);
    this.#history = [];
    this.#oldest = this.#revision;
  }

  /** Returns the changes after a version; undefined if the history does not reach back that far. */
  eventsSince(revision: number): readonly StoreEvent[] | undefined {
    if (revision < this.#oldest) return undefined;
    return this.#history.filter((event) => event.revision > revision);
  }

  /** Calls the listener on every change, until the returned function is called. */
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
    const created = new Map<string, JsonObject>();
    this.#objects.set(resource, created);
    return created;
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

/** Returns the position of an object in a list: `NAMESPACE/NAME`. */
export function positionOf(object: JsonObject): string {
  const { namespace = '', name } = metadataOf(object);
  return `${namespace}/${name}`;
}

/**
 * Another request has written the object since this request read it. The server handles the request again, so no write is lost. Never
 * reaches a client.
 */
export class StaleRead extends Error {
  override readonly name = 'StaleRead';
}
