import { groupOf } from '../../assembly/identity.js';
import { isTerminating, nameOf, preconditionsOf, uidOf } from '../../fields/object.js';
import type { ClusterClient, ObjectAddress } from '../../kubernetes/index.js';
import type { InventoryEntry } from '../inventory/inventory-entry.js';
import { isWorthListing, listWanted } from '../live/list-wanted.js';
import { provesOwnership } from '../object/ownership-proof.js';
import { deletesShared, keepersOf, type ObjectOwners } from '../object/remove-object.js';
import type { Removal } from '../release/release-collateral.js';
import { isOfOneObject } from '../report/error-scope.js';
import type { RunOptions } from '../run/options.js';
import type { OtherStacks, OtherStacksByEntry } from '../transfer/other-stacks.js';
import { asContainer } from './may-need.js';

/** An object that a run deletes unless others keep it. */
interface PlainCandidate extends ObjectOwners {
  readonly entry: InventoryEntry;
}

type Candidates = Map<string, PlainCandidate>;

/**
 * The objects that a run may delete without reading each. One LIST of metadata per kind and namespace, sent right before the first deletion
 * in it, shows that an object is the one of the inventory, that the stack applied it, and that nobody else keeps it. Its deletion is bound
 * to that state by resourceVersion; an object that was written since is read again.
 */
export class PlainDeletions {
  readonly #cluster: ClusterClient;
  /** By kind and namespace, then by name. */
  readonly #candidates = new Map<string, Candidates>();
  /** The resourceVersions of the objects found, by name. */
  readonly #lists = new Map<string, Promise<ReadonlyMap<string, string>>>();

  constructor(cluster: ClusterClient, candidates: readonly PlainCandidate[]) {
    this.#cluster = cluster;
    for (const candidate of candidates) {
      const { entry } = candidate;
      if (entry.uid === undefined || asContainer(entry) !== undefined) continue; // the contents of a container are looked at, too
      const key = collectionOf(entry);
      this.#candidates.set(key, (this.#candidates.get(key) ?? new Map<string, PlainCandidate>()).set(entry.name, candidate));
    }
  }

  /** Returns the resourceVersion to which the deletion of an object may be bound; undefined where the object must be read. */
  async versionOf(entry: InventoryEntry, address: ObjectAddress): Promise<string | undefined> {
    const key = collectionOf(entry);
    const candidates = this.#candidates.get(key);
    if (candidates?.get(entry.name)?.entry !== entry || !isWorthListing(address.resource, candidates.size)) return undefined;
    let list = this.#lists.get(key);
    if (list === undefined) {
      list = this.#read(address, candidates);
      this.#lists.set(key, list);
    }
    return (await list).get(entry.name);
  }

  async #read(address: ObjectAddress, candidates: Candidates): Promise<ReadonlyMap<string, string>> {
    const versions = new Map<string, string>();
    try {
      await listWanted(
        this.#cluster,
        address,
        new Set(candidates.keys()),
        (live) => {
          const { entry, ...owners } = candidates.get(nameOf(live)) as PlainCandidate;
          if (uidOf(live) !== entry.uid || isTerminating(live)) return;
          if (!provesOwnership(live, owners.managers) || keepersOf(live, owners).length > 0) return;
          const { resourceVersion } = preconditionsOf(live);
          if (resourceVersion) versions.set(entry.name, resourceVersion);
        },
        { metadataOnly: true },
      );
    } catch (error) {
      if (!isOfOneObject(error)) throw error; // a list that fails proves nothing: each object is read
    }
    return versions;
  }
}

/** Returns the objects of a run that may be deleted without reading each. */
export function plainDeletionsOf(
  cluster: ClusterClient,
  removals: readonly Pick<Removal, 'entry' | 'managers'>[],
  otherStacks: OtherStacksByEntry,
  options: Pick<RunOptions, 'deleteShared'>,
): PlainDeletions {
  const candidates = removals.flatMap(({ entry, managers }) => {
    const others = otherStacks.get(entry);
    return isDeleted(entry, others) ? [{ entry, ...ownersOf(entry, managers, others, options) }] : [];
  });
  return new PlainDeletions(cluster, candidates);
}

/** Returns true if a stack deletes an object when it no longer declares it, unless others keep it. */
export function isDeleted(entry: InventoryEntry, others: OtherStacks | undefined): boolean {
  return entry.lifecycle === 'own' && entry.deletable && !entry.retain && others?.newOwner === undefined;
}

/** Returns the field managers that decide whether an object is deleted. */
export function ownersOf(
  entry: InventoryEntry,
  managers: ObjectOwners['managers'],
  { removedManagers = [], sharers = [] }: Partial<OtherStacks> = {},
  options: Pick<RunOptions, 'deleteShared'> = {},
): ObjectOwners {
  return { managers, removedManagers, sharers, deleteShared: deletesShared(entry, options) };
}

function collectionOf({ apiVersion, kind, namespace }: InventoryEntry): string {
  return `${groupOf(apiVersion)}/${kind}/${namespace ?? ''}`;
}
