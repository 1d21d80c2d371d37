import { metadataOf } from '../kubernetes/object.js';
import { isJsonObject, type Json, type JsonObject } from '../util/json.js';

/** The object without `metadata.managedFields`. */
export function withoutManagedFields(object: JsonObject): JsonObject {
  const metadata = object.metadata;
  if (!isJsonObject(metadata) || !Object.hasOwn(metadata, 'managedFields')) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}

/** The object with these managedFields; none at all where the list is empty. */
export function withManagedFields(object: JsonObject, entries: readonly Json[]): JsonObject {
  const bare = withoutManagedFields(object);
  return entries.length === 0 ? bare : { ...bare, metadata: { ...metadataOf(bare), managedFields: entries } };
}

/** An annotation, where it has one. */
export function annotationOf(object: JsonObject, name: string): string | undefined {
  const annotations = metadataOf(object).annotations;
  const value = isJsonObject(annotations) && Object.hasOwn(annotations, name) ? annotations[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}
