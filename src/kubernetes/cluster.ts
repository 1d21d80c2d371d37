import { asyncDispose } from '../util/async-dispose.js';
import { FieldwiseError } from '../util/error.js';
import { invalidArgument } from '../util/invalid-argument.js';
import { isJsonObject, type JsonObject } from '../util/json.js';
import { ownCopy } from '../util/own-copy.js';
import { requireJsonObject } from '../util/require-json-object.js';
import type { ClusterClient } from './cluster-client.js';
import { addressOf } from './object-address.js';

/** Registered, so that two installed copies of Fieldwise agree. */
const clientBrand: unique symbol = Symbol.for('fieldwise.cluster-client') as never;

/**
 * A connection to an API server, which the verbs of `fieldwise/deploy` and `fieldwise/controller` take. `connect` opens one,
 * `inProcessCluster` makes one of an embedded API server.
 *
 * ```ts
 * await using cluster = await connect();
 * await deploy('dist', cluster);
 * ```
 */
export interface Cluster {
  /** The client of the connection, which is not part of the public API. */
  readonly [clientBrand]: object;
  /** Address of the server, such as `https://10.0.0.1:6443`. */
  readonly server: string;
  /** The namespace of objects without one. */
  readonly defaultNamespace: string;
  /**
   * Applies one object by server-side apply, for scripts and tests that prepare a cluster for a program. The object belongs to no stack and
   * no inventory.
   *
   * @param object a partial object with apiVersion, kind and metadata.name.
   * @returns the object after the apply, with the fields of all owners.
   * @throws ApiError if the server rejects the request, 409 with `conflicts` if others own fields with other values; FieldwiseError
   *   `option-invalid`, `cluster-closed`, `intent-without-kind`, `intent-without-name`, `kind-unknown`, and if the server cannot be reached.
   */
  apply(object: object, options?: ClusterApplyOptions): Promise<JsonObject>;
  /** Closes the connection, so that the process can end. Later calls with the cluster throw `cluster-closed`. */
  close(): void;
  /** Closes the connection at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Options of `Cluster.apply`. */
export interface ClusterApplyOptions {
  /**
   * Name of the field manager.
   *
   * @default 'fieldwise-script'
   */
  readonly manager?: string;
  /**
   * Takes fields from other owners.
   *
   * @default false
   */
  readonly force?: boolean;
}

/** Returns the public face of a client. */
export function publicCluster(client: ClusterClient): Cluster {
  let isOpen = true;
  const close = () => {
    isOpen = false;
    client.close();
  };
  const openClient = () => {
    if (isOpen) return client;
    throw new FieldwiseError('cluster-closed', 'usage', 'The cluster was closed', {
      location: { server: client.server },
      next: 'Call `close` after the last use, or connect again.',
    });
  };
  return {
    /** Checks here, so that another copy of Fieldwise does not use a closed cluster either. */
    get [clientBrand]() {
      return openClient();
    },
    server: client.server,
    defaultNamespace: client.defaultNamespace,
    async apply(object, { manager = 'fieldwise-script', force = false } = {}) {
      const open = openClient();
      requireJsonObject('The argument `object`', object);
      // The caller may change the object while the kinds of the server are read.
      const sent = ownCopy(object as JsonObject);
      return (await open.apply(await addressOf(open, sent), sent, { manager, force })).object;
    },
    close,
    [asyncDispose]: async () => close(),
  };
}

/**
 * Returns the client behind a cluster.
 *
 * @throws FieldwiseError `option-invalid`, `cluster-closed`.
 */
export function clientOf(cluster: Cluster): ClusterClient {
  const client: object | undefined = isJsonObject(cluster) ? (cluster as Partial<Cluster>)[clientBrand] : undefined;
  if (client) return client as ClusterClient;
  throw invalidArgument('The argument `cluster`', cluster, 'the result of `connect` or `inProcessCluster`');
}
