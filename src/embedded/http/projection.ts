import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import type { ApiRequest } from '../api/request.js';

/** The form in which a client requests objects: whole, or metadata only. */
export type Projection = 'whole' | 'metadata';

/** Reads `Accept: application/json;as=PartialObjectMetadata…`. Source: Kubernetes API concepts, "Metadata-only fetches". */
export function projectionOf(request: ApiRequest): Projection {
  const [first] = (request.headers.accept ?? '').split(',').filter((choice) => !/protobuf|cbor|as=Table/.test(choice));
  return first !== undefined && /;\s*as=PartialObjectMetadata/.test(first) ? 'metadata' : 'whole';
}

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
