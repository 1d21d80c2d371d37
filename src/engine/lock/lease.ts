import {
  ApiError,
  type ClusterClient,
  isForbidden,
  isNotFound,
  namespaces,
  type ObjectAddress,
  type Resource,
} from '../../kubernetes/index.js';
import { isTerminating, preconditionsOf } from '../../kubernetes/object.js';
import type { Clocks } from '../../util/clocks.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { inNamespace, isNamespaceMissing } from '../inventory/namespace.js';

/** A lease as it was read or written. Source: Kubernetes API reference, Lease v1 coordination.k8s.io. */
export interface Lease {
  readonly object: JsonObject;
  /** Empty where nobody holds it. */
  readonly holder: string;
  /** When the holder took it, by the holder's clock. */
  readonly since: string;
  /** Seconds without a change after which the holder counts as dead; at most `maxLeaseDurationSeconds`, whatever the Lease says. */
  readonly durationSeconds: number;
  /** The number of times that the Lease was taken. */
  readonly transitions: number;
  /** Differs after each renewal and each change of the holder, and only then. */
  readonly sign: string;
}

/** The resource of Leases. */
export const leases: Resource = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', plural: 'leases', namespaced: true };

/** The duration for runs and Leases that name none. */
export const defaultLeaseDurationSeconds = 15;

/** The longest duration: whoever may create a Lease chooses the duration in it, and no other run waits longer for it. */
export const maxLeaseDurationSeconds = 60;

const leaseManager = 'fieldwise-lock';
const maxTransitions = 2 ** 31 - 1; // int32

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
  readonly clocks: Clocks;
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

  /** The namespace of the Lease. */
  get namespace(): string {
    return this.#options.namespace;
  }

  /** The command that deletes the Lease. */
  get deletionCommand(): string {
    return `kubectl delete lease ${this.#options.name} --namespace ${this.#options.namespace}`;
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
      const { namespace, holder } = this.#options;
      const create = () => this.#cluster.create(leases, namespace, this.#body(holder, 0), leaseManager);
      return leaseOf(await inNamespace(this.#cluster, namespace, leaseManager, create));
    });
  }

  /** Takes exactly the lease that was read; undefined where it was written or deleted since. */
  take(lease: Lease): Promise<Lease | undefined> {
    return this.#replace(lease, this.#options.holder, lease.transitions < maxTransitions ? lease.transitions + 1 : 0);
  }

  /** Renews exactly the lease that was read; undefined where it was written or deleted since. */
  renew(lease: Lease): Promise<Lease | undefined> {
    return this.#replace(lease, this.#options.holder, lease.transitions);
  }

  /** Empties the holder of exactly the lease that was read; undefined where it was written or deleted since. */
  free(lease: Lease): Promise<Lease | undefined> {
    return this.#replace(lease, '', lease.transitions);
  }

  /** Deletes exactly the lease that was read; undefined where it was written or deleted since. */
  async remove(lease: Lease): Promise<true | undefined> {
    const { uid, resourceVersion } = preconditionsOf(lease.object);
    return unlessRefused<true>(async () => {
      await this.#cluster.delete(this.#address, { uid, resourceVersion, propagationPolicy: 'Background' });
      return true;
    });
  }

  /** Returns true if a lease is one that this run took, and that nobody else has taken since. */
  isSame(now: Lease, held: Lease): boolean {
    const isOfHolder = now.holder === this.#options.holder && now.transitions === held.transitions;
    return isOfHolder && preconditionsOf(now.object).uid === preconditionsOf(held.object).uid;
  }

  /** Returns the state of the namespace; `unknown` where it cannot be read now, `forbidden` where these credentials may not read it. */
  async namespaceState(): Promise<'active' | 'terminating' | 'deleted' | 'unknown' | 'forbidden'> {
    try {
      const object = await this.#cluster.tryGet({ resource: namespaces, name: this.#options.namespace });
      if (object === undefined) return 'deleted';
      return isTerminating(object) ? 'terminating' : 'active';
    } catch (error) {
      return isForbidden(error) ? 'forbidden' : 'unknown';
    }
  }

  isOurs(lease: Lease): boolean {
    return lease.holder === this.#options.holder;
  }

  #replace(lease: Lease, holder: string, transitions: number): Promise<Lease | undefined> {
    const body = this.#body(holder, transitions, preconditionsOf(lease.object));
    return unlessRefused(async () => leaseOf(await this.#cluster.replace(this.#address, body, leaseManager)));
  }

  #body(holder: string, transitions: number, pins: JsonObject = {}): JsonObject {
    const { namespace, name, durationSeconds, since, clocks } = this.#options;
    return {
      apiVersion: leases.apiVersion,
      kind: leases.kind,
      metadata: { name, namespace, labels: { 'app.kubernetes.io/managed-by': 'fieldwise' }, ...pins },
      spec: {
        holderIdentity: holder,
        leaseDurationSeconds: durationSeconds,
        leaseTransitions: transitions,
        acquireTime: microTime(since),
        renewTime: microTime(new Date(clocks.wall())),
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
  const holder = String(spec.holderIdentity ?? '');
  const transitions = typeof spec.leaseTransitions === 'number' ? spec.leaseTransitions : -1; // no run of this version leaves it out
  return {
    object,
    holder,
    since: String(spec.acquireTime ?? ''),
    durationSeconds: Math.min(Number(spec.leaseDurationSeconds) || defaultLeaseDurationSeconds, maxLeaseDurationSeconds),
    transitions,
    sign: JSON.stringify([holder, transitions, spec.renewTime ?? '']),
  };
}

function microTime(date: Date): string {
  return date.toISOString().replace('Z', '000Z');
}
