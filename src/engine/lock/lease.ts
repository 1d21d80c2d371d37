import { ApiError, type ClusterClient, isNotFound, type ObjectAddress, type Resource } from '../../kubernetes/index.js';
import { preconditionsOf } from '../../kubernetes/object.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { inNamespace, isNamespaceMissing } from '../inventory/namespace.js';

/** A lease as it was read or written. Source: Kubernetes API reference, Lease v1 coordination.k8s.io. */
export interface Lease {
  readonly object: JsonObject;
  /** Empty where nobody holds it. */
  readonly holder: string;
  /** When the holder took it, by the holder's clock. */
  readonly since: string;
  /** Seconds without a change after which the holder counts as dead. */
  readonly durationSeconds: number;
  /** Differs after every write. */
  readonly version: string;
}

/** The resource of Leases. */
export const leases: Resource = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', plural: 'leases', namespaced: true };

/** The duration for runs and Leases that name none. */
export const defaultLeaseDurationSeconds = 15;
const leaseManager = 'fieldwise-lock';

/** The address of a Lease and the identity of its holder. */
export interface LeaseObjectOptions {
  readonly cluster: ClusterClient;
  readonly namespace: string;
  readonly name: string;
  readonly holder: string;
  /** Seconds without a renewal after which the holder counts as dead. */
  readonly durationSeconds: number;
  /** When the holder began. */
  readonly since: Date;
}

/** The Lease object of one stack, with one method per request. */
export class LeaseObject {
  readonly #options: LeaseObjectOptions;
  readonly #cluster: ClusterClient;
  readonly #address: ObjectAddress;

  constructor(options: LeaseObjectOptions) {
    this.#options = options;
    this.#cluster = options.cluster;
    this.#address = { resource: leases, namespace: options.namespace, name: options.name };
  }

  /** Returns the same Lease, whose requests do not queue behind others and stop with a signal. */
  withContext(signal: AbortSignal | undefined): LeaseObject {
    return new LeaseObject({ ...this.#options, cluster: this.#options.cluster.withContext({ urgent: true, signal }) });
  }

  /** The name and namespace of the Lease, for messages. */
  get text(): string {
    return `Lease ${this.#options.name} in namespace ${this.#options.namespace}`;
  }

  async read(): Promise<Lease | undefined> {
    const object = await this.#cluster.tryGet(this.#address);
    return object && leaseOf(object);
  }

  /**
   * Creates the Lease.
   *
   * @returns the lease, held by this run; undefined where one of this name exists, whoever holds it.
   */
  async create(): Promise<Lease | undefined> {
    return unlessRefused(async () => {
      const { namespace } = this.#options;
      const create = () => this.#cluster.create(leases, namespace, this.#body({}), leaseManager);
      return leaseOf(await inNamespace(this.#cluster, namespace, leaseManager, create));
    });
  }

  /** Takes over or renews exactly the lease that was read; undefined where it was written or deleted since. */
  async update(lease: Lease): Promise<Lease | undefined> {
    const { uid, resourceVersion } = preconditionsOf(lease.object);
    return unlessRefused(async () =>
      leaseOf(await this.#cluster.replace(this.#address, this.#body({ uid, resourceVersion }), leaseManager)),
    );
  }

  /** Deletes exactly the lease that was read; undefined where it was written since. */
  async remove(lease: Lease): Promise<true | undefined> {
    const { uid, resourceVersion } = preconditionsOf(lease.object);
    return unlessRefused<true>(async () => {
      await this.#cluster.delete(this.#address, { uid, resourceVersion, propagationPolicy: 'Background' });
      return true;
    });
  }

  isOurs(lease: Lease): boolean {
    return lease.holder === this.#options.holder;
  }

  #body(pins: JsonObject): JsonObject {
    const { namespace, name, holder, durationSeconds, since } = this.#options;
    return {
      apiVersion: leases.apiVersion,
      kind: leases.kind,
      metadata: { name, namespace, labels: { 'app.kubernetes.io/managed-by': 'fieldwise' }, ...pins },
      spec: {
        holderIdentity: holder,
        leaseDurationSeconds: durationSeconds,
        acquireTime: microTime(since),
        renewTime: microTime(new Date()),
      },
    };
  }
}

/**
 * Returns undefined where the object is not as it was: another run has written it, or this one has and the response was lost. The caller
 * reads it to find out.
 */
async function unlessRefused<T>(request: () => Promise<T>): Promise<T | undefined> {
  try {
    return await request();
  } catch (error) {
    if (error instanceof ApiError && error.code === 409) return undefined;
    if (isNotFound(error) && !isNamespaceMissing(error)) return undefined;
    throw error;
  }
}

function leaseOf(object: JsonObject): Lease {
  const spec = isJsonObject(object.spec) ? object.spec : {};
  const { uid, resourceVersion } = preconditionsOf(object);
  return {
    object,
    holder: String(spec.holderIdentity ?? ''),
    since: String(spec.acquireTime ?? ''),
    durationSeconds: Number(spec.leaseDurationSeconds) || defaultLeaseDurationSeconds,
    version: `${uid} ${resourceVersion}`,
  };
}

function microTime(date: Date): string {
  return date.toISOString().replace('Z', '000Z');
}
