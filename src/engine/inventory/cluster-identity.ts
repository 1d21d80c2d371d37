import { type ClusterClient, readNamespaceUid, systemNamespace } from '../../kubernetes/index.js';
import { defaultInventoryNamespace } from './namespace.js';

/** The uids by which a cluster is recognized, as far as they could be read. */
export interface ClusterIdentity {
  /** That of the Namespace kube-system, which lasts as long as the cluster. */
  readonly uid?: string;
  /** That of the Namespace of the inventories. */
  readonly inventoryUid?: string;
}

/** Reads the identity of a cluster, once. */
export type ReadClusterIdentity = () => Promise<ClusterIdentity>;

/**
 * Returns the reader of the identity of a cluster. It sends its requests when it is called first, and never fails: a uid that cannot be
 * read, for whatever reason, is unknown.
 *
 * @param uid that of kube-system, if it is known already.
 */
export function clusterIdentityReader(
  cluster: Pick<ClusterClient, 'get'>,
  inventoryNamespace = defaultInventoryNamespace,
  uid?: string,
): ReadClusterIdentity {
  const read = async (name: string) => (await readNamespaceUid(cluster, name).catch(() => undefined))?.uid;
  const readBoth = async (): Promise<ClusterIdentity> => {
    const [system, inventory] = await Promise.all([uid ?? read(systemNamespace), read(inventoryNamespace)]);
    return { ...(system === undefined ? {} : { uid: system }), ...(inventory === undefined ? {} : { inventoryUid: inventory }) };
  };
  let found: Promise<ClusterIdentity> | undefined;
  return () => {
    found ??= readBoth();
    return found;
  };
}

/** The comparison of two identities. */
export interface ComparedIdentity {
  /** The uids that both sides have, and that are equal. */
  readonly same: ClusterIdentity;
  /** The uids that both sides have, and that differ. */
  readonly differing: readonly (keyof ClusterIdentity)[];
}

/** Compares each uid that both sides could read. */
export function compareIdentities(one: ClusterIdentity, other: ClusterIdentity): ComparedIdentity {
  const both = (['uid', 'inventoryUid'] as const).filter((key) => one[key] !== undefined && other[key] !== undefined);
  return {
    same: Object.fromEntries(both.filter((key) => one[key] === other[key]).map((key) => [key, one[key]])),
    differing: both.filter((key) => one[key] !== other[key]),
  };
}

/** Returns true if nothing tells a cluster from another one. */
export function isUnknown({ uid, inventoryUid }: ClusterIdentity): boolean {
  return uid === undefined && inventoryUid === undefined;
}
