import { type FieldPath, has } from '../../../fields/index.js';
import { type EntryIdentity, recordedFieldsOf } from '../../../ownership/index.js';
import type { JsonObject } from '../../../util/json.js';

/** A map of metadata with names that users choose. */
export type MetadataMap = 'labels' | 'annotations';

/** Returns the path of a label or annotation. */
export function metadataPath(map: MetadataMap, name: string): FieldPath {
  return ['metadata', map, name].map((step) => ({ kind: 'field', name: step }) as const);
}

/** Returns the owners of a label or annotation. */
export function ownersOfName(live: JsonObject, map: MetadataMap, name: string): readonly EntryIdentity[] {
  return recordedFieldsOf(live)
    .filter(({ fields, subresource }) => subresource === '' && has(fields, metadataPath(map, name)))
    .map(({ manager, operation, apiVersion, subresource }) => ({ manager, operation, apiVersion, subresource }));
}
