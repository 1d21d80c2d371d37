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
 * Returns a patched object as error messages quote it: the members of changed maps are sorted, others are in the order of the Go struct.
 * That order is known for metadata only; all other maps are sorted. Source: observed.
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

/** Returns a value with the members of all its maps sorted. */
export function sorted(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(sorted);
  return isJsonObject(value)
    ? (Object.fromEntries(sortedNames(value).map((name) => [name, sorted(value[name] as Json)])) as JsonObject)
    : value;
}

function sortedNames(object: JsonObject): string[] {
  return Object.keys(object).toSorted(compareUtf8);
}
