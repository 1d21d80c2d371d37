import { metadataOf } from '../fields/object.js';
import { type Cluster, clientOf } from '../kubernetes/cluster.js';
import { groupOf } from '../util/api-version.js';
import type { JsonObject } from '../util/json.js';
import { ownCopy } from '../util/own-copy.js';
import { type GroupVersionKind, KindInformer, objectKey } from './kind-informer.js';
import { WorkQueue } from './work-queue.js';

/** Options of `runController`. */
export interface ControllerLoopOptions {
  /** The cluster to watch. */
  readonly cluster: Cluster;
  /** The kind that is reconciled. */
  readonly reconciles: GroupVersionKind;
  /** Kinds whose objects name one of these as an owner: a change to them reconciles their owner. */
  readonly owns?: readonly GroupVersionKind[];
  /**
   * Namespace to watch.
   *
   * @default all namespaces
   */
  readonly namespace?: string;
  /** Ends the loop, after the reconciles in progress. */
  readonly signal: AbortSignal;
  /**
   * Makes the cluster match the declaration of an object. Receives the object as it was last observed, which may be older than the
   * server's, as a copy of its own. If it throws, it is called again after a pause.
   */
  readonly reconcile: (object: JsonObject) => Promise<unknown>;
  /** Receives errors for the log: those of `reconcile`, with the object as `namespace/name`, and those of watches. */
  readonly onError: (error: unknown, object?: string) => void;
}

/**
 * Watches a kind and reconciles each object that changed, one reconcile at a time per object; resolves when `signal` aborts.
 *
 * @throws FieldwiseError `authentication-failed`.
 */
export async function runController(loop: ControllerLoopOptions): Promise<void> {
  const { reconciles, owns = [], namespace, reconcile, onError } = loop;
  const client = clientOf(loop.cluster);
  const ended = new AbortController();
  const signal = AbortSignal.any([loop.signal, ended.signal]);
  const informer = new KindInformer(client, reconciles, namespace);
  const work = async (key: string) => {
    const object = informer.get(key);
    // The informer keeps its object for the next reconcile.
    if (object) await reconcile(ownCopy(object));
  };
  const queue = new WorkQueue(work, signal, onError);
  const watches = [
    informer.run(signal, (object) => queue.add(objectKey(object)), onError),
    ...owns.map((kind) =>
      new KindInformer(client, kind, namespace).run(
        signal,
        (object) => {
          for (const key of ownersOf(object, reconciles)) queue.add(key);
        },
        onError,
      ),
    ),
  ];
  try {
    await Promise.all(watches);
  } finally {
    ended.abort();
    await Promise.allSettled(watches);
    await queue.settled();
  }
}

/**
 * Returns the keys of possible owners, which are in the object's namespace or cluster-scoped. Source: Kubernetes documentation "Owners
 * and Dependents".
 */
function ownersOf(object: JsonObject, { apiVersion, kind }: GroupVersionKind): readonly string[] {
  const { namespace, ownerReferences = [] } = metadataOf(object);
  return ownerReferences
    .filter((owner) => owner.kind === kind && groupOf(owner.apiVersion) === groupOf(apiVersion))
    .flatMap(({ name }) => (namespace === undefined ? [name] : [`${namespace}/${name}`, name]));
}
