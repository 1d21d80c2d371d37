import type { Json, JsonObject } from '../../util/json.js';
import { badRequest, Failure, notFound } from '../api/failure.js';
import { type ApiRequest, type ApiResponse, answer } from '../api/request.js';
import { type Backend, keyOf, type NamedTarget, type Target } from '../registry/backend.js';
import { wholeNumber } from '../registry/options.js';
import { type Projection, projectionOf } from '../registry/projection.js';
import { storeName } from '../registry/resource.js';
import { readFor } from '../registry/scope.js';
import { fieldMatcher, labelMatcher, type Matcher } from '../registry/selectors.js';

export function getVerb(backend: Backend, target: NamedTarget): ApiResponse {
  const stored = backend.store.get(keyOf(target));
  if (stored === undefined) throw notFound(target.resource, target.name);
  return answer(200, readFor(target, stored));
}

/** What a list or watch selects. */
export function matcherOf(query: URLSearchParams): Matcher {
  const labels = query.get('labelSelector') ? labelMatcher(query.get('labelSelector') as string) : undefined;
  const fields = query.get('fieldSelector') ? fieldMatcher(query.get('fieldSelector') as string) : undefined;
  return (object) => (labels?.(object) ?? true) && (fields?.(object) ?? true);
}

/** Source: Kubernetes documentation "Kubernetes API Concepts", "Retrieving large results sets in chunks". */
export function listVerb(backend: Backend, target: Target, request: ApiRequest): ApiResponse {
  const { query } = request;
  const limit = wholeNumber(query, 'limit') ?? 0;
  const page = query.get('continue') ? readContinue(query.get('continue') as string) : undefined;
  const isSelective = Boolean(query.get('labelSelector') || query.get('fieldSelector'));
  const matches = matcherOf(query);
  const all = selected(backend, target, matches);
  const rest = page === undefined ? all : all.filter((object) => positionOf(object) > page.after);
  const shown = limit > 0 ? rest.slice(0, limit) : rest;
  const revision = page?.revision ?? backend.store.revision;
  const last = shown.at(-1);
  const more = last !== undefined && shown.length < rest.length;
  const metadata: JsonObject = {
    resourceVersion: String(revision),
    ...(more ? { continue: writeContinue({ revision, after: positionOf(last) }) } : {}),
    // With a selector nobody counts what is left.
    ...(more && !isSelective ? { remainingItemCount: rest.length - shown.length } : {}),
  };
  return answer(200, listOf(target, projectionOf(request), shown, metadata));
}

/** Objects of the target's collection, as this version reads them. */
export function selected(backend: Backend, target: Target, matches: Matcher): readonly JsonObject[] {
  return backend.store
    .list(storeName(target.resource), target.namespace)
    .map((stored) => readFor(target, stored))
    .filter(matches);
}

export function listOf(target: Target, projection: Projection, objects: readonly JsonObject[], metadata: JsonObject): JsonObject {
  if (projection === 'metadata')
    return { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata, items: objects as Json };
  return { kind: target.resource.listKind, apiVersion: target.version.apiVersion, metadata, items: objects as Json };
}

interface Continue {
  readonly revision: number;
  readonly after: string;
}

function positionOf(object: JsonObject): string {
  const { namespace = '', name } = object.metadata as { namespace?: string; name: string };
  return `${namespace}/${name}`;
}

function writeContinue(page: Continue): string {
  return Buffer.from(JSON.stringify(page)).toString('base64url');
}

function readContinue(token: string): Continue {
  try {
    const page = JSON.parse(Buffer.from(token, 'base64url').toString('utf8')) as Continue;
    if (typeof page.after === 'string' && typeof page.revision === 'number') return page;
  } catch (error) {
    if (error instanceof Failure) throw error;
  }
  throw badRequest('continue key is not valid');
}
