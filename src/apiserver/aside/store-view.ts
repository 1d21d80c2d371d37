import { metadataOf } from '../../fields/object.js';
import { parseExactJson, stringifyExactJson } from '../../util/exact-json.js';
import type { JsonObject } from '../../util/json.js';
import { StaleRead, Store, type StoreKey } from '../storage/store.js';
import type { StoreAnswer, StoreCall } from './messages.js';

/**
 * The store of the server, as one large request sees it from another thread: every object and list as it was when the request first read it. A write
 * is refused if others have written any of them since.
 */
export class StoreView extends Store {
  readonly #ask: (call: StoreCall) => StoreAnswer;
  readonly #objects = new Map<string, JsonObject | undefined>();
  /** Lists by resource and namespace. */
  readonly #lists = new Map<string, Map<string, readonly JsonObject[]>>();

  constructor(ask: (call: StoreCall) => StoreAnswer) {
    super();
    this.#ask = ask;
  }

  override get(key: StoreKey): JsonObject | undefined {
    const id = idOf(key);
    if (!this.#objects.has(id)) this.#objects.set(id, this.#read({ call: 'get', key }) as JsonObject | undefined);
    return this.#objects.get(id);
  }

  override list(resource: string, namespace?: string): readonly JsonObject[] {
    const lists = this.#lists.get(resource) ?? new Map<string, readonly JsonObject[]>();
    this.#lists.set(resource, lists);
    const list = lists.get(namespace ?? '') ?? (this.#read({ call: 'list', resource, namespace }) as readonly JsonObject[]);
    lists.set(namespace ?? '', list);
    return list;
  }

  /** @throws StaleRead */
  override put(key: StoreKey, object: JsonObject): JsonObject {
    const answer = this.#answer({ call: 'put', key, json: stringifyExactJson(object) });
    const written =
      'resourceVersion' in answer
        ? { ...object, metadata: { ...metadataOf(object), resourceVersion: answer.resourceVersion } }
        : (readAnswer(answer) as JsonObject);
    this.#objects.set(idOf(key), written);
    this.#lists.delete(key.resource);
    return written;
  }

  /** @throws StaleRead */
  override remove(key: StoreKey): JsonObject | undefined {
    this.#objects.set(idOf(key), undefined);
    this.#lists.delete(key.resource);
    return this.#read({ call: 'remove', key }) as JsonObject | undefined;
  }

  #read(call: StoreCall): unknown {
    return readAnswer(this.#answer(call));
  }

  #answer(call: StoreCall): StoreAnswer {
    const answer = this.#ask(call);
    if ('stale' in answer) throw new StaleRead();
    if ('failure' in answer) throw new Error(answer.failure);
    return answer;
  }
}

function readAnswer(answer: StoreAnswer): unknown {
  return 'json' in answer && answer.json !== undefined ? parseExactJson(answer.json) : undefined;
}

function idOf({ resource, namespace, name }: StoreKey): string {
  return `${resource} ${namespace}/${name}`;
}
