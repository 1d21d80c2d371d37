import { managersOf, objectText } from '../../assembly/identity.js';
import type { PartialObject } from '../../assembly/types.js';
import { resolvePath } from '../../fields/index.js';
import type { FieldConflict } from '../../ownership/index.js';
import { type CollateralField, collateralFields, itemsAppliedBy, ownerText } from '../../ownership/index.js';
import { isBuiltIn } from '../../schema/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import { appliedAtomics } from '../apply/topology-change.js';
import type { Step } from '../graph/waves.js';
import { digestOfIntent } from '../inventory/intent-digest.js';
import type { InventoryEntry } from '../inventory/inventory-entry.js';
import type { StackState } from '../inventory/stack-state.js';
import type { LiveBefore } from '../live/live-before.js';
import type { Question } from '../run/question.js';
import { maskField } from '../secrets/secret-masker.js';

/** What the inventory remembers so that a later run knows, without a read, whether it drops an item. */
export type AppliedItems = Pick<InventoryEntry, 'intent' | 'items'>;

export function appliedItems(intent: PartialObject, response: JsonObject, manager: string): AppliedItems {
  return { intent: digestOfIntent(intent), items: [...itemsAppliedBy(response, manager), ...appliedAtomics(intent, response, manager)] };
}

/** Whether an intent may drop what takes along fields of others; where nothing is remembered of what the stack has applied, it may. */
export function mayDropItems(known: InventoryEntry | undefined, object: PartialObject): boolean {
  if (known === undefined || (known.items !== undefined && known.intent === digestOfIntent(object))) return false;
  if (known.items === undefined || known.items.some((item) => resolvePath(item, object) === undefined)) return true;
  return mayContainOwnedFields(object.apiVersion);
}

/** Whether fields that are no items may be parts of others' values, too: the schemas of custom resources change. */
export function mayContainOwnedFields(apiVersion: string): boolean {
  return !isBuiltIn(apiVersion);
}

/** Fields of others that went with a dropped item, by path text and owner: what a person has agreed to. */
export type ApprovedFields = ReadonlySet<string>;

/**
 * Which steps drop items that others keep fields in.
 *
 * @returns by step what goes along; steps that drop items and take nothing along, and those whose object could not be read, have an empty
 *   set, to be looked at again when applied.
 */
export function findCollateral(before: LiveBefore, states: readonly StackState[]): ReadonlyMap<Step, ApprovedFields> {
  const candidates = states.flatMap(({ before, steps }) => steps.filter((step) => mayDropItems(before.entries.get(step.key), step.object)));
  return new Map(
    candidates.flatMap((step): (readonly [Step, ApprovedFields])[] => {
      if (!before.has(step)) return [[step, new Set()]];
      const live = before.get(step);
      const managers = managersOf(step.stack);
      return live === undefined ? [] : [[step, new Set(collateralFields(live, step.object, managers).map(collateralText))]];
    }),
  );
}

/** Nothing but a yes to this very question lets fields of others go. */
export function collateralQuestion(found: ReadonlyMap<Step, ApprovedFields>): Question | undefined {
  const objects = [...found].filter(([, approved]) => approved.size > 0);
  if (objects.length === 0) return undefined;
  return {
    text: 'list items or map entries are no longer declared, and fields of others in them would be removed, too',
    objects: objects.flatMap(([{ intent }, approved]) => [...approved].map((text) => `${objectText(intent)} ${text}`)),
    answeredByPruneSetting: false,
  };
}

/**
 * What goes along with an apply, for the report.
 *
 * @throws FieldwiseError `collateral-removal` where it is more than was agreed to.
 */
export function approvedCollateral(
  live: JsonObject,
  object: PartialObject,
  managers: readonly string[],
  approved: ApprovedFields,
  stackManagers: readonly string[] = managers,
): readonly FieldConflict[] {
  const collateral = collateralFields(live, object, managers, stackManagers);
  const more = collateral.map(collateralText).filter((text) => !approved.has(text));
  if (more.length > 0) {
    throw new FieldwiseError(
      'collateral-removal',
      'resource',
      `Others came to keep fields in what is no longer declared: ${more.join(', ')}`,
      {
        next: 'Nothing of this object was changed. Run again, and it asks.',
      },
    );
  }
  return collateral.map(({ field, owner, oldValue }) => {
    const { manager: from, operation, subresource } = owner;
    const lost = { field, from, operation, ...(subresource ? { subresource } : {}), ...(oldValue === undefined ? {} : { oldValue }) };
    return maskField(lost, object);
  });
}

/** A vanishing field as a question and an agreement name it. */
export function collateralText({ field, owner }: CollateralField): string {
  return `${field} of ${ownerText(owner)}`;
}
