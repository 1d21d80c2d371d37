import { ApiError, type Cluster, type ObjectAddress } from '../../cluster/index.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';

/** From this many wanted objects of a collection on, reading it whole may be cheaper than reading each. */
const fewest = 8;
/** Objects read in vain for each one wanted, up to which a list is still cheaper. */
const waste = 10;

/**
 * The live objects that a plan looks at. Where many of one collection are wanted it is listed once, as long as it does not hold many
 * more, and where the credentials allow. Secrets are never listed: who may read those of his own need not see the others.
 */
export class LiveObjects {
  readonly #cluster: Cluster;
  readonly #wanted = new Map<string, number>();
  readonly #lists = new Map<string, Promise<ReadonlyMap<string, JsonObject> | undefined>>();

  constructor(cluster: Cluster, wanted: readonly ObjectAddress[]) {
    this.#cluster = cluster;
    for (const address of wanted) {
      const collection = collectionOf(address);
      this.#wanted.set(collection, (this.#wanted.get(collection) ?? 0) + 1);
    }
  }

  /** The object as it was when its collection was read, or as it is; undefined where there is none. */
  async find(address: ObjectAddress): Promise<JsonObject | undefined> {
    const list = await this.#list(address);
    return list === undefined ? this.#cluster.find(address) : list.get(address.name);
  }

  /** The object as it is now. */
  findAnew(address: ObjectAddress): Promise<JsonObject | undefined> {
    return this.#cluster.find(address);
  }

  #list(address: ObjectAddress): Promise<ReadonlyMap<string, JsonObject> | undefined> {
    const collection = collectionOf(address);
    const wanted = this.#wanted.get(collection) ?? 0;
    const { resource } = address;
    if (wanted < fewest || (resource.kind === 'Secret' && resource.apiVersion === 'v1')) return Promise.resolve(undefined);
    let list = this.#lists.get(collection);
    if (list === undefined) {
      list = this.#read(address, wanted);
      this.#lists.set(collection, list);
    }
    return list;
  }

  async #read({ resource, namespace }: ObjectAddress, wanted: number): Promise<ReadonlyMap<string, JsonObject> | undefined> {
    try {
      const scope = namespace === undefined ? {} : { namespace };
      if ((await this.#cluster.count(resource, scope)) > wanted * waste) return undefined;
      const items = await this.#cluster.list(resource, scope);
      // Items of a list do not say what they are.
      const { apiVersion, kind } = resource;
      return new Map(items.map((item) => [nameOf(item), { ...item, apiVersion, kind }]));
    } catch (error) {
      if (error instanceof ApiError && error.code === 403) return undefined;
      throw error;
    }
  }
}

function collectionOf({ resource, namespace }: ObjectAddress): string {
  return `${resource.apiVersion}/${resource.plural}/${namespace ?? ''}`;
}

function nameOf(object: JsonObject): string {
  return String(isJsonObject(object.metadata) ? object.metadata.name : '');
}
