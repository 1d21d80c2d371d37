import { type FieldSet, parseElement, pathCovers, valueAt } from '../../fields/index.js';
import { managedFieldsOf, recordedFieldsOf } from '../../ownership/index.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../util/json.js';
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
  if (recordedFieldsOf(live).length === 0) return false;
  const sets = managedFieldsOf(live).map(({ fields }) => fields);
  return differsUnowned(live, withoutIdentity(object), sets);
}

/** Returns the values that an apply changed and that nobody owned before, from the object before and after it. */
export function overwrittenIn(
  { live, after }: { readonly live: JsonObject; readonly after: JsonObject },
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
    return [maskField({ field, oldValue, newValue }, live)];
  });
}

/**
 * Returns true if a wanted value differs from an unowned live one.
 *
 * @param sets what each manager owns at this path.
 */
function differsUnowned(live: Json | undefined, wanted: Json, sets: readonly FieldSet[]): boolean {
  if (isJsonObject(live) && isJsonObject(wanted)) {
    return Object.entries(wanted).some(([name, value]) => value !== undefined && differsAt(live[name], value as Json, sets, `f:${name}`));
  }
  if (!Array.isArray(live) || !Array.isArray(wanted)) return live !== undefined && !jsonEqual(live, wanted);
  const items = [...new Set(sets.flatMap(({ children, members }) => [...children.keys(), ...members]))].filter((key) => /^[kv]:/.test(key));
  if (items.length === 0) return !jsonEqual(live, wanted);
  return items.some((key) => {
    const element = parseElement(key);
    const value = element && valueAt(wanted, [element]);
    return element !== undefined && value !== undefined && differsAt(valueAt(live, [element]), value, sets, key);
  });
}

function differsAt(live: Json | undefined, wanted: Json, sets: readonly FieldSet[], key: string): boolean {
  const below = sets.flatMap(({ children }) => children.get(key) ?? []);
  const isOwned = below.length === 0 && sets.some(({ members }) => members.has(key));
  return !isOwned && live !== undefined && differsUnowned(live, wanted, below);
}

/** Returns the intent without the identity of the object, which nobody owns. */
function withoutIdentity({ apiVersion: _, kind: __, metadata, ...rest }: JsonObject): JsonObject {
  const { name: ___, namespace: ____, uid: _____, resourceVersion: ______, ...others } = isJsonObject(metadata) ? metadata : {};
  return { ...rest, metadata: others };
}
