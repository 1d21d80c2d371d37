import { difference, intersection, isEmpty, union } from '../fields/index.js';
import type { JsonObject } from '../util/json.js';
import { Converted } from './converted.js';
import type { Conflict, Managers, VersionedSet } from './managers.js';
import type { MergeRequest } from './merge-request.js';
import { type Comparison, compare, withoutIgnored } from './values/compare.js';
import type { ExplicitEmptyLists } from './values/explicit-empty.js';

export interface OwnershipChange {
  readonly before: Converted;
  readonly after: JsonObject;
  /** Lists of `after` that count as modified although they are equal as JSON. */
  readonly explicitEmptyLists?: ExplicitEmptyLists | undefined;
  readonly managers: Managers;
  readonly force: boolean;
}

export interface ResolvedOwnership {
  readonly managers: Map<string, VersionedSet>;
  /** The changes, in the version of the request. */
  readonly comparison: Comparison;
}

/**
 * Resolves ownership after a change: compares once per version, finds conflicts, takes contested fields from their owners, takes removed
 * fields from all owners, and drops owners without fields. The entry of the requester is kept unchanged.
 *
 * @returns the conflicts instead, if there are any and `force` is false.
 * @throws ConversionError if an owner's version cannot be converted.
 */
export function resolveOwnership(
  request: MergeRequest,
  change: OwnershipChange,
): ResolvedOwnership | { readonly conflicts: readonly Conflict[] } {
  const { requester } = request;
  const after = new Converted(request.kind, change.after);
  const comparisons = new Map<string, Comparison | undefined>();
  const comparisonAt = (apiVersion: string): Comparison | undefined => {
    if (!comparisons.has(apiVersion)) comparisons.set(apiVersion, compareAt(request, change, after, apiVersion));
    return comparisons.get(apiVersion);
  };
  const comparison = comparisonAt(request.apiVersion);
  if (comparison === undefined) throw new Error(`The kind has no schema for ${request.apiVersion}.`);
  const managers = new Map<string, VersionedSet>();
  const conflicts: Conflict[] = [];
  for (const [manager, owned] of change.managers) {
    if (manager === requester) {
      managers.set(manager, owned);
      continue;
    }
    const differs = comparisonAt(owned.apiVersion);
    // Owners of a removed version are dropped with it.
    if (differs === undefined) continue;
    const contested = intersection(owned.set, union(differs.modified, differs.added));
    if (!isEmpty(contested)) conflicts.push({ manager, fields: { ...owned, set: contested } });
    const set = difference(difference(owned.set, contested), differs.removed);
    if (!isEmpty(set)) managers.set(manager, set === owned.set ? owned : { ...owned, set });
  }
  return conflicts.length > 0 && !change.force ? { conflicts } : { managers, comparison };
}

function compareAt(request: MergeRequest, change: OwnershipChange, after: Converted, apiVersion: string): Comparison | undefined {
  const left = change.before.at(apiVersion);
  const right = left && after.at(apiVersion);
  if (left === undefined || right === undefined) return undefined;
  const comparison = compare(left.schema, left.type, left.value, right.value, change.explicitEmptyLists);
  return withoutIgnored(comparison, request.ignored?.(apiVersion));
}
