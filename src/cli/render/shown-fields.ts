import type { PlannedField, PlannedObject } from '../../deploy/index.js';
import { isSensitiveField } from '../../engine/report/sensitive-changes.js';
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

interface ShownFields<Field> {
  readonly fields: readonly Field[];
  /** A line for the fields that the stack owns from now on together with the same others, and one for those that the server fills in. */
  readonly folded: readonly string[];
}

/**
 * Returns true for an object by whose deploy somebody loses something, which is blocked, of which a finding warns, or which a reviewer wants to see: what
 * `diff --risky` shows, and `comment --fail-on risky` does not accept.
 */
export function isRisky(object: PlannedObject, recorded = recordPlannedObject(object)): boolean {
  return riskyActions.has(object.action) || reviewed.has(reviewClassOf(recorded));
}

const reviewed: ReadonlySet<ReviewClass> = new Set(['blocked', 'risky', 'seen']);

const riskyActions: ReadonlySet<PlannedObject['action']> = new Set(['blocked', 'delete', 'recreate', 'release']);

/** Returns the fields of an object that have lines of their own, and the lines of the others. */
export function shownFields(object: PlannedObject, { all = false, risky = false }: PlanSelection): ShownFields<PlannedField> {
  const { fields } = object;
  if (risky) return { fields: fields.filter((field) => isJudged(object, field)), folded: [] };
  const shown = fields.filter((field) => !isQuietField(field) || (all && isQuietCoOwnership(field)));
  return all ? { fields: shown, folded: [] } : foldedFields(shown);
}

/** Folds fields of one effect that nobody loses. */
export function foldedFields<Field extends Pick<PlannedField, 'change' | 'oldValue' | 'owners' | 'declared' | 'collateral'>>(
  fields: readonly Field[],
): ShownFields<Field> {
  const groups = new Map<string, Field[]>();
  for (const field of fields) {
    const head = foldHead(field);
    if (head !== undefined) groups.set(head, [...(groups.get(head) ?? []), field]);
  }
  const folded = [...groups].filter(([, group]) => group.length > 1);
  const hidden = new Set(folded.flatMap(([, group]) => group));
  return {
    fields: fields.filter((field) => !hidden.has(field)),
    folded: folded.map(([head, group]) => `${head}: ${pluralize(group.length, 'field')}`),
  };
}

/** Returns true for a field by which an object is risky. */
function isJudged(object: PlannedObject, field: PlannedField): boolean {
  return isLoss(field) || field.change === 'conflict' || field.change === 'rejected' || isSensitiveField(object, field);
}

/** Returns the beginning of the line into which a field is folded: it keeps its value as declared, or had none, and the server fills it in. */
function foldHead({
  change,
  oldValue,
  owners = [],
  declared,
  collateral = [],
}: Parameters<typeof foldedFields>[0][number]): string | undefined {
  if (declared !== undefined || collateral.length > 0) return undefined;
  if (change === 'co-own') return `co-owned with ${ownersText(owners)}`;
  if (change === 'same') return 'owned by this stack from now on, with the same value';
  return change === 'server' && oldValue === undefined && owners.length === 0 ? 'filled in by the server' : undefined;
}
