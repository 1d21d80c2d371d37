import { metadataOf } from '../fields/object.js';
import { isJsonObject, type Json, type JsonObject } from '../util/json.js';

/** Returns the object without `metadata.managedFields`. */
export function withoutManagedFields(object: JsonObject): JsonObject {
  const metadata = object.metadata;
  if (!isJsonObject(metadata) || !Object.hasOwn(metadata, 'managedFields')) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}

/** Returns the object with these managedFields; without the member if the list is empty. */
export function withManagedFields(object: JsonObject, entries: readonly Json[]): JsonObject {
  const bare = withoutManagedFields(object);
  return entries.length === 0 ? bare : { ...bare, metadata: { ...metadataOf(bare), managedFields: entries } };
}

/** Returns an annotation of an object, if it has one. */
export function annotationOf(object: JsonObject, name: string): string | undefined {
  const annotations = metadataOf(object).annotations;
  const value = isJsonObject(annotations) && Object.hasOwn(annotations, name) ? annotations[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}
