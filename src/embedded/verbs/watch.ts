import type { Json, JsonObject } from '../../util/json.js';
import type { ApiRequest, ApiResponse } from '../api/request.js';
import { StatusError } from '../api/status-error.js';
import { negotiate } from '../http/negotiate.js';
import { metadataOnly } from '../http/projection.js';
import type { Backend, RequestTarget } from '../registry/backend.js';
import { checkWatchOptions } from '../registry/list-options.js';
import { decodeStored } from '../registry/request-scope.js';
import { storeName } from '../registry/resource.js';
import { wholeNumber } from '../registry/write-options.js';
import type { StoreEvent } from '../storage/store.js';
import { matcherOf, selectObjects } from './read.js';

/** Handles a watch. Source: Kubernetes documentation "Kubernetes API Concepts", "Efficient detection of changes". */
export function watchVerb(backend: Backend, target: RequestTarget, request: ApiRequest): ApiResponse {
  const { query } = request;
  checkWatchOptions(query);
  const matches = matcherOf(query);
  const { projection } = negotiate(request);
  const shown = (object: JsonObject): Json => (projection === 'metadata' ? metadataOnly(object) : object);
  const since = wholeNumber(query, 'resourceVersion') ?? 0;
  const seconds = wholeNumber(query, 'timeoutSeconds');
  const initial = query.get('sendInitialEvents') === 'true' || (since === 0 && query.get('sendInitialEvents') !== 'false');
  const missed = initial ? [] : backend.store.eventsSince(since);
  if (missed === undefined) throw new StatusError(410, 'Expired', `too old resource version: ${since} (${backend.store.revision})`);
  const events = (event: StoreEvent): Json[] => {
    if (event.key.resource !== storeName(target.resource)) return [];
    if (target.namespace !== undefined && event.key.namespace !== target.namespace) return [];
    const object = decodeStored(target, event.object);
    const now = event.type !== 'DELETED' && matches(object);
    const before = event.before !== undefined && matches(decodeStored(target, event.before));
    if (!now && !before) return [];
    // For a watch with a selector, an object that begins to match is added, and one that ceases to match is deleted.
    const type = now ? (before ? 'MODIFIED' : 'ADDED') : 'DELETED';
    return [{ type, object: shown(object) }];
  };
  return {
    code: 200,
    body: null,
    warnings: [],
    watch(send, end) {
      if (initial) {
        for (const object of selectObjects(backend, target, matches)) send({ type: 'ADDED', object: shown(object) });
        if (query.get('sendInitialEvents') === 'true') send(bookmark(target, backend.store.revision));
      }
      for (const event of missed) for (const each of events(event)) send(each);
      const stop = backend.store.subscribe((event) => {
        for (const each of events(event)) send(each);
      });
      const timer = seconds === undefined ? undefined : setTimeout(end, seconds * 1000);
      timer?.unref();
      return () => {
        clearTimeout(timer);
        stop();
      };
    },
  };
}

function bookmark({ resource, version }: RequestTarget, revision: number): Json {
  const annotations = { 'k8s.io/initial-events-end': 'true' };
  return {
    type: 'BOOKMARK',
    object: { kind: resource.kind, apiVersion: version.apiVersion, metadata: { resourceVersion: String(revision), annotations } },
  };
}
