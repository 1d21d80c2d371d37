import { identityKey } from '../../assembly/identity.js';
import { isTerminating, metadataOf, type ObjectMetadata, type OwnerReference, uidOf } from '../../fields/object.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import type { JsonObject } from '../../util/json.js';
import { addressOf } from '../addresses/address.js';

/**
 * The owners of objects, as the garbage collector follows them: an owner is covered if its deletion is known to the run, if it no longer
 * exists, or if each of its own owners is covered. Source: Kubernetes documentation "Owners and Dependents".
 */
export class CoveredOwners {
  readonly #cluster: ClusterClient;
  readonly #covered: ReadonlySet<string>;
  readonly #live = new Map<string, Promise<JsonObject | undefined>>();

  /** @param covered the uids of objects that are named to the user or deleted by the run. */
  constructor(cluster: ClusterClient, covered: ReadonlySet<string>) {
    this.#cluster = cluster;
    this.#covered = covered;
  }

  /** Returns true for an object with owners, if each is covered. One that cannot be read is not. */
  async coverAll({ ownerReferences }: ObjectMetadata, namespace: string | undefined, below: readonly string[] = []): Promise<boolean> {
    if (!Array.isArray(ownerReferences) || ownerReferences.length === 0 || below.length > maxDepth) return false;
    const verdicts = await Promise.all(ownerReferences.map((owner) => this.#covers(owner, namespace, below).catch(() => false)));
    return verdicts.every((verdict) => verdict);
  }

  async #covers(owner: OwnerReference, namespace: string | undefined, below: readonly string[]): Promise<boolean> {
    // Of objects that own each other, the rest of their owners decides.
    if (this.#covered.has(owner.uid) || below.includes(owner.uid)) return true;
    const live = await this.#read(owner, namespace);
    if (live === undefined || uidOf(live) !== owner.uid || isTerminating(live)) return true;
    return this.coverAll(metadataOf(live), namespace, [...below, owner.uid]);
  }

  /** Returns an owner; undefined if it does not exist. @throws where that is not known. */
  #read({ apiVersion, kind, name }: OwnerReference, namespace: string | undefined): Promise<JsonObject | undefined> {
    const identity = { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }), name };
    const key = identityKey(identity);
    const live = this.#live.get(key) ?? addressOf(this.#cluster, identity).then((address) => this.#cluster.tryGet(address));
    this.#live.set(key, live);
    return live;
  }
}

/** Owners of owners beyond it count as unknown. */
const maxDepth = 10;
