import { type FieldPath, type FieldSet, formatPath, parseElement, pathCovers, valueAt } from '../../fields/index.js';
import { managedFieldsOf, recordedFieldsOf } from '../../ownership/index.js';
import { isEmptyMap, isJsonObject, type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { OtherOwners, type OwnerNameResolver } from '../inventory/owner-name-resolver.js';
import type { OverwrittenField } from '../report/released-field.js';
import { maskField } from '../secrets/secret-masker.js';
import { membersByField } from './planned-fields.js';

/**
 * Returns true if an intent declares another value for a field that has one and no owner. Where no owners are recorded for an object, the
 * server considers all of it owned before the first apply, so that this is a conflict. May be true where the server only rewrites the
 * value; `overwrittenIn` decides by the response.
 */
export function mayOverwrite(live: JsonObject, object: JsonObject): boolean {
  return unownedDifferences(live, object).next().done !== true;
}

/** Returns the values that `mayOverwrite` finds, as they are. */
export function perhapsOverwrittenIn(live: JsonObject, object: JsonObject): readonly Pick<OverwrittenField, 'field' | 'oldValue'>[] {
  return [...unownedDifferences(live, object)].flatMap((path) => {
    const oldValue = valueAt(live, path);
    return oldValue === undefined ? [] : [maskField({ field: formatPath(path), oldValue }, live)];
  });
}

function* unownedDifferences(live: JsonObject, object: JsonObject): Generator<FieldPath> {
  if (recordedFieldsOf(live).length === 0) return;
  const sets = managedFieldsOf(live).map(({ fields }) => fields);
  yield* unownedIn(live, withoutIdentity(object), sets, []);
}

/** Returns the values that an apply changed and that nobody owned before, from the object before and after it. */
export function overwrittenIn(
  { live, after, intent }: { readonly live: JsonObject; readonly after: JsonObject; readonly intent: JsonObject },
  manager: string,
  contested: readonly string[],
  names: OwnerNameResolver,
): readonly OverwrittenField[] {
  const owners = new OtherOwners(live, [], names);
  return [...membersByField(after, manager)].flatMap(([field, { path, leaf }]) => {
    const isContested = contested.some((other) => pathCovers(other, field) || pathCovers(field, other));
    if (!leaf || owners.of(field).length > 0 || isContested) return [];
    const [oldValue, newValue] = [valueAt(live, path), valueAt(after, path)];
    if (oldValue === undefined || newValue === undefined || jsonEqual(oldValue, newValue)) return [];
    if (isEmptyMap(valueAt(intent, path)) && !isEmptyMap(newValue)) return []; // its members are those of others
    return [maskField({ field, oldValue, newValue }, live)];
  });
}

/**
 * Finds the unowned live values from which the wanted ones differ.
 *
 * @param sets what each manager owns at this path.
 */
function* unownedIn(live: Json | undefined, wanted: Json, sets: readonly FieldSet[], path: FieldPath): Generator<FieldPath> {
  if (isJsonObject(live) && isJsonObject(wanted)) {
    for (const [name, value] of Object.entries(wanted)) {
      if (value !== undefined) yield* unownedAt(live[name], value as Json, sets, `f:${name}`, path);
    }
    return;
  }
  const items = [...new Set(sets.flatMap(({ children, members }) => [...children.keys(), ...members]))].filter((key) => /^[kv]:/.test(key));
  if (!Array.isArray(live) || !Array.isArray(wanted) || items.length === 0) {
    if (live !== undefined && !jsonEqual(live, wanted)) yield path;
    return;
  }
  for (const key of items) {
    const element = parseElement(key);
    const value = element && valueAt(wanted, [element]);
    if (element !== undefined && value !== undefined) yield* unownedAt(valueAt(live, [element]), value, sets, key, path);
  }
}

function* unownedAt(live: Json | undefined, wanted: Json, sets: readonly FieldSet[], key: string, path: FieldPath): Generator<FieldPath> {
  const below = sets.flatMap(({ children }) => children.get(key) ?? []);
  const isOwned = below.length === 0 && sets.some(({ members }) => members.has(key));
  const element = parseElement(key);
  if (!isOwned && live !== undefined && element !== undefined) yield* unownedIn(live, wanted, below, [...path, element]);
}

/** Returns the intent without the identity of the object, which nobody owns. */
function withoutIdentity({ apiVersion: _, kind: __, metadata, ...rest }: JsonObject): JsonObject {
  const { name: ___, namespace: ____, uid: _____, resourceVersion: ______, ...others } = isJsonObject(metadata) ? metadata : {};
  return { ...rest, metadata: others };
}
