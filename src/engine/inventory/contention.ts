import type { FieldConflict } from '../../ownership/index.js';
import { ownerText } from '../../ownership/index.js';
import type { Json } from '../../util/json.js';
import { isJsonObject } from '../../util/json.js';
/** A field that a stack took by force, how often in a row and when last. */
export interface Contention {
  readonly field: string;
  /** The loser, such as `kubectl (Update, scale)`. */
  readonly from: string;
  readonly count: number;
  /** RFC 3339, of the clock of whoever deployed. */
  readonly at: string;
}

/** How often in a row a field may be taken from the same manager before it counts as a fight. */
export const defaultContentionLimit = 3;

/** What is remembered of one object, at most. */
const maxRemembered = 50;

/** What is remembered of the takes of an object after another apply of it; what it did not have to take again is forgotten. */
export function contentionAfter(
  before: readonly Contention[] = [],
  forcedConflicts: readonly FieldConflict[] = [],
  now = new Date(),
): readonly Contention[] {
  return forcedConflicts.slice(0, maxRemembered).map(({ field, from: manager, operation, subresource = '' }) => {
    const from = ownerText({ manager, operation, subresource });
    const last = before.find((take) => take.field === field && take.from === from && isRecent(take, now));
    return { field, from, count: (last?.count ?? 0) + 1, at: now.toISOString() };
  });
}

/**
 * The fields of which an apply was one more than `limit` takes in a row from the same manager.
 *
 * @param contention as `takesAfter` counts them, this apply included.
 */
export function contentionBeyondLimit(contention: readonly Contention[], limit = defaultContentionLimit): readonly Contention[] {
  return contention.filter(({ count }) => count > limit);
}

export function isRecent({ at }: Contention, now: Date): boolean {
  return now.getTime() - Date.parse(at) < contentionWindowHours * 3_600_000;
}

/** Reads what an inventory remembers; what cannot be read is left out. */
export function readContention(value: Json | undefined): readonly Contention[] {
  if (!Array.isArray(value)) return [];
  return (value as readonly Json[]).filter(isJsonObject).flatMap(({ field, from, count, at }) => {
    if (typeof field !== 'string' || typeof from !== 'string' || typeof count !== 'number' || typeof at !== 'string') return [];
    return [{ field, from, count, at }];
  });
}

/** Takes further apart than this are no fight. */
export const contentionWindowHours = 24;
