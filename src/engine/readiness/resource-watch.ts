import { nameOf } from '../../fields/object.js';
import { ApiError, type ClusterClient, type Resource } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';

/** The resource, and the namespace of its watched objects. */
export interface WatchedResource {
  readonly resource: Resource;
  readonly namespace: string | undefined;
}

/** The callbacks of a watch. */
export interface WatchHandlers {
  /** Receives the object as it is, or undefined where it does not exist. */
  readonly onObject: (name: string, object: JsonObject | undefined) => void;
  /** Receives the reason why objects cannot be read at the moment, or at all. */
  readonly onError: (error: unknown, names: readonly string[]) => void;
}

const watchTimeoutSeconds = 60;
const pollIntervalMs = 2_000; // milliseconds
const minRoundMs = 1_000; // milliseconds

/**
 * Follows named objects of one resource in one namespace: with a list, then a watch from there, and again from the list when the watch ends
 * for whatever reason (its time, a dropped connection, 410 Gone, a name that it does not cover). Where the credentials may not list or
 * watch, each object is read every two seconds. Source: Kubernetes documentation "API Concepts", "Efficient detection of changes".
 */
export class ResourceWatch {
  readonly #cluster: ClusterClient;
  readonly #watched: WatchedResource;
  readonly #handlers: WatchHandlers;
  readonly #names = new Set<string>();
  readonly #end = new AbortController();
  #round = new AbortController();
  #hasNewNames = false;
  #polls = false;
  #running = false;

  constructor(cluster: ClusterClient, watched: WatchedResource, handlers: WatchHandlers) {
    this.#cluster = cluster;
    this.#watched = watched;
    this.#handlers = handlers;
  }

  /** Follows one more object from the next `refresh` on. */
  add(name: string): void {
    this.#names.add(name);
    this.#hasNewNames = true;
  }

  drop(name: string): void {
    this.#names.delete(name);
    if (this.#names.size === 0) this.#round.abort();
  }

  /** Reads the objects that were added since the last call. */
  refresh(): void {
    if (!this.#hasNewNames) return;
    this.#round.abort();
    if (!this.#running) void this.#run();
  }

  close(): void {
    this.#end.abort();
    this.#round.abort();
  }

  async #run(): Promise<void> {
    const { machine } = this.#cluster;
    this.#running = true;
    while (this.#names.size > 0 && !this.#end.signal.aborted) {
      const began = machine.wall();
      this.#hasNewNames = false;
      this.#round = new AbortController();
      try {
        await (this.#polls ? this.#poll() : this.#listAndWatch());
      } catch (error) {
        this.#handleError(error);
      }
      const left = (this.#polls ? pollIntervalMs : minRoundMs) - (machine.wall() - began);
      if (!this.#hasNewNames && left > 0) await machine.pause(left, this.#end.signal).catch(() => undefined);
    }
    this.#running = false;
  }

  async #listAndWatch(): Promise<void> {
    const { resource, namespace } = this.#watched;
    const covered = new Set(this.#names); // an event about a later name may be older than the apply after which it is followed
    const [first, second] = covered;
    const listScope = {
      ...(namespace === undefined ? {} : { namespace }),
      ...(second === undefined ? { fieldSelector: `metadata.name=${first}` } : {}),
    };
    const { signal } = this.#round;
    const { items, resourceVersion } = await this.#cluster.listWithVersion(resource, listScope);
    const objects = new Map(items.map((item) => [nameOf(item), item]));
    for (const name of covered) this.#emit(name, objects.get(name));
    if (signal.aborted || this.#names.size === 0) return;
    for await (const { type, object } of this.#cluster.watch(resource, {
      ...listScope,
      resourceVersion,
      timeoutSeconds: watchTimeoutSeconds,
      signal,
    })) {
      const name = nameOf(object);
      if (covered.has(name)) this.#emit(name, type === 'DELETED' ? undefined : object);
    }
  }

  async #poll(): Promise<void> {
    const { resource, namespace } = this.#watched;
    for (const name of [...this.#names]) {
      try {
        this.#emit(name, await this.#cluster.tryGet({ resource, ...(namespace === undefined ? {} : { namespace }), name }));
      } catch (error) {
        this.#handlers.onError(error, [name]);
      }
    }
  }

  #emit(name: string, object: JsonObject | undefined): void {
    if (!this.#names.has(name)) return;
    const { apiVersion, kind } = this.#watched.resource;
    this.#handlers.onObject(name, object && { ...object, apiVersion, kind });
  }

  #handleError(error: unknown): void {
    if (this.#round.signal.aborted) return; // ended by this process
    const refused = error instanceof ApiError && [403, 404, 405].includes(error.code);
    if (refused) this.#polls = true;
    else if (!(error instanceof ApiError && error.code === 410)) this.#handlers.onError(error, [...this.#names]);
    if (error instanceof FieldwiseError && error.kind === 'authentication') this.close();
  }
}
