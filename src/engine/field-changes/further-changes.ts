import { type FieldPath, type FieldSet, formatPath, itemNames, parseElement, valueAt } from '../../fields/index.js';
import { isAppliedAnnotation, recordedFieldsOf } from '../../ownership/index.js';
import { stringifyExactJson } from '../../util/exact-json.js';
import { isEmptyMap, isJsonObject, isList, type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { OtherOwners, type OwnerNameResolver } from '../inventory/owner-name-resolver.js';
import type { PlannedField } from '../report/plan-types.js';

/** An object before and after a write. */
interface Write {
  readonly live: JsonObject;
  readonly after: JsonObject;
  readonly managers: readonly string[];
  readonly names: OwnerNameResolver;
}

/** A part in which both states differ. */
interface Difference {
  readonly path: FieldPath;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
  /** The same items stand in another order; both values are these items' names. */
  readonly isOrder: boolean;
}

/**
 * Returns what a write changed beside the fields that its own rows name: what the server sets, changes or removes, by its defaults, its validation or
 * admission, and new orders of lists. Status and what each write changes are left out.
 *
 * @param told the paths of the other rows, and of what they say about others.
 */
export function furtherChanges({ live, after, managers, names }: Write, told: readonly string[]): readonly PlannedField[] {
  const rows = new ToldFields(told);
  const sets = [live, after].flatMap((object) => recordedFieldsOf(object).map(({ fields }) => fields));
  const owners = new OtherOwners(live, managers, names);
  return [...differencesIn(comparable(live), comparable(after), sets, [], rows)].map(({ path, isOrder, before, after: now }) => {
    const field = formatPath(path);
    const values = { ...(before === undefined ? {} : { oldValue: before }), ...(now === undefined ? {} : { newValue: now }) };
    if (isOrder) return { field, change: 'reorder', ...values };
    const others = owners.around(field);
    return { field, change: 'server', ...values, ...(others.length > 0 ? { owners: others } : {}) };
  });
}

/** Where a part of a path may begin; within the keys of an item, too, which names no field. */
const partStarts = /[.[]/g;

/** The fields of rows, as paths of the object are written: looked up, because an object may have tens of thousands. */
class ToldFields {
  readonly #fields = new Set<string>();
  readonly #above = new Set<string>();

  constructor(fields: readonly string[]) {
    for (const field of fields) {
      this.#fields.add(field);
      for (const { index } of field.matchAll(partStarts)) if (index > 0) this.#above.add(field.slice(0, index));
    }
  }

  has(field: string): boolean {
    return this.#fields.has(field);
  }

  /** Returns true if a row names a part of the field. */
  hasBelow(field: string): boolean {
    return this.#above.has(field);
  }
}

/** Returns the paths of which rows say that they change, with those of others that are removed along. */
export function toldPaths(rows: readonly PlannedField[]): readonly string[] {
  const changing = rows.filter(({ change }) => change !== 'same' && change !== 'co-own');
  return changing.flatMap(({ field, collateral = [] }) => [field, ...collateral.map((lost) => lost.field)]);
}

/** Leaves out what each write changes, what is not part of an intent, and what this product keeps in the object for itself. */
function comparable({ apiVersion: _, kind: __, status: ___, metadata, ...rest }: JsonObject): JsonObject {
  const {
    managedFields: _m,
    resourceVersion: _r,
    generation: _g,
    uid: _u,
    annotations,
    ...others
  } = isJsonObject(metadata) ? metadata : {};
  const named = isJsonObject(annotations) ? Object.entries(annotations).filter(([name]) => !isAppliedAnnotation(name)) : [];
  return { ...rest, metadata: { ...others, ...(named.length > 0 ? { annotations: Object.fromEntries(named) } : {}) } };
}

/** Finds the outermost parts that differ, and of which no row tells. */
function* differencesIn(
  before: Json | undefined,
  after: Json | undefined,
  sets: readonly FieldSet[],
  path: FieldPath,
  told: ToldFields,
): Generator<Difference> {
  if (before === after || jsonEqual(before, after)) return;
  const field = formatPath(path);
  const isTold = told.has(field);
  const below = (key: string) => sets.flatMap(({ children }) => children.get(key) ?? []);
  const isKeyed = [before, after].every((value) => value === undefined || isList(value)) && sets.some(hasItems);
  if (isTold && !isKeyed) return;
  const isWhole = before === undefined || after === undefined;
  if (isWhole && !isTold && !told.hasBelow(field)) {
    if (!isEmptyValue(before) || !isEmptyValue(after)) yield { path, before, after, isOrder: false };
    return;
  }
  if (isMapOrNone(before) && isMapOrNone(after)) {
    for (const name of new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])) {
      const key = `f:${name}`;
      yield* differencesIn(before?.[name], after?.[name], below(key), [...path, parseElement(key)], told);
    }
    return;
  }
  if (!isKeyed) {
    yield orderOrValue(path, before, after);
    return;
  }
  yield* itemDifferences(before as readonly Json[] | undefined, after as readonly Json[] | undefined, { sets, path, told, isTold });
}

