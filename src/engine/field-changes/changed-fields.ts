import { pathCovers } from '../../fields/index.js';
import type { JsonObject } from '../../util/json.js';
import type { OwnerNameResolver } from '../inventory/owner-name-resolver.js';
import type { ChangedField, ObjectReport } from '../report/events.js';
import type { PlannedField } from '../report/plan-types.js';
import { type SensitiveChange, sensitiveChanges } from '../report/sensitive-changes.js';
import { maskField } from '../secrets/secret-masker.js';
import { type DryRunDiff, type OwnersInRun, plannedFields, values } from './planned-fields.js';

/** An apply that the server has accepted. */
interface AcceptedApply extends Pick<DryRunDiff, 'intent' | 'contested' | keyof OwnersInRun> {
  /** The object after it. */
  readonly after: JsonObject;
  readonly created: boolean;
  /** The object was written by nobody else between its state before and the one after. */
  readonly isExact: boolean;
}

type Changes = Pick<ObjectReport, 'result' | 'forcedConflicts' | 'released' | 'overwritten'>;

/**
 * Returns what an apply set or changed, beside what its report names already, and which of it a reviewer wants to see. Of an
 * object that is new, everything is set; of one that was not read before, no old value is known.
 */
export function changedFields(
  live: JsonObject | undefined,
  { created, isExact, ...applied }: AcceptedApply,
  manager: string,
  { result, forcedConflicts, released = [], overwritten = [] }: Changes,
  names: OwnerNameResolver,
): Pick<ObjectReport, 'changed' | 'notRead' | 'sensitive'> {
  const { intent, after, claimed = [] } = applied;
  if (created) return sensitivePart(intent, 'create', membersSet(intent));
  const isUnchanged = result === 'unchanged' && claimed.length === 0;
  const rows = live === undefined || isUnchanged ? [] : plannedFields({ ...applied, live, manager, names });
  const isTold = (field: string) => overwritten.some((one) => pathCovers(one.field, field));
  const changed = rows.flatMap((row): ChangedField[] => {
    const { field, change, oldValue, newValue, owners } = row;
    if (!isChange(row, isExact) || isTold(field)) return [];
    return [maskField({ field, change, ...values(oldValue, newValue), ...(owners ? { owners } : {}) } as ChangedField, after)];
  });
  const forced = [...forcedConflicts, ...overwritten].map((field) => ({ ...field, change: 'force' as const }));
  const lost = released.flatMap(({ change, ...field }) => (change === 'perhaps' ? [] : [{ ...field, change }]));
  return {
    ...(changed.length > 0 ? { changed } : {}),
    ...(live === undefined && ['updated', 'applied'].includes(result) && forced.length + lost.length === 0 ? { notRead: true } : {}),
    ...sensitivePart(intent, 'update', [...changed, ...forced, ...lost]),
  };
}

/** Returns true for a row that no other member of a report has. Effects of the server are only known between two states with nothing in between. */
function isChange({ change, gained }: PlannedField, isExact: boolean): boolean {
  if (change === 'server' || change === 'reorder') return isExact;
  return change === 'set' || change === 'change' || (gained === true && (change === 'same' || change === 'co-own'));
}

function sensitivePart(
  { apiVersion, kind }: JsonObject,
  action: 'create' | 'update',
  fields: readonly PlannedField[],
): { readonly sensitive?: readonly SensitiveChange[] } {
  const sensitive = sensitiveChanges({ apiVersion: String(apiVersion), kind: String(kind), action, fields });
  return sensitive.length > 0 ? { sensitive } : {};
}

/** Returns what an intent sets of a new object, one row for each part of it. */
function membersSet({ apiVersion: _, kind: __, metadata: ___, ...parts }: JsonObject): readonly PlannedField[] {
  return Object.entries(parts).map(([name, newValue]) => ({
    field: `.${name}`,
    change: 'set',
    ...(newValue === undefined ? {} : { newValue }),
  }));
}
