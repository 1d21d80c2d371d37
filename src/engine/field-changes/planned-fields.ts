import type { PartialObject } from '../../assembly/types.js';
import {
  type FieldPath,
  formatPath,
  type Member,
  membersOf,
  pathCovers,
  resolvePath,
  valueAt,
  valueOrItemsAt,
} from '../../fields/index.js';
import type { FieldConflict } from '../../ownership/index.js';
import { applyEntryOf } from '../../ownership/index.js';
import { isContainer, isEmptyMap, type JsonObject, jsonEqual } from '../../util/json.js';
import { OtherOwners, type OwnerNameResolver } from '../inventory/owner-name-resolver.js';
import type { ObjectReport } from '../report/events.js';
import type { FieldOwner, PlannedField } from '../report/plan-types.js';
import { furtherChanges, toldPaths } from './further-changes.js';
import { releasedFields } from './release-diff.js';
import { rewrittenAt } from './rewritten-fields.js';

/** The changes of owners that the run of an apply makes beside it. */
export interface OwnersInRun {
  /** Former field managers of the stack: they own nothing afterwards. */
  readonly formerManagers?: readonly string[] | undefined;
  /** Returns true for a field that a manager gives up in the run. */
  readonly isLeaving?: ((manager: string, field: string) => boolean) | undefined;
  /** The fields that the stack has claimed just before the apply: it owns them from this run on. */
  readonly claimed?: readonly string[] | undefined;
}

/** An object before and after a dry run of an apply; the same object where it changes nothing. */
export interface DryRunDiff extends OwnersInRun {
  readonly live: JsonObject | undefined;
  readonly after: JsonObject;
  readonly manager: string;
  readonly intent: PartialObject;
  readonly contested: Pick<ObjectReport, 'forcedConflicts' | 'yielded'>;
  readonly names: OwnerNameResolver;
}

/** Returns the changes of an apply, field by field, from the object before and after it and the owners recorded in both. */
export function plannedFields(change: DryRunDiff): PlannedField[] {
  const { live, after, manager, names, contested, intent, formerManagers = [], claimed = [] } = change;
  const others = new OtherOwners(after, manager, names);
  const coOwners = formerManagers.length === 0 ? others : new OtherOwners(after, [manager, ...formerManagers], names);
  const declared = membersByField(after, manager);
  const before = live === after ? declared : membersByField(live, manager);
  const former = formerManagers.map((one) => membersByField(live, one));
  const isOwned = (field: string) => (before.has(field) && !claimed.includes(field)) || former.some((fields) => fields.has(field));
  const forcedPaths = contested.forcedConflicts.map((conflict) => conflict.field);
  const fields = [...declared].flatMap(([field, { path, leaf }]): PlannedField[] => {
    if (!leaf || forcedPaths.some((root) => pathCovers(root, field))) return [];
    return [declaredField(field, path, change, coOwners, isOwned(field))];
  });
  const rows = [
    ...plannedConflicts(contested.forcedConflicts, 'force', change),
    ...plannedConflicts(contested.yielded, 'yield', change),
    ...fields,
  ];
  if (live === undefined || live === after) return rows;
  rows.push(...releasedFields({ live, after, before, declared, intent, forcedPaths, others, manager, names }));
  return [...rows, ...furtherChanges({ live, after, managers: [manager, ...formerManagers], names }, toldPaths(rows))];
}

/** Returns conflicts as the plan shows them: one entry per field with all its owners, and the values of the objects themselves. */
export function plannedConflicts(
  conflicts: readonly FieldConflict[],
  change: 'force' | 'yield' | 'conflict',
  { live, intent, names }: Pick<DryRunDiff, 'live' | 'intent' | 'names'>,
): PlannedField[] {
  return [...new Set(conflicts.map(({ field }) => field))].map((field) => {
    const path = resolvePath(field, intent) ?? resolvePath(field, live);
    const same = conflicts.filter((conflict) => conflict.field === field);
    const owners = same
      .map(({ from, operation, subresource }) =>
        names.resolve({ manager: from, operation, ...(subresource === undefined ? {} : { subresource }) }),
      )
      .sort((left, right) => (left.manager < right.manager ? -1 : 1)); // the server lists them in random order
    const declared = path && valueAt(intent, path);
    // A value that a merge takes as a whole contains more than the declared part.
    const newValue = isContainer(declared) ? same[0]?.newValue : declared;
    const shown = path === undefined ? {} : values(valueOrItemsAt(live, path), newValue);
    return { field, change, ...shown, owners };
  });
}

/** Returns a manager's own members, by path text. */
export function membersByField(object: JsonObject | undefined, manager: string): ReadonlyMap<string, Member> {
  const entry = applyEntryOf(object, manager);
  if (entry === undefined) return new Map();
  return new Map(membersOf(entry.fields).map((member) => [formatPath(member.path), member]));
}

/** Returns the old and the new value of a field, without those that are absent. */
export function values(oldValue: PlannedField['oldValue'], newValue: PlannedField['newValue']) {
  return { ...(oldValue === undefined ? {} : { oldValue }), ...(newValue === undefined ? {} : { newValue }) };
}

function declaredField(
  field: string,
  path: FieldPath,
  { live, after, intent, contested, isLeaving }: DryRunDiff,
  others: OtherOwners,
  wasOwned: boolean,
): PlannedField {
  const oldValue = valueOrItemsAt(live, path);
  // The server does not store each zero whose owner it records (`hostNetwork: false`): absent before and after is the same.
  // A map of which a part is yielded is not compared: the rest of it was sent.
  const isYielded = contested.yielded.some((conflict) => pathCovers(field, conflict.field));
  const rewritten = isYielded ? undefined : rewrittenAt(path, intent, after);
  const newValue = valueAt(after, path) ?? (live === undefined && rewritten === undefined ? valueAt(intent, path) : undefined);
  const shown = { ...values(oldValue, newValue), ...(rewritten === undefined ? {} : { declared: rewritten }) };
  if (oldValue === undefined && (live === undefined || newValue !== undefined)) return { field, change: 'set', ...shown };
  const gained = wasOwned ? {} : ({ gained: true } as const);
  // The server returns an empty list of a Role as null, or not at all.
  const isStillEmpty = (oldValue === null && newValue === undefined) || (isEmptyMap(valueAt(intent, path)) && !isEmptyMap(newValue));
  if (!isStillEmpty && !jsonEqual(oldValue, newValue)) return { field, change: 'change', ...shown, ...gained };
  const stays = ({ manager, operation, subresource }: FieldOwner) =>
    operation === 'Update' || subresource !== undefined || !isLeaving?.(manager, field);
  const owners = others.of(field).filter(stays);
  return owners.length > 0 ? { field, change: 'co-own', ...shown, owners, ...gained } : { field, change: 'same', ...shown, ...gained };
}