/** Compares lists of which the owners name the items. */
function* itemDifferences(
  before: readonly Json[] = [],
  after: readonly Json[] = [],
  {
    sets,
    path,
    told,
    isTold,
  }: { readonly sets: readonly FieldSet[]; readonly path: FieldPath; readonly told: ToldFields; readonly isTold: boolean },
): Generator<Difference> {
  const [old, now] = [namesOf(before, sets), namesOf(after, sets)];
  if (!isTold) {
    for (const key of new Set([...old.named, ...now.named])) {
      const element = parseElement(key);
      const below = sets.flatMap(({ children }) => children.get(key) ?? []);
      yield* differencesIn(valueAt(before, [element]), valueAt(after, [element]), below, [...path, element], told);
    }
    const [oldOthers, others] = [old, now].map((items) => untoldItems(items, path, told)) as [readonly Json[], readonly Json[]];
    if (!jsonEqual(oldOthers, others)) yield orderOrValue(path, oldOthers, others);
  }
  const [stayed, stays] = [old.named.filter((key) => now.named.includes(key)), now.named.filter((key) => old.named.includes(key))];
  if (!jsonEqual(stayed, stays)) yield { path, before: stayed.map(itemLabel), after: stays.map(itemLabel), isOrder: true };
}

/** Returns the items that no owner names, without those that have the keys of one of which a row tells: it stands in the list more than once. */
function untoldItems({ named, unnamed }: ListItems, path: FieldPath, told: ToldFields): readonly Json[] {
  const keyed = named.map(parseElement).find(({ kind }) => kind === 'key');
  if (keyed?.kind !== 'key') return unnamed;
  return unnamed.filter((item) => {
    if (!isJsonObject(item)) return true;
    const keys = keyed.keys.map(([name]) => [name, item[name] ?? null] as const);
    return !told.has(formatPath([...path, { kind: 'key', keys }]));
  });
}

interface ListItems {
  readonly named: readonly string[];
  readonly unnamed: readonly Json[];
}

/** Returns the items of a list in their order: the names of those that an owner names, and the others. */
function namesOf(items: readonly Json[], sets: readonly FieldSet[]): ListItems {
  const names = new Map(sets.flatMap((set) => [...itemNames(items, set)]).filter(([, name]) => isItemName(name)));
  return {
    named: [...names].sort(([left], [right]) => left - right).map(([, name]) => name),
    unnamed: items.filter((_, index) => !names.has(index)),
  };
}

function hasItems({ members, children }: FieldSet): boolean {
  return [...members, ...children.keys()].some(isItemName);
}

function isItemName(name: string): boolean {
  return name.startsWith('k:') || name.startsWith('v:');
}

/** Returns what names an item for a reader: its key, its keys, or the item itself. */
function itemLabel(name: string): Json {
  const element = parseElement(name);
  if (element.kind === 'value') return element.value;
  if (element.kind !== 'key') return name;
  const [first, ...others] = element.keys;
  return others.length === 0 && first !== undefined ? first[1] : (Object.fromEntries(element.keys) as JsonObject);
}

/** A list that owners see as one value: with the same items, it is only their order that changed. */
function orderOrValue(path: FieldPath, before: Json | undefined, after: Json | undefined): Difference {
  const sorted = (items: readonly Json[]) => items.map((item) => stringifyExactJson(item)).sort();
  const isOrder = isList(before) && isList(after) && before.length === after.length && jsonEqual(sorted(before), sorted(after));
  return { path, before, after, isOrder };
}

function isMapOrNone(value: Json | undefined): value is JsonObject | undefined {
  return value === undefined || isJsonObject(value);
}

/** The server returns an empty value as such, as null, or not at all. */
function isEmptyValue(value: Json | undefined): boolean {
  return value === undefined || value === null || isEmptyMap(value) || (isList(value) && value.length === 0);
}
