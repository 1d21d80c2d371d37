import { metadataOf, nameOf } from '../fields/object.js';
import { ApiError, type ClusterClient } from '../kubernetes/index.js';
import { FieldwiseError } from '../util/error.js';
import type { JsonObject } from '../util/json.js';
import { thisMachine } from '../util/machine.js';

/** A kind of one API version. */
export interface GroupVersionKind {
  /** Such as `apps/v1`. */
  readonly apiVersion: string;
  readonly kind: string;
}

const watchSeconds = 300;
const minRoundMs = 1_000; // milliseconds

/**
 * A cache of all objects of a kind: a list, a watch from its resourceVersion, and a new list whenever the watch ends, for any reason.
 * Deletions in between are reported as well. Source: Kubernetes documentation "API Concepts", "Efficient detection of changes".
 */
export class KindInformer {
  readonly #objects = new Map<string, JsonObject>();

  constructor(
    readonly cluster: ClusterClient,
    readonly kind: GroupVersionKind,
    /** The namespace to watch; undefined for all namespaces. */
    readonly namespace: string | undefined,
  ) {}

  /** Returns an object by `namespace/name`, or by the name of a cluster-scoped object. */
  get(key: string): JsonObject | undefined {
    return this.#objects.get(key);
  }

  /**
   * Watches until `signal` aborts.
   *
   * @param onChange receives each object that was created, changed or deleted, in its last state.
   * @param onError receives the error that prevents changes from being received at the moment.
   * @throws FieldwiseError `authentication-failed`.
   */
  async run(signal: AbortSignal, onChange: (object: JsonObject) => void, onError: (error: unknown) => void): Promise<void> {
    while (!signal.aborted) {
      const startedAt = Date.now();
      try {
        await this.#round(signal, onChange);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof FieldwiseError && error.kind === 'authentication') throw error;
        if (!(error instanceof ApiError && error.code === 410)) onError(error);
      }
      await thisMachine.pause(Math.max(0, minRoundMs - (Date.now() - startedAt)), signal).catch(() => undefined);
    }
  }

  async #round(signal: AbortSignal, onChange: (object: JsonObject) => void): Promise<void> {
    const { apiVersion, kind } = this.kind;
    const scope = this.namespace === undefined ? {} : { namespace: this.namespace };
    const resource = await this.cluster.resourceOf(apiVersion, kind);
    const { items, resourceVersion } = await this.cluster.listWithVersion(resource, scope);
    const unseen = new Map(this.#objects);
    const record = (type: 'ADDED' | 'MODIFIED' | 'DELETED', item: JsonObject) => {
      const object = { ...item, apiVersion, kind };
      const key = objectKey(object);
      if (type === 'DELETED') this.#objects.delete(key);
      else this.#objects.set(key, object);
      unseen.delete(key);
      onChange(object);
    };
    for (const item of items) record('MODIFIED', item);
    for (const object of [...unseen.values()]) record('DELETED', object);
    for await (const { type, object } of this.cluster.watch(resource, {
      ...scope,
      resourceVersion,
      timeoutSeconds: watchSeconds,
      signal,
    })) {
      record(type, object);
    }
  }
}

/** Returns `namespace/name`, or the name of a cluster-scoped object. */
export function objectKey(object: JsonObject): string {
  const { namespace } = metadataOf(object);
  const name = nameOf(object);
  return namespace === undefined ? name : `${namespace}/${name}`;
}
