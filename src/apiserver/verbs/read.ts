import { metadataOf } from '../../fields/object.js';
import type { Json, JsonObject } from '../../util/json.js';
import { type ApiRequest, type ApiResponse, apiResponse } from '../api/request.js';
import { badRequest, notFound } from '../api/status-error.js';
import { withConversions } from '../conversion/conversions.js';
import { decodeStored, readStored } from '../conversion/request-scope.js';
import { type Endpoint, negotiate, type Projection } from '../http/negotiate.js';
import { type Backend, type ObjectTarget, type RequestTarget, targetKey } from '../registry/backend.js';
import { fieldMatcher, nameAndNamespace } from '../registry/field-selector.js';
import { labelMatcher } from '../registry/label-selector.js';
import { checkReadVersion, continueAfter, isWatch, listOptions } from '../registry/list-options.js';
import { storeName } from '../registry/resource.js';
import type { Matcher } from '../registry/selectors.js';
import { isTrue } from '../registry/write-options.js';
import { positionOf } from '../storage/store.js';

/** Refuses a parameter that clients sent long ago. @throws StatusError 400 */
export function refuseExport(query: URLSearchParams): void {
  if (isTrue(query.get('export'))) throw badRequest('the export parameter, deprecated since v1.14, is no longer supported');
}

/** Handles GET of an object. @throws StatusError */
export async function getVerb(backend: Backend, target: ObjectTarget, { query }: ApiRequest): Promise<ApiResponse> {
  refuseExport(query);
  checkReadVersion(backend, query);
  const stored = backend.store.get(targetKey(target));
  if (stored === undefined) throw notFound(target.resource, target.name);
  // A read of any version of the object comes from the cache of the server.
  const fresh = query.get('resourceVersion') !== '0';
  return apiResponse(200, await readStored(backend, target, stored, { fresh }));
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
export async function listVerb(backend: Backend, target: RequestTarget, request: ApiRequest): Promise<ApiResponse> {
  const { objects, metadata } = await listPage(backend, target, request.query);
  return apiResponse(200, listBody(target, negotiate(request, endpointOf(target, request)).projection, objects, metadata));
}

/** Returns the objects that a list request asks for, all of one revision, and the metadata of their list. @throws StatusError */
export async function listPage(
  backend: Backend,
  target: RequestTarget,
  query: URLSearchParams,
): Promise<{ readonly objects: readonly JsonObject[]; readonly metadata: JsonObject }> {
  const { store } = backend;
  const { limit, revision = store.revision, after } = listOptions(backend, query);
  const isSelective = Boolean(query.get('labelSelector') || query.get('fieldSelector'));
  const stored = storedObjects(backend, target, revision);
  const matches = matcherOf(target, query);
  const all = await withConversions(backend, target, () => selectObjects(target, stored, matches));
  const rest = after === undefined ? all : all.filter((object) => listPosition(object, target) > after);
  const objects = limit > 0 ? rest.slice(0, limit) : rest;
  const last = objects.at(-1);
  const more = last !== undefined && objects.length < rest.length;
  const metadata: JsonObject = {
    resourceVersion: String(revision),
    ...(more ? { continue: continueAfter(revision, listPosition(last, target)) } : {}),
    // The server does not count the remaining items of a selective list.
    ...(more && !isSelective ? { remainingItemCount: rest.length - objects.length } : {}),
  };
  return { objects, metadata };
}

/** Returns the position of an object in the collection of a request; within a namespace, only its name. */
function listPosition(object: JsonObject, { resource, namespace }: RequestTarget): string {
  return resource.namespaced && namespace === undefined ? positionOf(object) : String(metadataOf(object).name);
}

/** Returns the objects of a collection as they are stored. */
export function storedObjects({ store }: Backend, target: RequestTarget, revision = store.revision): readonly JsonObject[] {
  const name = storeName(target.resource);
  return revision === store.revision ? store.list(name, target.namespace) : store.listAt(revision, name, target.namespace);
}

/** Returns the matching ones of stored objects, in the version of the request, in a computation of `withConversions`. */
export function selectObjects(target: RequestTarget, stored: readonly JsonObject[], matches: Matcher): readonly JsonObject[] {
  return stored.map((object) => decodeStored(target, object)).filter(matches);
}

/** Returns what decides the representations of a resource. */
export function endpointOf({ resource, name }: RequestTarget, { method, query }: ApiRequest): Endpoint {
  const collection = name === undefined && method === 'GET';
  return { custom: resource.strategy.custom, collection, watch: collection && isWatch(query) };
}

export function listBody(target: RequestTarget, projection: Projection, objects: readonly JsonObject[], metadata: JsonObject): JsonObject {
  // The items of a list of built-in objects are of its kind and do not say so.
  // Tables and metadata are made of whole objects.
  const isWhole = target.resource.strategy.custom || projection !== 'whole';
  const items = isWhole ? objects : objects.map(({ apiVersion: _, kind: __, ...item }) => item);
  return { kind: target.resource.listKind, apiVersion: target.version.apiVersion, metadata, items: items as Json };
}
