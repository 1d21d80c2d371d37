import type { FieldConflict } from '../../ownership/index.js';
import { ownerText } from '../../ownership/index.js';
import type { Json } from '../../util/json.js';
import { isJsonObject } from '../../util/json.js';

/** A field that a stack forced, how often in a row and when last. */
export interface Contention {
  /** Path such as `.spec.replicas`. */
  readonly field: string;
  /** The previous owner, such as `kubectl (Update, scale)`. */
  readonly from: string;
  /** The number of times in a row, the last one included. */
  readonly count: number;
  /** The time of the last one (RFC 3339), by the clock of the deploying machine. */
  readonly at: string;
}

/** The number of times in a row that a field may be forced from the same manager before it counts as a fight. */
export const defaultContentionLimit = 3;

/** The maximum number of contended fields that are recorded per object. */
const maxRemembered = 50;

/** Returns the contention to record after another apply of an object; fields that it did not have to take again are forgotten. */
export function contentionAfter(
  now: Date,
  before: readonly Contention[] = [],
  forcedConflicts: readonly FieldConflict[] = [],
): readonly Contention[] {
  return forcedConflicts.slice(0, maxRemembered).map(({ field, from: manager, operation, subresource = '' }) => {
    const from = ownerText({ manager, operation, subresource });
    const last = before.find((one) => one.field === field && one.from === from && isRecent(one, now));
    return { field, from, count: (last?.count ?? 0) + 1, at: now.toISOString() };
  });
}

/**
 * Returns the fields that were taken more than `limit` times in a row from the same manager.
 *
 * @param contention as `contentionAfter` counts it, this apply included.
 */
export function contentionBeyondLimit(contention: readonly Contention[], limit = defaultContentionLimit): readonly Contention[] {
  return contention.filter(({ count }) => count > limit);
}

/** Returns true if a forced conflict still counts towards a fight. */
export function isRecent({ at }: Contention, now: Date): boolean {
  return now.getTime() - Date.parse(at) < contentionWindowHours * 3_600_000;
}

/** Reads recorded contention; unreadable items are left out. */
export function readContention(value: Json | undefined): readonly Contention[] {
  if (!Array.isArray(value)) return [];
  return (value as readonly Json[]).filter(isJsonObject).flatMap(({ field, from, count, at }) => {
    if (typeof field !== 'string' || typeof from !== 'string' || typeof count !== 'number' || typeof at !== 'string') return [];
    return [{ field, from, count, at }];
  });
}

/** Forced conflicts further apart than this do not count as a fight. */
export const contentionWindowHours = 24;
