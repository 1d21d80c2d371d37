import type { ObjectReport, PlannedObject } from '../../src/deploy/index.js';
import { pathCovers } from '../../src/fields/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../src/util/json.js';

/** A field in a plan or a record: the effect, and the values. */
export type Row = readonly [effect: string, field: string, oldValue: Json | undefined, newValue: Json | undefined];

export function rowsOfPlan({ fields }: PlannedObject): readonly Row[] {
  return inOrder(
    fields
      .filter(({ change, gained }) => gained || !['same', 'co-own'].includes(change))
      .map(({ change, field, oldValue, newValue }) => row(change, field, oldValue, newValue)),
  );
}

/** Without what an earlier run has done. */
export function rowsOfRecord({ forcedConflicts, yielded, released = [], overwritten = [], changed = [] }: ObjectReport): readonly Row[] {
  const ofThisRun = forcedConflicts.filter((conflict) => !conflict.earlier);
  const forced = [...new Map(ofThisRun.map((conflict) => [conflict.field, conflict])).values()];
  return inOrder([
    ...forced.map(({ field, oldValue, newValue }) => row('force', field, oldValue, newValue)),
    ...[...new Map(yielded.map((left) => [left.field, left])).values()].map(({ field, value, declared }) =>
      row('yield', field, value, declared),
    ),
    ...released.filter(({ earlier }) => !earlier).map(({ change, field, oldValue, newValue }) => row(change, field, oldValue, newValue)),
    ...overwritten.filter(({ earlier }) => !earlier).map(({ field, oldValue, newValue }) => row('change', field, oldValue, newValue)),
    ...changed.map(({ change, field, oldValue, newValue }) => row(change, field, oldValue, newValue)),
  ]);
}

/** The value that the server chooses may be another one in the dry run. */
function row(effect: string, field: string, oldValue?: Json, newValue?: Json): Row {
  return [effect, field, oldValue, effect === 'server' && field.endsWith('.nodePort') ? 'chosen' : newValue];
}

function inOrder(rows: readonly Row[]): readonly Row[] {
  return [...rows].sort(([, left, ...one], [, right, ...other]) =>
    `${left} ${JSON.stringify(one)}`.localeCompare(`${right} ${JSON.stringify(other)}`),
  );
}

const itemKeys: readonly (readonly string[])[] = [['name'], ['port', 'protocol']];

/** Parts that the server keeps for itself, and the product: the intent of the strategy `dynamic`. */
const leftOut = /^\.(status|metadata\.(managedFields|resourceVersion|generation|annotations\.applied\.fieldwise\.dev\/))/;

/** Returns each value of an object by its path, and the order of the items of each list: without the code of the product. */
function valuesOf(value: Json | undefined, path = '', found = new Map<string, string>()): ReadonlyMap<string, string> {
  if (isJsonObject(value)) {
    for (const [name, part] of Object.entries(value)) {
      if (!leftOut.test(`${path}.${name}`)) valuesOf(part as Json, `${path}.${name}`, found);
    }
    return found;
  }
  const items = Array.isArray(value) ? (value as readonly Json[]).filter(isJsonObject) : [];
  const keys = path.endsWith('.ports') ? itemKeys[1]! : itemKeys[0]!;
  if (items.length === 0 || !items.every((item) => keys.every((key) => item[key] !== undefined)))
    return found.set(path, JSON.stringify(value));
  const names = items.map((item) => `[${keys.map((key) => `${key}=${JSON.stringify(item[key])}`).join(',')}]`);
  if (new Set(names).size < names.length) return found.set(path, JSON.stringify(value));
  found.set(`${path} order`, JSON.stringify(names));
  for (const [index, name] of names.entries()) valuesOf(items[index], `${path}${name}`, found);
  return found;
}

/** Returns the changes that a record does not tell, and those that it tells and that did not happen. */
export function untrue(before: JsonObject, after: JsonObject, rows: readonly Row[]): readonly string[] {
  const [old, now] = [valuesOf(before), valuesOf(after)];
  const differing = [...new Set([...old.keys(), ...now.keys()])].filter((path) => old.get(path) !== now.get(path));
  const values = differing.filter((path) => !path.endsWith(' order'));
  const isMet = (field: string, path: string) => pathCovers(field, path) || pathCovers(path, field);
  const untold = values.filter((path) => !rows.some(([effect, field]) => effect !== 'yield' && isMet(field, path)));
  const lists = differing.filter((path) => path.endsWith(' order')).filter((path) => isReordered(old.get(path), now.get(path)));
  const untoldOrders = lists.filter((path) => !rows.some(([, field]) => field === path.slice(0, -' order'.length)));
  const invented = rows.filter(([effect, field, oldValue, newValue]) => {
    if (effect === 'reorder') return !lists.includes(`${field} order`) && !values.includes(field);
    // The server does not store each empty value whose owner it records, and this observer does not see them.
    if (effect === 'yield' || JSON.stringify(oldValue ?? 0) === JSON.stringify(newValue || 0)) return false;
    if ([oldValue, newValue].every((value) => ['{}', '[]', 'null'].includes(JSON.stringify(value ?? null)))) return false;
    return !values.some((path) => isMet(field, path));
  });
  return [
    ...[...untold, ...untoldOrders].map((path) => `not told: ${path}, ${old.get(path)} → ${now.get(path)}`),
    ...invented.map((one) => `did not happen: ${JSON.stringify(one)}`),
  ];
}

function isReordered(before = '[]', after = '[]'): boolean {
  const [old, now] = [JSON.parse(before) as string[], JSON.parse(after) as string[]];
  return JSON.stringify(old.filter((name) => now.includes(name))) !== JSON.stringify(now.filter((name) => old.includes(name)));
}
