import { metadataOf } from '../../fields/object.js';
import { parseExactJson, stringifyExactJson } from '../../util/exact-json.js';
import type { Json, JsonObject } from '../../util/json.js';
import type { Backend } from '../registry/backend.js';
import { postDeleteHook, postWriteHook } from '../resources/crd-controller.js';
import type { StoreKey } from '../storage/store.js';
import type { StoreAnswer, StoreCall } from './messages.js';

/** The store, for one request that another thread handles. It refuses to write once others have written what the request has read. */
export class StoreAccess {
  readonly #backend: Backend;
  /** Tests whether what the request has read is still there, by what it has read. */
  readonly #isUnchanged = new Map<string, () => boolean>();

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  answer(call: StoreCall): StoreAnswer {
    switch (call.call) {
      case 'get':
        return this.#get(call.key);
      case 'list':
        return this.#list(call.resource, call.namespace);
      case 'put':
        return this.#isStale() ? { stale: true } : this.#put(call.key, parseExactJson(call.json) as JsonObject);
      case 'remove':
        return this.#isStale() ? { stale: true } : this.#remove(call.key);
    }
  }

  #isStale(): boolean {
    return [...this.#isUnchanged.values()].some((isUnchanged) => !isUnchanged());
  }

  #get(key: StoreKey): StoreAnswer {
    const { store } = this.#backend;
    const object = store.get(key);
    this.#isUnchanged.set(idOf(key), () => store.get(key) === object);
    return answerOf(object);
  }

  #list(resource: string, namespace: string | undefined): StoreAnswer {
    const { store } = this.#backend;
    const objects = store.list(resource, namespace);
    this.#isUnchanged.set(`${resource} ${namespace ?? ''}`, () => {
      const now = store.list(resource, namespace);
      return now.length === objects.length && now.every((object, index) => object === objects[index]);
    });
    return answerOf(objects);
  }

  #put(key: StoreKey, object: JsonObject): StoreAnswer {
    const { store } = this.#backend;
    const written = store.put(key, object);
    postWriteHook(this.#backend, key.resource, written);
    const found = store.get(key);
    this.#isUnchanged.set(idOf(key), () => store.get(key) === found);
    return found === written ? { resourceVersion: String(metadataOf(written).resourceVersion) } : answerOf(found ?? written);
  }

  #remove(key: StoreKey): StoreAnswer {
    const { store } = this.#backend;
    const before = store.get(key);
    const last = store.remove(key);
    if (before !== undefined) postDeleteHook(this.#backend, key.resource, before);
    this.#isUnchanged.delete(idOf(key));
    return answerOf(last);
  }
}

function answerOf(value: Json | undefined): StoreAnswer {
  return { json: value === undefined ? undefined : stringifyExactJson(value) };
}

function idOf({ resource, namespace, name }: StoreKey): string {
  return `${resource} ${namespace}/${name}`;
}
