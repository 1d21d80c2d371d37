import { groupOf } from '../../util/api-version.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { StatusError } from '../api/status-error.js';
import type { Representation } from './negotiate.js';

/**
 * Returns a response body as metadata where the client requests it; Tables are made where the resource is known.
 *
 * @throws StatusError 406 for an object where the client requests a list of metadata, and for a list where it requests one object's.
 */
export function projected(body: Json, { projection, kind, apiVersion = '' }: Representation, isCustom: boolean): Json {
  if (projection !== 'metadata' || !isJsonObject(body) || body.kind === 'Status') return body;
  const isList = Array.isArray(body.items);
  if (isList !== (kind === 'PartialObjectMetadataList')) {
    const found = `${isList ? 'is a list' : 'is not a list'} (*${isCustom ? `unstructured.Unstructured${isList ? 'List' : ''}` : goTypeOf(body)})`;
    throw new StatusError(406, 'NotAcceptable', `you requested ${kind}, but the requested object ${found}`);
  }
  if (!isList) return metadataOnly(body, apiVersion);
  const items = (body.items as readonly JsonObject[]).map((item) => metadataOnly(item, apiVersion));
  return { kind: 'PartialObjectMetadataList', apiVersion, metadata: body.metadata, items: items as Json };
}

export function metadataOnly(object: JsonObject, apiVersion: string): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion, metadata: object.metadata };
}

/** Returns the type that the server's messages name for an object or list of a built-in kind, such as `core.ConfigMap`. Source: observed. */
function goTypeOf({ apiVersion, kind }: JsonObject): string {
  const group = groupOf(String(apiVersion));
  const library = group === '' || group === 'events.k8s.io' ? 'core' : group.split('.')[0];
  return `${library}.${String(kind)}`;
}
