import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { StoreEvent } from '../store/store.js';
import type { Backend } from '../verbs/backend.js';
import { Dependents, ownersOf } from './dependents.js';
import { afterOwner, bringToEnd, isGoing, ownerOf } from './garbage.js';
import { finishNamespace } from './namespaces.js';

/**
 * Does the work of the namespace controller and of the garbage collector, after each request and before its answer is sent.
 * Why so: docs/decisions/15.
 *
 * @returns does what has become to be done; called after each request
 */
export function startControllers(backend: Backend): () => void {
  const { store } = backend;
  const dependents = new Dependents(store);
  const pending: StoreEvent[] = [];
  store.subscribe((event) => {
    if (event.type === 'DELETED' || (event.type === 'MODIFIED' && isGoing(event.object))) pending.push(event);
  });
  return () => {
    for (let event = pending.shift(); event !== undefined; event = pending.shift()) react(event);
  };

  function react({ type, key, object }: StoreEvent): void {
    if (type === 'MODIFIED') {
      if (key.resource === '/namespaces') finishNamespace(backend, key.name);
      else bringToEnd(backend, dependents, key);
      return;
    }
    afterOwner(backend, dependents, uidOf(object));
    // Owners that waited for this one to go, and its namespace.
    for (const reference of ownersOf(object)) {
      const owner = ownerOf(backend, reference, key.namespace);
      if (owner !== undefined && isGoing(owner.object)) bringToEnd(backend, dependents, owner.key);
    }
    if (key.namespace !== '') finishNamespace(backend, key.namespace);
  }
}

function uidOf(object: JsonObject): string {
  return isJsonObject(object.metadata) ? String(object.metadata.uid) : '';
}
