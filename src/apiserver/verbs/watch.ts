import { metadataOf } from '../../fields/object.js';
import type { Json, JsonObject } from '../../util/json.js';
import type { ApiRequest, ApiResponse } from '../api/request.js';
import { StatusError } from '../api/status-error.js';
import { decodeStored } from '../conversion/request-scope.js';
import { endsWatches } from '../custom/terminating-definition.js';
import { negotiate } from '../http/negotiate.js';
import { metadataOnly } from '../http/projection.js';
import type { Backend, RequestTarget } from '../registry/backend.js';
import { checkWatchOptions, tooLarge, watchedVersion } from '../registry/list-options.js';
import { storeName } from '../registry/resource.js';
import { isTrue, wholeNumber } from '../registry/write-options.js';
import { crdResource } from '../resources/crd-controller.js';
import type { StoreEvent } from '../storage/store.js';
import { OrderedSender } from './ordered-sender.js';
import { endpointOf, matcherOf, selectObjects, storedObjects } from './read.js';

/** The longest time that a timer of Node takes. */
const maxSeconds = 2_147_483;

/** Handles a watch. Source: Kubernetes documentation "Kubernetes API Concepts", "Efficient detection of changes". */
export function watchVerb(backend: Backend, target: RequestTarget, request: ApiRequest): ApiResponse {
  const { query } = request;
  checkWatchOptions(query);
  const { kind } = negotiate(request, endpointOf(target, request));
  const since = watchedVersion(query);
  const seconds = wholeNumber(query, 'timeoutSeconds') || undefined;
  const initial = isTrue(query.get('sendInitialEvents')) || (since === 0 && !query.has('sendInitialEvents'));
  const expired = () => new StatusError(410, 'Expired', `too old resource version: ${since} (${backend.store.revision})`);
  const { events, current, missed } = watchedEvents(backend, target, request, since);
  return {
    code: 200,
    body: null,
    warnings: [],
    watch(send, endWatch) {
      let stop = () => {};
      const sender = new OrderedSender(backend, send, () => end());
      const end = () => {
        sender.stop();
        endWatch();
      };
      const begin = () => {
        // An event has no list. Source: observed.
        if (kind === 'PartialObjectMetadataList') return end();
        const fail = (error: StatusError) => {
          send({ type: 'ERROR', object: error.status });
          end();
        };
        if (initial && since > backend.store.revision) return fail(tooLarge(since, backend.store.revision));
        const first = initial ? current() : missed();
        if (first === undefined) return fail(expired());
        stop = backend.store.follow({
          ready: () => sender.send(first),
          changed: (event) => (replacesStorage(target, event) ? end() : sender.send(() => events(event))),
          undone: begin,
        });
      };
      begin();
      const milliseconds = Math.min(seconds ?? 0, maxSeconds) * 1000;
      const cancel = seconds === undefined ? undefined : backend.machine.after(milliseconds, () => end(), { unref: true });
      return () => {
        cancel?.();
        stop();
        sender.stop();
      };
    },
  };
}

/** The events of a watch. Their computation may need conversions. */
interface WatchedEvents {
  /** Returns the events for a change of the store. */
  events(event: StoreEvent): Json[];
  /** Returns what computes the events for the present state. */
  current(): () => Json[];
  /** Returns what computes the events since the version that the watch begins with; undefined if they are no longer known. */
  missed(): (() => Json[]) | undefined;
}

function watchedEvents(backend: Backend, target: RequestTarget, request: ApiRequest, since: number): WatchedEvents {
  const { store } = backend;
  const { query } = request;
  const matches = matcherOf(target, query);
  const { projection, apiVersion = '' } = negotiate(request, endpointOf(target, request));
  const shown = (object: JsonObject): JsonObject => (projection === 'metadata' ? metadataOnly(object, apiVersion) : object);
  const sendsBookmark = isTrue(query.get('sendInitialEvents')) && isTrue(query.get('allowWatchBookmarks'));
  const events = (event: StoreEvent): Json[] => {
    if (event.key.resource !== storeName(target.resource) || event.revision <= since) return [];
    if (target.namespace !== undefined && event.key.namespace !== target.namespace) return [];
    const object = decodeStored(target, event.object);
    const earlier = event.before === undefined ? undefined : decodeStored(target, event.before);
    const now = event.type !== 'DELETED' && matches(object);
    const before = earlier !== undefined && matches(earlier);
    if (now) return [{ type: before ? 'MODIFIED' : 'ADDED', object: shown(object) }];
    // For a watch with a selector, an object that ceases to match is deleted; the event has its last state that matched.
    return before ? [{ type: 'DELETED', object: shown(withRevision(earlier, event.revision)) }] : [];
  };
  return {
    events,
    current() {
      const { revision } = store;
      const stored = storedObjects(backend, target);
      return () => [
        ...selectObjects(target, stored, matches).map((object) => ({ type: 'ADDED', object: shown(object) })),
        ...(sendsBookmark ? [{ type: 'BOOKMARK', object: shown(bookmark(target, revision)) }] : []),
      ];
    },
    missed() {
      const changes = store.eventsSince(since);
      // A new store of a definition's objects knows nothing of the old one. Source: observed.
      return changes?.some((event) => replacesStorage(target, event)) ? undefined : changes && (() => changes.flatMap(events));
    },
  };
}

/** Returns true for a change of the CustomResourceDefinition after which its objects are served from a new store: their watches end. */
function replacesStorage({ resource }: RequestTarget, { key, type, object, before }: StoreEvent): boolean {
  if (key.resource !== crdResource || !resource.strategy.custom || key.name !== `${resource.plural}.${resource.group}`) return false;
  return type === 'DELETED' || (before !== undefined && endsWatches(before, object));
}

function withRevision(object: JsonObject, revision: number): JsonObject {
  return { ...object, metadata: { ...metadataOf(object), resourceVersion: String(revision) } as JsonObject };
}

function bookmark({ resource, version }: RequestTarget, revision: number): JsonObject {
  const annotations = { 'k8s.io/initial-events-end': 'true' };
  return { kind: resource.kind, apiVersion: version.apiVersion, metadata: { resourceVersion: String(revision), annotations } };
}
