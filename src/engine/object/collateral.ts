import { managersOf, objectText } from '../../assembly/identity.js';
import type { PartialObject } from '../../assembly/types.js';
import { resolvePath } from '../../fields/index.js';
import type { FieldConflict } from '../../ownership/index.js';
import { type CollateralField, collateralFields, itemsAppliedBy, ownerText } from '../../ownership/index.js';
import { isBuiltIn } from '../../schema/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import type { Step } from '../graph/waves.js';
import type { InventoryEntry } from '../inventory/inventory-entry.js';
import type { LiveBefore } from '../live/live-before.js';
import type { Question } from '../report/question.js';
import type { StackState } from '../run/stack-state.js';
import { maskField } from '../secrets/secret-masker.js';
import { appliedAtomics } from './topology-change.js';

/** The part of an inventory entry from which a later run knows, without a read, whether it drops an item. */
export type AppliedItems = Pick<InventoryEntry, 'intent' | 'items'>;

/** Returns the items to record after an apply, from its response. */
export function appliedItems({ object, digest, stack: { manager } }: Step, response: JsonObject): AppliedItems {
  return { intent: digest, items: [...itemsAppliedBy(response, manager), ...appliedAtomics(object, response, manager)] };
}

/** Returns true if an intent may drop an item with fields of others in it; also where nothing is recorded about the stack's last apply. */
export function mayDropItems(known: InventoryEntry | undefined, { object, digest }: Step): boolean {
  if (known === undefined || (known.items !== undefined && known.intent === digest)) return false;
  if (known.items === undefined || known.items.some((item) => resolvePath(item, object) === undefined)) return true;
  return mayContainOwnedFields(object.apiVersion);
}

/** Returns true if fields other than items may be parts of others' values, too: the schemas of custom resources change. */
export function mayContainOwnedFields(apiVersion: string): boolean {
  return !isBuiltIn(apiVersion);
}

/** Fields of others that are removed with a dropped item, by path text and owner: those that a person has confirmed. */
export type ApprovedFields = ReadonlySet<string>;

/**
 * Finds the steps that drop items in which others own fields.
 *
 * @returns by step, the collateral fields; steps that drop items without collateral, and those whose object could not be read, have an
 * empty set, to be checked again when applied.
 */
export function findCollateral(live: LiveBefore, states: readonly StackState[]): ReadonlyMap<Step, ApprovedFields> {
  const candidates = states.flatMap(({ before, steps }) => steps.filter((step) => mayDropItems(before.entries.get(step.key), step)));
  return new Map(
    candidates.flatMap((step): (readonly [Step, ApprovedFields])[] => {
      if (!live.has(step)) return [[step, new Set()]];
      const object = live.get(step);
      const managers = managersOf(step.stack);
      return object === undefined ? [] : [[step, new Set(collateralFields(object, step.object, managers).map(collateralText))]];
    }),
  );
}

/** Returns the question without whose confirmation no field of others is removed. */
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
 * Requires that an apply removes no fields of others but those that were confirmed, and returns these for the report.
 *
 * @throws FieldwiseError `collateral-removal` if it would remove more.
 */
export function requireApprovedCollateral(
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
      `Others have added fields to items that are no longer declared: ${more.join(', ')}`,
      {
        next: 'This object was not changed. Run again to be asked.',
      },
    );
  }
  return collateral.map(({ field, owner, oldValue }) => {
    const { manager: from, operation, subresource } = owner;
    const lost = { field, from, operation, ...(subresource ? { subresource } : {}), ...(oldValue === undefined ? {} : { oldValue }) };
    return maskField(lost, object);
  });
}

/** Names a collateral field, in a question and in its confirmation. */
export function collateralText({ field, owner }: CollateralField): string {
  return `${field} of ${ownerText(owner)}`;
}
