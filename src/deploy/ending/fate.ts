import { objectText } from '../../assembly/identity.js';
import type { Cluster } from '../../cluster/index.js';
import type { JsonObject } from '../../util/json.js';
import { createdBy } from '../apply/created-by.js';
import { type EndingPart, inheritedText, type Successions } from '../handoff/succession.js';
import type { InventoryEntry } from '../inventory/entry.js';
import type { RunOptions } from '../options.js';
import { inPool } from '../pool.js';
import { isOfOneObject } from '../run.js';
import { endingReason } from './ending-reason.js';
import { deletionKey, foreignContent } from './foreign.js';
import { asContainer } from './held-back.js';
import { adoptedReason, deletionOptions, objectsToDelete } from './retire.js';
import type { LiveEndings } from './vanishing-release.js';

/** What a run does with an object that ends, as a question tells it: `keep` where it would fail. */
export interface Fate {
  readonly does: 'delete' | 'release' | 'forget' | 'keep';
  readonly reason?: string;
}

export type Fates = ReadonlyMap<InventoryEntry, Fate>;

/** What is known before the first question. */
export interface FateContext {
  readonly live: LiveEndings;
  readonly successions: Successions;
  readonly options: RunOptions;
}

/**
 * What becomes of objects that end. What lives in a Namespace or belongs to a CustomResourceDefinition is judged first: it keeps them if it
 * stays. Where objects have not been read, their inventory alone decides.
 *
 * @throws FieldwiseError where every further request would fail as well.
 */
export async function findFates(
  cluster: Cluster,
  parts: readonly EndingPart[],
  { live, successions, options }: FateContext,
  concurrency: number,
): Promise<Fates> {
  const { deleteShared, deleteForeign, gone, ours } = deletionOptions(options, objectsToDelete(parts, successions));
  const found = new Map<InventoryEntry, Fate>();
  const isTold = options.yes !== true; // else nobody reads it
  const contentOf = async (object: JsonObject) => (isTold && !deleteForeign ? foreignContent(cluster, object, ours, gone.seconds) : []);
  const judge = async ({ stack, formerManagers, entry }: EndingPart): Promise<Fate> => {
    const managers = [stack.manager, ...formerManagers] as const;
    const object = live.get(entry);
    const certain = fateByRecord(entry, successions, managers, { object, isRead: live.has(entry) });
    if (certain !== undefined || object === undefined) return certain ?? { does: 'delete' };
    const candidate = { entry, stack: stack.stack, managers, succession: successions.get(entry), deleteShared };
    const alone = endingReason(object, candidate);
    const { kept, ...reason } = alone.kept ? alone : endingReason(object, candidate, await contentOf(object));
    return { does: kept ? 'release' : 'delete', ...reason };
  };
  const isInside = ({ entry }: EndingPart) => asContainer(entry) === undefined;
  for (const group of [parts.filter(isInside), parts.filter((part) => !isInside(part))]) {
    await inPool(group, concurrency, async (part) => {
      const { entry } = part;
      const fate = await judge(part).catch((error: unknown): Fate => {
        if (!isOfOneObject(error)) throw error;
        return { does: 'keep', reason: (error as Error).message };
      });
      found.set(entry, fate);
      if (fate.does !== 'delete') ours.delete(deletionKey(entry.uid, entry));
    });
  }
  return found;
}

/** A fate as a question names it. */
export function fateText(entry: InventoryEntry, fates: Fates): string {
  const { does, reason } = fates.get(entry) ?? { does: 'delete' };
  return `${does} ${objectText(entry)}${reason === undefined ? '' : ` (${reason})`}`;
}

/** Undefined where the object is to be deleted, unless it says otherwise. */
function fateByRecord(
  entry: InventoryEntry,
  successions: Successions,
  managers: readonly string[],
  { object, isRead }: { readonly object: JsonObject | undefined; readonly isRead: boolean },
): Fate | undefined {
  if (entry.lifecycle === 'own' && entry.retain) return { does: 'forget' };
  const uid = (object?.metadata as JsonObject | undefined)?.uid;
  if (isRead && (object === undefined || (entry.uid !== undefined && uid !== entry.uid))) return { does: 'forget', reason: 'it is gone' };
  if (entry.lifecycle === 'share') return { does: 'release' };
  const succession = successions.get(entry);
  const inherited = succession && inheritedText(succession, entry);
  if (inherited !== undefined) return { does: 'release', reason: inherited };
  const deletable = entry.deletable || (entry.uid === undefined && object !== undefined && createdBy(object, managers));
  return deletable ? undefined : { does: 'release', reason: adoptedReason };
}
