import type { ObjectIdentity } from '../../assembly/identity.js';
import { addressIfServed } from '../../engine/addresses/address.js';
import { explain } from '../../engine/report/explain.js';
import type { ReportedError } from '../../engine/report/run-diagnostic.js';
import { forEachConcurrent } from '../../engine/run/for-each-concurrent.js';
import { ApiError, type ClusterClient, isForbidden, type ObjectAddress, type Resource } from '../../kubernetes/index.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';

/** The live object, or the error that prevented its read. */
export interface ObservedObject {
  /** Absent if the server does not serve the kind. */
  readonly address?: ObjectAddress;
  readonly live?: JsonObject;
  readonly error?: ReportedError;
}

/** The number of wanted objects of a kind from which they are read by LIST. */
const minObjectsToList = 8;
/** The number of unwanted objects per wanted one after which a LIST is abandoned. */
const maxListedPerObject = 10;

/**
 * Reads objects, those of one kind by one LIST in pages, whatever their namespaces, or by one for each namespace where that is not permitted. Reads
 * one by one: Secrets, kinds with few wanted objects, and collections that may not be listed or contain far more than the wanted objects.
 *
 * @throws FieldwiseError if every further request would fail as well: no connection, no authentication.
 */
export async function readObjects(
  cluster: ClusterClient,
  wanted: ReadonlyMap<string, ObjectIdentity>,
  concurrency: number,
): Promise<ReadonlyMap<string, ObservedObject>> {
  const found = new Map<string, ObservedObject>();
  const kinds = new Map<string, { resource: Resource; objects: Map<string, { key: string; address: ObjectAddress }> }>();
  for (const [key, object] of wanted) {
    const address = await addressIfServed(cluster, object);
    if (address === undefined) {
      found.set(key, {});
      continue;
    }
    const { resource } = address;
    const kind = kinds.get(`${resource.apiVersion}/${resource.plural}`) ?? { resource, objects: new Map() };
    kinds.set(`${resource.apiVersion}/${resource.plural}`, kind);
    kind.objects.set(objectKey(address.namespace, address.name), { key, address });
  }
  await Promise.all(
    [...kinds.values()].map(async ({ resource, objects }) => {
      const listed = await listWanted(cluster, resource, objects);
      await forEachConcurrent([...objects], concurrency, async ([nameKey, { key, address }]) => {
        if (listed.complete || listed.items.has(nameKey)) {
          const live = listed.items.get(nameKey);
          found.set(key, { address, ...(live ? { live } : {}) });
        } else found.set(key, await readOne(cluster, address));
      });
    }),
  );
  return found;
}

interface Listed {
  /** True if every wanted object that is not among the items does not exist. */
  readonly complete: boolean;
  readonly items: ReadonlyMap<string, JsonObject>;
}

async function listWanted(
  cluster: ClusterClient,
  resource: Resource,
  wanted: ReadonlyMap<string, { address: ObjectAddress }>,
): Promise<Listed> {
  const items = new Map<string, JsonObject>();
  const isSecret = resource.kind === 'Secret' && resource.apiVersion === 'v1';
  if (wanted.size < minObjectsToList || isSecret) return { complete: false, items };
  const namespaces = new Set([...wanted.values()].map(({ address }) => address.namespace));
  const [only] = namespaces;
  const scope = namespaces.size === 1 && only !== undefined ? { namespace: only } : {};
  let left = wanted.size * (maxListedPerObject + 1);
  try {
    for await (const page of cluster.pages(resource, scope)) {
      for (const item of page.items) {
        const { namespace, name } = isJsonObject(item.metadata) ? item.metadata : {};
        const nameKey = objectKey(namespace as string | undefined, String(name));
        // Items of a list carry no apiVersion and no kind.
        if (wanted.has(nameKey)) items.set(nameKey, { ...item, apiVersion: resource.apiVersion, kind: resource.kind });
      }
      left -= page.items.length;
      if (left < 0) return { complete: false, items };
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return namespaces.size > 1 && isForbidden(error) ? listByNamespace(cluster, resource, wanted) : { complete: false, items };
  }
  return { complete: true, items };
}

/** Lists the wanted objects of each namespace for itself. */
async function listByNamespace(
  cluster: ClusterClient,
  resource: Resource,
  wanted: ReadonlyMap<string, { address: ObjectAddress }>,
): Promise<Listed> {
  const byNamespace = new Map<string | undefined, Map<string, { address: ObjectAddress }>>();
  for (const [key, one] of wanted) {
    const { namespace } = one.address;
    byNamespace.set(namespace, (byNamespace.get(namespace) ?? new Map()).set(key, one));
  }
  const lists = await Promise.all([...byNamespace.values()].map((some) => listWanted(cluster, resource, some)));
  return { complete: lists.every(({ complete }) => complete), items: new Map(lists.flatMap(({ items }) => [...items])) };
}

async function readOne(cluster: ClusterClient, address: ObjectAddress): Promise<ObservedObject> {
  try {
    const live = await cluster.tryGet(address);
    return { address, ...(live ? { live } : {}) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { address, error: explain(error) };
  }
}

function objectKey(namespace: string | undefined, name: string): string {
  return `${namespace ?? ''}/${name}`;
}
