import { compareUtf8 } from '../../fields/index.js';
import { stringifyExactJson } from '../../util/exact-json.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';

const objectMeta = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
];
const managedFieldsEntry = ['manager', 'operation', 'apiVersion', 'time', 'fieldsType', 'fieldsV1', 'subresource'];

/**
 * A patched object as messages quote it: maps that the patch changed have their members in the order of the alphabet, the others keep
 * the order in which the server writes them. That is known here of metadata; in other places it is the alphabet's, too.
 * Source: observed.
 */
export function patchedText(live: JsonObject, patched: JsonObject): string {
  const { metadata, ...rest } = patched;
  const whole = { ...(sorted(rest) as JsonObject), metadata: shownMetadata(metadata, metadata === live.metadata) };
  return stringifyExactJson(inOrder(whole, sortedNames(whole)));
}

function shownMetadata(metadata: Json | undefined, untouched: boolean): Json | undefined {
  if (!isJsonObject(metadata)) return metadata;
  const { managedFields, ...rest } = metadata;
  const entries = Array.isArray(managedFields) ? (managedFields as readonly JsonObject[]) : [];
  const shown = {
    ...(sorted(rest) as JsonObject),
    ...(managedFields === undefined ? {} : { managedFields: entries.map((entry) => inOrder(entry, managedFieldsEntry)) }),
  };
  return inOrder(shown, untouched ? objectMeta : sortedNames(shown));
}

function inOrder(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => (object[name] === undefined ? [] : [[name, object[name]]]))) as JsonObject;
}

/** A value with the members of all its maps in the order of the alphabet. */
export function sorted(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(sorted);
  return isJsonObject(value)
    ? (Object.fromEntries(sortedNames(value).map((name) => [name, sorted(value[name] as Json)])) as JsonObject)
    : value;
}

function sortedNames(object: JsonObject): string[] {
  return Object.keys(object).toSorted(compareUtf8);
}
