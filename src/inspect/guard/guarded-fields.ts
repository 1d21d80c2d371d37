import type { PartialObject } from '../../assembly/types.js';
import { mayYield } from '../../engine/apply/conflict-policy.js';
import { rulesFor, withExplicitKeys } from '../../engine/client-side-apply/list-rules.js';
import type { Step } from '../../engine/graph/waves.js';
import {
  compareElements,
  difference,
  type FieldPath,
  type FieldSet,
  formatPath,
  type Member,
  membersOf,
  valueAt,
} from '../../fields/index.js';
import { fieldSetOf, typeAtPath } from '../../merge/index.js';
import { fieldsOfApplied, neverOwned } from '../../ownership/index.js';
import { deduced, predefinedTypes, type RootType } from '../../schema/index.js';
import { isJsonObject } from '../../util/json.js';

/** A field that only the deployer of a stack may change. */
export interface GuardedField {
  readonly path: FieldPath;
  /** The path as conflict messages write it. */
  readonly text: string;
  /** `value`: the whole value at the path; `presence`: only that the item, entry or empty struct exists, because others may own parts of it. */
  readonly compares: 'value' | 'presence';
  /** The estimated cost of its comparison, in units of the server's budget: the lookup of an item in a list of the declared length. */
  readonly cost: number;
}

/**
 * Returns the fields that an intent declares and that others must not change, an item of a list before its own fields: without those
 * that the stack may yield, and without the keys of list items, which the item itself stands for.
 *
 * @param root the type of the kind; undefined if it is unknown, and then every list is one value.
 */
export function guardedFieldsOf({ intent, object }: Pick<Step, 'intent' | 'object'>, root: RootType | undefined): readonly GuardedField[] {
  const { policy } = intent;
  return membersOf(difference(declaredFields(object, policy, root), neverOwned()))
    .filter(({ path }) => !isItemKey(path))
    .map((member): GuardedField => {
      const { path } = member;
      return { path, text: formatPath(path), compares: comparisonOf(member, object, root), cost: costOf(path, object) };
    })
    .filter(({ text }) => !mayYield(text, policy))
    .sort((left, right) => comparePaths(left.path, right.path));
}

function comparePaths(left: FieldPath, right: FieldPath): number {
  for (const [index, element] of left.entries()) {
    const other = right[index];
    const order = other === undefined ? 1 : compareElements(element, other);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** The schema of kinds without a known type. */
const withoutTypes = { types: new Map(predefinedTypes) };

function declaredFields(object: PartialObject, { strategy, listKeys }: Step['intent']['policy'], root: RootType | undefined): FieldSet {
  if (strategy === 'dynamic') return fieldsOfApplied(withExplicitKeys(object, object, rulesFor(listKeys, root)));
  return root === undefined ? fieldSetOf(withoutTypes, deduced, object) : fieldSetOf(root.schema, root.type, object);
}

function costOf(path: FieldPath, object: PartialObject): number {
  const list = path.at(-1)?.kind === 'field' ? undefined : valueAt(object, path.slice(0, -1));
  return costOfField + (Array.isArray(list) ? list.length * costOfItem : 0);
}

/** Estimates on the safe side: the reads of both states of a field, and two comparisons with one item in both states of a list. */
const costOfField = 20;
const costOfItem = 32;

function comparisonOf({ path, leaf }: Member, object: PartialObject, root: RootType | undefined): GuardedField['compares'] {
  if (path.at(-1)?.kind !== 'field' || !leaf) return 'presence';
  const value = valueAt(object, path);
  const isEmptyStruct = isJsonObject(value) && Object.keys(value).length === 0;
  return isEmptyStruct && (root === undefined || typeAtPath(root, path)?.map?.relation !== 'atomic') ? 'presence' : 'value';
}

/** Returns true for a key of an item of a map list. */
function isItemKey(path: FieldPath): boolean {
  const [item, last] = path.slice(-2);
  return last?.kind === 'field' && item?.kind === 'key' && item.keys.some(([name]) => name === last.name);
}
