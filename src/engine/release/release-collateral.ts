import { objectText } from '../../assembly/identity.js';
import { uidOf } from '../../fields/object.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { collateralFields } from '../../ownership/index.js';
import { addressInAnyVersion } from '../addresses/removed-versions.js';
import type { InventoryEntry } from '../inventory/inventory-entry.js';
import { type Live, readLive } from '../live/read-live.js';
import { type ApprovedFields, collateralText, mayContainOwnedFields } from '../object/collateral.js';
import { coOwners, deletesShared } from '../object/remove-object.js';
import type { Question } from '../report/question.js';
import type { RunOptions } from '../run/options.js';
import type { OtherStacks } from '../transfer/other-stacks.js';

/** The removal of a stack's part in an object. */
export interface Removal {
  readonly entry: InventoryEntry;
  /** The stack's field manager, then those it had before renames. */
  readonly managers: readonly [string, ...string[]];
  /** Another stack keeps owning the object, or one of this run shares it: it certainly stays. */
  readonly stays: boolean;
}

/** Returns the removal of a stack's part in an object, as far as the stacks of the app decide it. */
export function removalOf(
  entry: InventoryEntry,
  managers: Removal['managers'],
  otherStacks: OtherStacks | undefined,
  options: Pick<RunOptions, 'deleteShared'>,
): Removal {
  const { newOwner, sharers = [] } = otherStacks ?? {};
  return { entry, managers, stays: newOwner !== undefined || (sharers.length > 0 && !deletesShared(entry, options)) };
}

/** By inventory entry, the collateral fields of its release; entries without list items or map entries are not in it. */
export type ApprovedReleases = ReadonlyMap<InventoryEntry, ApprovedFields>;

/** Objects in which a stack's part is removed, read before the first question of the run; see `Live`. */
export type LiveRemovals = Live<InventoryEntry>;

/**
 * Reads the objects that are released, or may be. An object that is to be deleted is read right before its deletion.
 *
 * @param isAsked reads objects that are to be deleted, too, because a question names the outcome of each.
 */
export function readLiveRemovals(
  cluster: ClusterClient,
  removals: readonly Removal[],
  concurrency: number,
  isAsked = false,
): Promise<LiveRemovals> {
  const wanted = removals.filter((removal) => mayRemoveCollateral(removal) || isReleased(removal) || (isAsked && !removal.entry.retain));
  return readLive(
    cluster,
    wanted.map(({ entry }) => [entry, entry] as const),
    concurrency,
    { locate: addressInAnyVersion },
  );
}

/** Finds the releases that remove fields of others in list items and map entries. */
export function findReleaseCollateral(
  live: LiveRemovals,
  removals: readonly Removal[],
  options: Pick<RunOptions, 'deleteShared'>,
): ApprovedReleases {
  return new Map(
    removals.filter(mayRemoveCollateral).map((removal) => {
      const { entry, managers } = removal;
      const object = live.get(entry);
      if (!object || (entry.uid !== undefined && uidOf(object) !== entry.uid)) return [entry, new Set()];
      const alone = !containerKinds.has(entry.kind) && (deletesShared(entry, options) || coOwners(object, managers).length === 0);
      if (!isReleased(removal) && alone) return [entry, new Set()];
      return [entry, new Set(collateralFields(object, {}, managers).map(collateralText))];
    }),
  );
}

/** Returns the question without whose confirmation no field of others is removed. */
export function releaseCollateralQuestion(found: ApprovedReleases): Question | undefined {
  const objects = [...found].flatMap(([entry, approved]) => [...approved].map((text) => `${objectText(entry)} ${text}`));
  if (objects.length === 0) return undefined;
  return {
    text: 'objects are released, and fields of others in list items or map entries of this stack would be removed, too',
    objects,
    answeredByPruneSetting: false,
  };
}

/** Kinds that are released if they contain objects of others. */
const containerKinds: ReadonlySet<string> = new Set(['Namespace', 'CustomResourceDefinition']);

/** Returns true if the stack's fields are released and the object stays. */
export function isReleased({ entry, stays }: Removal): boolean {
  if (entry.lifecycle === 'own' && entry.retain) return false;
  return entry.lifecycle === 'share' || !entry.deletable || stays;
}

function mayRemoveCollateral({ entry }: Removal): boolean {
  return (
    !(entry.lifecycle === 'own' && entry.retain) &&
    (entry.items === undefined || entry.items.length > 0 || mayContainOwnedFields(entry.apiVersion))
  );
}
