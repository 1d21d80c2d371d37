import { isTerminating, metadataOf, preconditionsOf } from '../../fields/object.js';
import {
  ApiError,
  type ClusterClient,
  isForbidden,
  isNotFound,
  namespaces,
  type ObjectAddress,
  type Resource,
} from '../../kubernetes/index.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { inNamespace, isNamespaceMissing } from '../inventory/namespace.js';
import { lastWriteOf } from '../inventory/pending-proof.js';
import { requireRecordRights } from './require-record-rights.js';

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
  /** The holder has given it back, and could not record all that it has applied. */
  readonly isBehind: boolean;
  /**
   * Until when the server may carry out what a run before the holder's had sent, which was cut off; by the clock of the server, in milliseconds since
   * 1970.
   */
  readonly lateUntil: number | undefined;
  /** Differs after each renewal and each change of the holder, and only then. */
  readonly sign: string;
}

/** The resource of Leases. */
export const leases: Resource = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', plural: 'leases', namespaced: true };

/** The duration for runs and Leases that name none. */
export const defaultLeaseDurationSeconds = 15;

/**
 * How long the server carries out what a run has sent, in durations of its lease: with 15 s, that is the minute after which the server ends a
 * request. Source: kube-apiserver, --request-timeout.
 */
export const lateLeases = 4;

/** The longest duration: whoever may create a Lease chooses the duration in it, and no other run waits longer for it. */
export const maxLeaseDurationSeconds = 60;

/** Of a Lease that was given back by a run whose inventory does not have all that it has applied. */
const behindAnnotation = 'fieldwise.dev/inventory-behind';

/** Of a Lease that was given back while the server could still carry out what a run before had sent, which was cut off. */
const lateAnnotation = 'fieldwise.dev/late-until';

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
   * @throws FieldwiseError `lock-forbidden`, `inventory-forbidden` where the run may create its records, but not write them later.
   */
  async create(): Promise<Lease | undefined> {
    return unlessRefused(async () => {
      const { namespace, name, holder } = this.#options;
      await requireRecordRights(this.#cluster, namespace, name);
      const create = () => this.#cluster.createByName(this.#address, this.#body(holder, 0), leaseManager);
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

  /**
   * Empties the holder of exactly the lease that was read; undefined where it was written or deleted since.
   *
   * @param note what the next run is to read in it.
   */
  free(lease: Lease, { isBehind, lateUntil }: Pick<Lease, 'isBehind' | 'lateUntil'>): Promise<Lease | undefined> {
    const annotations = {
      ...(isBehind ? { [behindAnnotation]: 'true' } : {}),
      ...(lateUntil === undefined ? {} : { [lateAnnotation]: new Date(lateUntil).toISOString() }),
    };
    return this.#replace(lease, '', lease.transitions, Object.keys(annotations).length > 0 ? { annotations } : {});
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

  #replace(lease: Lease, holder: string, transitions: number, metadata: JsonObject = {}): Promise<Lease | undefined> {
    const body = this.#body(holder, transitions, { ...preconditionsOf(lease.object), ...metadata });
    return unlessRefused(async () => leaseOf(await this.#cluster.replace(this.#address, body, leaseManager)));
  }

  #body(holder: string, transitions: number, metadata: JsonObject = {}): JsonObject {
    const { namespace, name, durationSeconds, since, cluster } = this.#options;
    return {
      apiVersion: leases.apiVersion,
      kind: leases.kind,
      metadata: { name, namespace, labels: { 'app.kubernetes.io/managed-by': 'fieldwise' }, ...metadata },
      spec: {
        holderIdentity: holder,
        leaseDurationSeconds: durationSeconds,
        leaseTransitions: transitions,
        acquireTime: microTime(since),
        renewTime: microTime(new Date(cluster.machine.wall())),
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
    isBehind: metadataOf(object).annotations?.[behindAnnotation] !== undefined,
    lateUntil: lateUntilOf(object),
    sign: JSON.stringify([holder, transitions, spec.renewTime ?? '']),
  };
}

/** Undefined too for a time later than any run can have left: whoever may write the Lease makes no other run wait for longer. */
function lateUntilOf(object: JsonObject): number | undefined {
  const time = Date.parse(metadataOf(object).annotations?.[lateAnnotation] ?? '');
  const latest = (lastWriteOf(object) ?? 0) + lateLeases * maxLeaseDurationSeconds * 1_000;
  return Number.isNaN(time) || time > latest ? undefined : time;
}

function microTime(date: Date): string {
  return date.toISOString().replace('Z', '000Z');
}
