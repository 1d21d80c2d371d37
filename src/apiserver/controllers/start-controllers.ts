import { isTerminating, uidOf } from '../../fields/object.js';
import type { Backend } from '../registry/backend.js';
import type { StoreEvent } from '../storage/store.js';
import { Dependents, ownersOf } from './dependents.js';
import { advanceDeletion, collectDependents, findOwner } from './garbage-collector.js';
import { syncNamespace } from './namespace-controller.js';
import { StorageProtection } from './storage-protection.js';

/**
 * Starts the namespace controller, the garbage collector and the protection of storage in use, which run after each request and before its
 * response is sent. The reason is in docs/decisions/15.
 *
 * @returns a function that processes all pending changes, to be called after each request
 */
export function startControllers(backend: Backend): () => void {
  const { store } = backend;
  const dependents = new Dependents(store);
  const storage = new StorageProtection(backend);
  const pending: StoreEvent[] = [];
  store.subscribe((event) => {
    if (event.undone) return;
    if (event.type === 'DELETED' || (event.type === 'MODIFIED' && isTerminating(event.object))) pending.push(event);
  });
  return () => {
    for (let event = pending.shift(); event !== undefined; event = pending.shift()) react(event);
  };

  function react(event: StoreEvent): void {
    const { type, key, object } = event;
    storage.react(event);
    if (type === 'MODIFIED') {
      if (key.resource === '/namespaces') syncNamespace(backend, key.name);
      else advanceDeletion(backend, dependents, key);
      return;
    }
    collectDependents(backend, dependents, uidOf(object));
    // Its owners and its namespace may have waited for this deletion.
    for (const reference of ownersOf(object)) {
      const owner = findOwner(backend, reference, key.namespace);
      if (owner !== undefined && isTerminating(owner.object)) advanceDeletion(backend, dependents, owner.key);
    }
    if (key.namespace !== '') syncNamespace(backend, key.namespace);
  }
}
