import { metadataOf } from '../../../fields/object.js';
import { ApiError, type ClusterClient, isForbidden, type Resource } from '../../../kubernetes/index.js';
import type { JsonObject } from '../../../util/json.js';
import { byTime } from './refusal-symptoms.js';

const pods: Resource = { apiVersion: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
const events: Resource = { apiVersion: 'v1', kind: 'Event', plural: 'events', namespaced: true };
const replicaSets: Resource = { apiVersion: 'apps/v1', kind: 'ReplicaSet', plural: 'replicasets', namespaced: true };
const controllerRevisions: Resource = {
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  namespaced: true,
};

/** The kinds that are listed to find causes. */
const listed = { pods, replicaSets, controllerRevisions } as const;

/** The maximum number of objects that a look reads of one list. */
const pageSize = 500;
/** The milliseconds after which a read of a look is given up: a slow server must not hold up the wait. */
const readTimeoutMs = 4_000;
const maxEvents = 100;
const maxLogBytes = 64 * 1024; // bytes
export const maxLogLines = 20;

/** Reads what shows why workloads are not ready. The rights for it are optional: what may not be read is noted, and not requested again. */
export class OptionalReads {
  readonly #cluster: ClusterClient;
  /** Texts such as `pods in namespace shop: forbidden`, by what may not be read. */
  readonly #forbidden = new Map<string, string>();

  constructor(cluster: ClusterClient) {
    this.#cluster = cluster.withContext({ retryTimeoutMs: readTimeoutMs, onRetry: () => {} });
  }

  /** Lists objects by label; the first page of a large list. Undefined where they cannot be read. */
  list(
    what: keyof typeof listed,
    { namespace, labelSelector }: { readonly namespace: string; readonly labelSelector: string },
    notes: Set<string>,
  ): Promise<readonly JsonObject[] | undefined> {
    const options = { namespace, labelSelector, pageSize, metadataOnly: what === 'replicaSets' };
    return this.#read(`${listed[what].plural} in namespace ${namespace}`, notes, async () => {
      for await (const { items } of this.#cluster.pages(listed[what], options)) return items;
      return [];
    });
  }

  /** Returns the events of an object, from the oldest to the newest; undefined where they cannot be read. */
  eventsOf(object: JsonObject, notes: Set<string>): Promise<readonly JsonObject[] | undefined> {
    const { namespace = '', uid } = metadataOf(object);
    return this.#read(`events in namespace ${namespace}`, notes, async () => {
      const options = { namespace, fieldSelector: `involvedObject.uid=${uid}`, pageSize: maxEvents };
      for await (const { items } of this.#cluster.pages(events, options)) return byTime(items);
      return [];
    });
  }

  /** Returns the end of the log of a container: of its last run if it has ended, else of the present one. */
  async logOf(pod: JsonObject, container: string, previous: boolean, notes: Set<string>): Promise<string | undefined> {
    const { namespace = '', name = '' } = metadataOf(pod);
    const request = (ofLastRun: boolean) =>
      this.#cluster.podLog(
        { resource: pods, namespace, name },
        { container, previous: ofLastRun, tailLines: maxLogLines, maxBytes: maxLogBytes },
      );
    return this.#read(`logs in namespace ${namespace}`, notes, async () => {
      try {
        return await request(previous);
      } catch (error) {
        // The kubelet no longer has the last run.
        if (previous && error instanceof ApiError && error.code === 400) return await request(false);
        // The pod is deleted, and its log with it.
        if (error instanceof ApiError && error.code === 404) return '';
        throw error;
      }
    });
  }

  async #read<T>(what: string, notes: Set<string>, request: () => Promise<T>): Promise<T | undefined> {
    const known = this.#forbidden.get(what);
    if (known !== undefined) {
      notes.add(known);
      return undefined;
    }
    try {
      return await request();
    } catch (error) {
      const note = `${what}: ${isForbidden(error) ? 'forbidden' : error instanceof Error ? error.message : String(error)}`;
      if (isForbidden(error)) this.#forbidden.set(what, note);
      notes.add(note);
      return undefined;
    }
  }
}
