import { ApiError, type ClusterClient } from '../kubernetes/index.js';
import { metadataOf, nameOf } from '../kubernetes/object.js';
import { FieldwiseError } from '../util/error.js';
import type { JsonObject } from '../util/json.js';
import { pause } from '../util/pause.js';

/** A kind of one API version. */
export interface GroupVersionKind {
  /** Such as `apps/v1`. */
  readonly apiVersion: string;
  readonly kind: string;
}

const watchSeconds = 300;
const shortestRound = 1_000; // milliseconds

/**
 * All objects of a kind as they are, kept up to date: a list, a watch from there, and the list again whenever the watch ends, for
 * whatever reason. What was deleted in between is told, too. Source: Kubernetes documentation "API Concepts", "Efficient detection of
 * changes".
 */
export class KindInformer {
  readonly #objects = new Map<string, JsonObject>();

  constructor(
    readonly cluster: ClusterClient,
    readonly kind: GroupVersionKind,
    /** Absent: in all namespaces. */
    readonly namespace: string | undefined,
  ) {}

  /** By `namespace/name`, or the name of what has no namespace. */
  get(key: string): JsonObject | undefined {
    return this.#objects.get(key);
  }

  /**
   * Follows until `signal` aborts.
   *
   * @param onChange gets each object that came, changed or went, as it is or was last.
   * @param onError receives why no change can be received at the moment.
   * @throws FieldwiseError `authentication-failed`.
   */
  async run(signal: AbortSignal, onChange: (object: JsonObject) => void, onError: (error: unknown) => void): Promise<void> {
    while (!signal.aborted) {
      const began = Date.now();
      try {
        await this.#round(signal, onChange);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof FieldwiseError && error.kind === 'authentication') throw error;
        if (!(error instanceof ApiError && error.code === 410)) onError(error);
      }
      await pause(Math.max(0, shortestRound - (Date.now() - began)), signal).catch(() => undefined);
    }
  }

  async #round(signal: AbortSignal, onChange: (object: JsonObject) => void): Promise<void> {
    const { apiVersion, kind } = this.kind;
    const place = this.namespace === undefined ? {} : { namespace: this.namespace };
    const resource = await this.cluster.resourceOf(apiVersion, kind);
    const { items, resourceVersion } = await this.cluster.listWithVersion(resource, place);
    const gone = new Map(this.#objects);
    const show = (type: 'ADDED' | 'MODIFIED' | 'DELETED', item: JsonObject) => {
      const object = { ...item, apiVersion, kind };
      const key = keyOf(object);
      if (type === 'DELETED') this.#objects.delete(key);
      else this.#objects.set(key, object);
      gone.delete(key);
      onChange(object);
    };
    for (const item of items) show('MODIFIED', item);
    for (const object of [...gone.values()]) show('DELETED', object);
    for await (const { type, object } of this.cluster.watch(resource, {
      ...place,
      resourceVersion,
      timeoutSeconds: watchSeconds,
      signal,
    })) {
      show(type, object);
    }
  }
}

/** `namespace/name`, or the name of what has no namespace. */
export function keyOf(object: JsonObject): string {
  const { namespace } = metadataOf(object);
  const name = nameOf(object);
  return namespace === undefined ? name : `${namespace}/${name}`;
}
