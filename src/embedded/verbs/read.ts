import { metadataOf } from '../../kubernetes/object.js';
import type { Json, JsonObject } from '../../util/json.js';
import { type ApiRequest, type ApiResponse, apiResponse } from '../api/request.js';
import { badRequest, notFound, StatusError } from '../api/status-error.js';
import { type Projection, projectionOf } from '../http/projection.js';
import { type Backend, keyOf, type ObjectTarget, type RequestTarget } from '../registry/backend.js';
import { fieldMatcher, nameAndNamespace } from '../registry/field-selector.js';
import { labelMatcher } from '../registry/label-selector.js';
import { decodeStored } from '../registry/request-scope.js';
import { storeName } from '../registry/resource.js';
import type { Matcher } from '../registry/selectors.js';
import { wholeNumber } from '../registry/write-options.js';

export function getVerb(backend: Backend, target: ObjectTarget): ApiResponse {
  const stored = backend.store.get(keyOf(target));
  if (stored === undefined) throw notFound(target.resource, target.name);
  return apiResponse(200, decodeStored(target, stored));
}

/** Returns a matcher for the selectors of a list or watch. @throws StatusError 400 */
export function matcherOf({ version }: RequestTarget, query: URLSearchParams): Matcher {
  const labels = query.get('labelSelector') ? labelMatcher(query.get('labelSelector') as string) : undefined;
  const fields = query.get('fieldSelector')
    ? fieldMatcher(query.get('fieldSelector') as string, version.selectable ?? nameAndNamespace)
    : undefined;
  return (object) => (labels?.(object) ?? true) && (fields?.(object) ?? true);
}

/** Handles GET of a collection. Source: Kubernetes documentation "Kubernetes API Concepts", "Retrieving large results sets in chunks". */
export function listVerb(backend: Backend, target: RequestTarget, request: ApiRequest): ApiResponse {
  const { query } = request;
  const limit = wholeNumber(query, 'limit') ?? 0;
  const page = query.get('continue') ? decodeContinue(query.get('continue') as string) : undefined;
  const isSelective = Boolean(query.get('labelSelector') || query.get('fieldSelector'));
  const matches = matcherOf(target, query);
  const all = selectObjects(backend, target, matches);
  const rest = page === undefined ? all : all.filter((object) => positionOf(object) > page.after);
  const shown = limit > 0 ? rest.slice(0, limit) : rest;
  const revision = page?.revision ?? backend.store.revision;
  const last = shown.at(-1);
  const more = last !== undefined && shown.length < rest.length;
  const metadata: JsonObject = {
    resourceVersion: String(revision),
    ...(more ? { continue: encodeContinue({ revision, after: positionOf(last) }) } : {}),
    // The server does not count the remaining items of a selective list.
    ...(more && !isSelective ? { remainingItemCount: rest.length - shown.length } : {}),
  };
  return apiResponse(200, listBody(target, projectionOf(request), shown, metadata));
}

/** Returns the matching objects of a collection, in the version of the request. */
export function selectObjects(backend: Backend, target: RequestTarget, matches: Matcher): readonly JsonObject[] {
  return backend.store
    .list(storeName(target.resource), target.namespace)
    .map((stored) => decodeStored(target, stored))
    .filter(matches);
}

export function listBody(target: RequestTarget, projection: Projection, objects: readonly JsonObject[], metadata: JsonObject): JsonObject {
  if (projection === 'metadata')
    return { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata, items: objects as Json };
  return { kind: target.resource.listKind, apiVersion: target.version.apiVersion, metadata, items: objects as Json };
}

interface ContinueToken {
  readonly revision: number;
  readonly after: string;
}

function positionOf(object: JsonObject): string {
  const { namespace = '', name } = metadataOf(object);
  return `${namespace}/${name}`;
}

function encodeContinue(page: ContinueToken): string {
  return Buffer.from(JSON.stringify(page)).toString('base64url');
}

function decodeContinue(token: string): ContinueToken {
  try {
    const page = JSON.parse(Buffer.from(token, 'base64url').toString('utf8')) as ContinueToken;
    if (typeof page.after === 'string' && typeof page.revision === 'number') return page;
  } catch (error) {
    if (error instanceof StatusError) throw error;
  }
  throw badRequest('continue key is not valid');
}
