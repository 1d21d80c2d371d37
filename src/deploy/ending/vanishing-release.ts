import { objectText } from '../../assembly/identity.js';
import type { Cluster } from '../../cluster/index.js';
import { vanishingFields } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import { addressOf } from '../address.js';
import type { InventoryEntry } from '../inventory/entry.js';
import type { Question, RunOptions } from '../options.js';
import { inPool } from '../pool.js';
import { coOwners } from './remove.js';
import { type Agreed, textOf } from './vanishing.js';

/** An object in which a stack's part ends. */
export interface Ending {
  readonly entry: InventoryEntry;
  /** The stack's field manager, then those it had before renames. */
  readonly managers: readonly [string, ...string[]];
  /** Another stack of this run declares the object. */
  readonly declaredElsewhere: boolean;
}

/** By inventory entry what goes along with its release; entries that hold no list items or map entries are not in it. */
export type AgreedReleases = ReadonlyMap<InventoryEntry, Agreed>;

/** Which releases take along what others keep in list items and map entries. Only objects that may be concerned are read. */
export async function findVanishingReleases(
  cluster: Cluster,
  endings: readonly Ending[],
  options: Pick<RunOptions, 'deleteShared'>,
  concurrency: number,
): Promise<AgreedReleases> {
  const found = new Map<InventoryEntry, Agreed>();
  await inPool(endings.filter(mayVanish), concurrency, async ({ entry, managers, declaredElsewhere }) => {
    found.set(entry, new Set());
    const address = await addressOf(cluster, entry).catch(() => undefined); // the release tells what is wrong with it
    const live = address && (await cluster.find(address));
    if (!live || (entry.uid !== undefined && (live.metadata as JsonObject).uid !== entry.uid)) return;
    const deleted = entry.lifecycle === 'own' && entry.deletable && !declaredElsewhere;
    if (deleted && !holdsOthers.has(entry.kind) && (options.deleteShared === true || coOwners(live, managers).length === 0)) return;
    found.set(entry, new Set(vanishingFields(live, {}, managers).map(textOf)));
  });
  return found;
}

/** Nothing but a yes to this very question lets fields of others go. */
export function vanishingReleasesQuestion(found: AgreedReleases): Question | undefined {
  const objects = [...found].flatMap(([entry, agreed]) => [...agreed].map((text) => `${objectText(entry)} ${text}`));
  if (objects.length === 0) return undefined;
  return {
    text: 'objects are released, and what others keep in list items or map entries of this stack would go along',
    objects,
    answeredByPruneSetting: false,
  };
}

/** Kinds that are released where they hold objects of others. */
const holdsOthers: ReadonlySet<string> = new Set(['Namespace', 'CustomResourceDefinition']);

function mayVanish({ entry }: Ending): boolean {
  return !(entry.lifecycle === 'own' && entry.retain) && (entry.items === undefined || entry.items.length > 0);
}
