import type { PlannedField, PlannedObject } from '../../deploy/index.js';
import { pluralize } from '../../util/pluralize.js';
import { isLoss } from './emphasis.js';
import { ownersText } from './field-text.js';
import { isQuietCoOwnership, isQuietField } from './formats/quiet.js';
import { recordPlannedObject } from './formats/record-planned-object.js';
import { type ReviewClass, reviewClassOf } from './formats/review-class.js';

/** Which part of a plan is printed. */
export interface PlanSelection {
  /** Also unchanged objects, and unchanged fields that others own, too; else they are counted. */
  readonly all?: boolean;
  /** Only what takes, releases, deletes, or blocks, and own fields that a reviewer wants to see; see `sensitiveChanges`. */
  readonly risky?: boolean;
}

interface ShownFields {
  readonly fields: readonly PlannedField[];
  /** A line for the fields that the stack owns from now on together with the same others. */
  readonly folded: readonly string[];
}

/**
 * Returns true for an object by whose deploy somebody loses something, which is blocked, of which a finding warns, or which a reviewer wants to see: what
 * `diff --risky` shows, and `comment --fail-on risky` does not accept.
 */
export function isRisky(object: PlannedObject): boolean {
  return riskyActions.has(object.action) || reviewed.has(reviewClassOf(recordPlannedObject(object)));
}

const reviewed: ReadonlySet<ReviewClass> = new Set(['blocked', 'risky', 'seen']);

const riskyActions: ReadonlySet<PlannedObject['action']> = new Set(['blocked', 'delete', 'recreate', 'release']);

/** Returns the fields of an object that have lines of their own, and the lines of the others. */
export function shownFields({ fields }: PlannedObject, { all = false, risky = false }: PlanSelection): ShownFields {
  if (risky)
    return { fields: fields.filter((field) => isLoss(field) || field.change === 'conflict' || field.change === 'rejected'), folded: [] };
  const shown = fields.filter((field) => !isQuietField(field) || (all && isQuietCoOwnership(field)));
  if (all) return { fields: shown, folded: [] };
  const groups = new Map<string, PlannedField[]>();
  for (const field of shown.filter(isFoldable)) {
    const others = ownersText(field.owners);
    groups.set(others, [...(groups.get(others) ?? []), field]);
  }
  const folded = [...groups].filter(([, group]) => group.length > 1);
  const hidden = new Set(folded.flatMap(([, group]) => group));
  return {
    fields: shown.filter((field) => !hidden.has(field)),
    folded: folded.map(([others, group]) => `co-owned with ${others}: ${pluralize(group.length, 'field')}`),
  };
}

/** Returns true for a field that keeps its value as declared, so that only its owners become more. */
function isFoldable({ change, declared, collateral = [] }: PlannedField): boolean {
  return change === 'co-own' && declared === undefined && collateral.length === 0;
}
