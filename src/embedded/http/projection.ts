import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import type { Projection } from './negotiate.js';

/** Returns a response body in the requested form. */
export function projected(body: Json, projection: Projection): Json {
  if (projection === 'whole' || !isJsonObject(body) || body.kind === 'Status') return body;
  if (body.kind === 'PartialObjectMetadataList')
    return { ...body, items: (body.items as readonly JsonObject[]).map((item) => metadataOnly(item)) as Json };
  return isJsonObject(body.metadata) && !Array.isArray(body.items) ? metadataOnly(body) : body;
}

export function metadataOnly(object: JsonObject): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata };
}
