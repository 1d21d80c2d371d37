import { metadataOf } from '../../../fields/object.js';
import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';

/**
 * Returns true if the managedFields of two objects that are equal as JSON also have their fields in the same order. A built-in object
 * stores FieldsV1 as text, and the scale subresource writes it in a different order than all other requests. Source: observed.
 */
export function sameFieldsOrder(left: JsonObject, right: JsonObject): boolean {
  const [before, after] = [fieldsOf(left), fieldsOf(right)];
  return before.every((fields, index) => sameOrder(fields, after[index]));
}

function fieldsOf(object: JsonObject): readonly (Json | undefined)[] {
  const entries = metadataOf(object).managedFields;
  return Array.isArray(entries) ? (entries as readonly Json[]).map((entry) => (isJsonObject(entry) ? entry.fieldsV1 : undefined)) : [];
}

function sameOrder(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right || !isJsonObject(left) || !isJsonObject(right)) return true;
  const [names, others] = [Object.keys(left), Object.keys(right)];
  return names.every((name, index) => name === others[index] && sameOrder(left[name], right[name]));
}
