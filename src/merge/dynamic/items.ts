import { formatPath, type PathElement, serializeElement } from '../../fields/index.js';
import { FieldwiseError } from '../../util/error.js';
import { isJsonObject, type Json } from '../../util/json.js';
import type { ListRule } from './list-rules.js';

/** The rule that distinguishes items of an associative list. */
export type ItemRule = Exclude<ListRule, { readonly type: 'atomic' }>;

/** An item and the path element that names it; undefined if no rule distinguishes it. */
export interface Item {
  readonly element: PathElement | undefined;
  readonly value: Json;
}

/** Items of a list by the text of their elements, in order. */
export type Items = ReadonlyMap<string, readonly Item[]>;

/**
 * Returns the items of several versions of a list, the live one last, each with its element. Servers fill in defaults: an item that omits a
 * key without a known default is identified with the live item that agrees in its other keys, if exactly one such item is not named by the
 * item's own list; a live item is identified with an item of another list in the same way.
 */
export function itemsOfSides(rule: ItemRule, sides: readonly (readonly Json[])[]): readonly (readonly Item[])[] {
  const named = sides.map((items) => items.map((value) => ({ value, element: elementOf(rule, value) })));
  if (rule.type === 'set') return named;
  const complete = named.map(
    (items) => new Map(items.flatMap(({ element }) => (isComplete(rule, element) ? [[elementText(element), element]] : []))),
  );
  const live = complete.at(-1) as ReadonlyMap<string, PathElement>;
  const others = new Map(complete.slice(0, -1).flatMap((elements) => [...elements]));
  return named.map((items, side) => {
    const own = complete[side] as ReadonlyMap<string, PathElement>;
    const candidates = [...(own === live ? others : live)].filter(([text]) => !own.has(text)).map(([, element]) => element);
    return items.map((item) => {
      const { element } = item;
      if (element?.kind !== 'key' || isComplete(rule, element)) return item;
      const fitting = candidates.filter((candidate) => agrees(element, candidate));
      return fitting.length === 1 ? { ...item, element: fitting[0] } : item;
    });
  });
}

function elementOf(rule: ItemRule, item: Json): PathElement | undefined {
  if (rule.type === 'set') return typeof item === 'object' ? undefined : { kind: 'value', value: item };
  if (!isJsonObject(item)) return undefined;
  const keys = rule.keys.flatMap((name): (readonly [string, Json])[] => {
    const value = (Object.hasOwn(item, name) ? item[name] : undefined) ?? rule.defaults?.[name];
    return value === undefined || value === null || typeof value === 'object' ? [] : [[name, value]];
  });
  return keys.length > 0 ? { kind: 'key', keys } : undefined;
}

function isComplete(rule: ItemRule, element: PathElement | undefined): element is PathElement {
  return rule.type === 'map' && element?.kind === 'key' && element.keys.length === rule.keys.length;
}

function agrees(partial: PathElement, other: PathElement): boolean {
  if (partial.kind !== 'key' || other.kind !== 'key') return false;
  return partial.keys.every(([name, value]) => other.keys.some(([key, its]) => key === name && its === value));
}

/** Returns the text under which an item is looked up. */
export function elementText(element: PathElement | undefined): string {
  return element === undefined ? '' : serializeElement(element);
}

/** Returns items by element; items without one are omitted. */
export function byElement(items: readonly Item[]): Items {
  const result = new Map<string, Item[]>();
  for (const item of items) {
    if (item.element === undefined) continue;
    const text = elementText(item.element);
    const known = result.get(text);
    if (known === undefined) result.set(text, [item]);
    else known.push(item);
  }
  return result;
}

/**
 * Checks that declared items are distinguishable, because a merge of ambiguous items could overwrite the wrong one.
 *
 * @throws FieldwiseError `list-item-ambiguous`.
 */
export function requireUnambiguous(rule: ItemRule, items: readonly Item[], field: string): void {
  const seen = new Set<string>();
  for (const { element } of items) {
    const keys = rule.type === 'map' ? rule.keys.join(', ') : 'its value';
    if (element === undefined) throw ambiguous(`An item of ${field} lacks the key that identifies it: ${keys}`, field);
    const text = elementText(element);
    if (rule.type === 'map' && seen.has(text)) throw ambiguous(`Two items of ${field} are both ${formatPath([element])}`, field);
    seen.add(text);
  }
}

function ambiguous(what: string, field: string): FieldwiseError {
  return new FieldwiseError('list-item-ambiguous', 'usage', what, {
    location: { field },
    next: 'Correct the items, or set `listKeys` of the policy to the fields that identify them (`atomic` if none do).',
  });
}
