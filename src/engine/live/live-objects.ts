import { type Cluster, isForbidden, type ObjectAddress } from '../../kubernetes/index.js';
import { nameOf } from '../../kubernetes/object.js';
import { parseExactJson, stringifyExactJson } from '../../util/exact-json.js';
import type { JsonObject } from '../../util/json.js';

/** From this many wanted objects of a collection on, reading it whole may be cheaper than reading each. */
const minObjectsToList = 3;
/** Objects read in vain for each one wanted, up to which a list is still cheaper. */
const maxListedPerObject = 10;
/** Objects of others that are not worth a second page. */
const someMore = 10;

/** Live objects by name, as JSON: as text, ten thousand of them are small. */
type List = ReadonlyMap<string, string>;

/**
 * Live objects of which it is known beforehand that they are wanted. Where several of one collection are, it is listed once, page by page, as
 * long as it does not hold many more, and where the credentials allow; of the list only what is wanted is kept. Secrets are never listed:
 * who may read those of his own need not see the others.
 */
export class LiveObjects {
  readonly #cluster: Cluster;
  /** Names by collection. */
  readonly #wanted = new Map<string, Set<string>>();
  readonly #lists = new Map<string, Promise<List | undefined>>();

  constructor(cluster: Cluster, wanted: readonly ObjectAddress[]) {
    this.#cluster = cluster;
    for (const address of wanted) {
      const collection = collectionOf(address);
      this.#wanted.set(collection, (this.#wanted.get(collection) ?? new Set()).add(address.name));
    }
  }

  /** The object as it was when its collection was read, or as it is; undefined where there is none. */
  async find(address: ObjectAddress): Promise<JsonObject | undefined> {
    const list = await this.#list(address);
    if (list === undefined) return this.#cluster.tryGet(address);
    const text = list.get(address.name);
    return text === undefined ? undefined : (parseExactJson(text) as JsonObject);
  }

  /** The same as JSON. */
  async findText(address: ObjectAddress): Promise<string | undefined> {
    const list = await this.#list(address);
    if (list !== undefined) return list.get(address.name);
    const live = await this.#cluster.tryGet(address);
    return live && stringifyExactJson(live);
  }

  /** The object as it is now. */
  refetch(address: ObjectAddress): Promise<JsonObject | undefined> {
    return this.#cluster.tryGet(address);
  }

  #list(address: ObjectAddress): Promise<List | undefined> {
    const collection = collectionOf(address);
    const wanted = this.#wanted.get(collection) ?? new Set();
    const { resource } = address;
    if (wanted.size < minObjectsToList || (resource.kind === 'Secret' && resource.apiVersion === 'v1')) return Promise.resolve(undefined);
    let list = this.#lists.get(collection);
    if (list === undefined) {
      list = this.#read(address, wanted);
      this.#lists.set(collection, list);
    }
    return list;
  }

  /** Undefined where the collection holds too many others: its first page mostly is the whole answer, and else says how many follow. */
  async #read({ resource, namespace }: ObjectAddress, wanted: ReadonlySet<string>): Promise<List | undefined> {
    try {
      const scope = namespace === undefined ? {} : { namespace };
      const { apiVersion, kind } = resource; // items of a list do not say what they are
      const list = new Map<string, string>();
      let read = 0;
      for await (const { items, remainingItemCount } of this.#cluster.pages(resource, {
        ...scope,
        firstPageSize: wanted.size * 2 + someMore,
      })) {
        for (const item of items) if (wanted.has(nameOf(item))) list.set(nameOf(item), stringifyExactJson({ ...item, apiVersion, kind }));
        read += items.length;
        if (read + remainingItemCount > wanted.size * maxListedPerObject) return undefined;
      }
      return list;
    } catch (error) {
      if (isForbidden(error)) return undefined;
      throw error;
    }
  }
}

function collectionOf({ resource, namespace }: ObjectAddress): string {
  return `${resource.apiVersion}/${resource.plural}/${namespace ?? ''}`;
}
