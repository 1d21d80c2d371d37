import { metadataOf } from '../../fields/object.js';
import type { JsonObject } from '../../util/json.js';
import { CommitQueue, type Follower } from './commit-queue.js';
import type { StoreEvent, StoreKey } from './store-event.js';

export type { StoreEvent, StoreKey } from './store-event.js';

/** The changes that were not committed could not be stored, and are undone. */
export interface Undo {
  /** The reason. */
  readonly error: Error;
}

/** Stores changes durably, in their order. It calls `commit` of the store once they are, or `undo` if they cannot be. */
export interface Journal {
  append(event: StoreEvent): void;
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
 *
 * With a journal, a change is visible at once to the requests that come next, and committed when the journal has stored it. A response waits
 * until all that it may have seen is committed, and watches follow the committed changes, as in etcd. The reason is in docs/decisions/45.
 */
export class Store {
  #revision: number;
  readonly #objects = new Map<string, Map<string, JsonObject>>();
  #history: StoreEvent[] = [];
  #oldest: number;
  readonly #listeners = new Set<(event: StoreEvent) => void>();
  readonly #commits = new CommitQueue();
  #journal: Journal | undefined;
  #lastUndo: Undo | undefined;

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

  /** Calls the listener on every change when it is made, before it is committed, until the returned function is called. */
  subscribe(listener: (event: StoreEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Follows the changes after the present state as they are committed, until the returned function is called. */
  follow(follower: Follower): () => void {
    return this.#commits.follow(follower);
  }

  /** Stores all later changes in a journal. */
  attach(journal: Journal): void {
    this.#journal = journal;
  }

  /** True if the journal has stored every change. Always true without one. */
  get isCommitted(): boolean {
    return this.#commits.isEmpty;
  }

  /** Resolves when the journal has stored every change made so far. Rejects if it cannot; the changes are then undone. */
  committed(): Promise<void> {
    return this.#commits.committed();
  }

  /** The last time that changes were undone: another object each time. */
  get lastUndo(): Undo | undefined {
    return this.#lastUndo;
  }

  /** Makes the changes up to a version known as stored. */
  commit(revision: number): void {
    this.#commits.commit(revision);
  }

  /** Undoes all changes that are not committed. Nobody has seen them: responses and watches wait for the commit. */
  undo(error: Error): void {
    const { events, fail } = this.#commits.takeAll();
    this.#lastUndo = { error };
    const first = events[0];
    if (first !== undefined) {
      this.#revision = first.revision - 1;
      this.#history = this.#history.filter(({ revision }) => revision <= this.#revision);
      this.#oldest = Math.min(this.#oldest, this.#revision);
    }
    for (const event of events.toReversed()) this.#restore(event);
    fail(error);
  }

  /** Makes a change again that a journal has stored. */
  replay(key: StoreKey, object: JsonObject | undefined): void {
    if (object === undefined) this.remove(key);
    else this.put(key, object);
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
    this.#commits.push(event, this.#journal === undefined);
    this.#journal?.append(event);
  }

  #restore({ type, key, revision, object, before }: StoreEvent): void {
    const objects = this.#of(key.resource);
    const id = `${key.namespace}/${key.name}`;
    if (before === undefined) objects.delete(id);
    else objects.set(id, before);
    const reverse = {
      type: type === 'ADDED' ? 'DELETED' : type === 'DELETED' ? 'ADDED' : type,
      object: before ?? object,
      ...(type === 'DELETED' ? {} : { before: object }),
    } as const;
    for (const listener of [...this.#listeners]) listener({ ...reverse, key, revision, undone: true });
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
