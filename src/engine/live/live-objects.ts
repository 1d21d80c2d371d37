import { isSecret, metadataOf, nameOf } from '../../fields/object.js';
import type { ClusterClient, ObjectAddress } from '../../kubernetes/index.js';
import { parseExactJson, stringifyExactJson } from '../../util/exact-json.js';
import type { JsonObject } from '../../util/json.js';
import { isWorthListing, listWanted } from './list-wanted.js';

/** Live objects by name, as JSON text: ten thousand of them are small. Those that are forgotten are null. */
type List = Map<string, string | null>;

type SecretName = Pick<ObjectAddress, 'namespace' | 'name'>;

function secretKey({ namespace = '', name }: SecretName): string {
  return `${namespace}/${name}`;
}

/**
 * Live objects that are known beforehand to be wanted. A collection of which several are wanted is listed once, page by page, as long as it
 * does not contain many more and the credentials allow; only wanted objects are kept. Secrets are never listed: credentials that may read
 * some Secrets need not see the others.
 */
export class LiveObjects {
  readonly #cluster: ClusterClient;
  /** Names by collection. */
  readonly #wanted = new Map<string, Set<string>>();
  readonly #lists = new Map<string, Promise<List | undefined>>();
  /** The resourceVersions of Secrets at the first read, by namespace and name. */
  readonly #secretVersions = new Map<string, string>();

  constructor(cluster: ClusterClient, wanted: readonly ObjectAddress[]) {
    this.#cluster = cluster;
    for (const address of wanted) {
      const collection = collectionOf(address);
      this.#wanted.set(collection, (this.#wanted.get(collection) ?? new Set()).add(address.name));
    }
  }

  /** Returns the object as it was when its collection was read, or as it is; undefined where it does not exist. */
  async find(address: ObjectAddress): Promise<JsonObject | undefined> {
    const list = await this.#list(address);
    const text = list?.get(address.name);
    if (list === undefined || text === null) {
      const live = await this.#cluster.tryGet(address);
      if (isSecret(live) && !this.#secretVersions.has(secretKey(address))) this.#noteVersion(address, live);
      return live;
    }
    return text === undefined ? undefined : (parseExactJson(text) as JsonObject);
  }

  /** Returns the same as JSON text. */
  async findText(address: ObjectAddress): Promise<string | undefined> {
    const list = await this.#list(address);
    const text = list?.get(address.name);
    if (list !== undefined && text !== null) return text;
    const live = await this.#cluster.tryGet(address);
    return live && stringifyExactJson(live);
  }

  /** Gives up what was read of an object: if it is wanted once more, it is read as it is then. */
  async forget(address: ObjectAddress): Promise<void> {
    const list = await this.#lists.get(collectionOf(address));
    if (list?.has(address.name)) list.set(address.name, null);
  }

  /** Reads the object as it is now. */
  async refetch(address: ObjectAddress): Promise<JsonObject | undefined> {
    const live = await this.#cluster.tryGet(address);
    if (isSecret(live)) this.#noteVersion(address, live);
    return live;
  }

  /** Returns the resourceVersion of a Secret as it was found. */
  secretVersion(secret: SecretName): string | undefined {
    return this.#secretVersions.get(secretKey(secret));
  }

  #noteVersion(address: ObjectAddress, live: JsonObject): void {
    this.#secretVersions.set(secretKey(address), metadataOf(live).resourceVersion ?? '');
  }

  #list(address: ObjectAddress): Promise<List | undefined> {
    const collection = collectionOf(address);
    const wanted = this.#wanted.get(collection) ?? new Set();
    if (!isWorthListing(address.resource, wanted.size)) return Promise.resolve(undefined);
    let list = this.#lists.get(collection);
    if (list === undefined) {
      list = this.#read(address, wanted);
      this.#lists.set(collection, list);
    }
    return list;
  }

  async #read(address: ObjectAddress, wanted: ReadonlySet<string>): Promise<List | undefined> {
    const { apiVersion, kind } = address.resource; // items of a list have no kind
    const list: List = new Map();
    const isWhole = await listWanted(this.#cluster, address, wanted, (item) => {
      list.set(nameOf(item), stringifyExactJson({ ...item, apiVersion, kind }));
    });
    return isWhole ? list : undefined;
  }
}

function collectionOf({ resource, namespace }: ObjectAddress): string {
  return `${resource.apiVersion}/${resource.plural}/${namespace ?? ''}`;
}
