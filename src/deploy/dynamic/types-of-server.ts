import { groupOf } from '../../assembly/identity.js';
import { ApiError, type Cluster, customResourceDefinitions, type Resource } from '../../cluster/index.js';
import { type RootType, readCrd } from '../../schema/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import { crdFromOpenApi } from '../plan/open-api-crd.js';
import { builtInType, isBuiltInGroup } from './built-in-types.js';

/** What is known of the kinds of a server, read once per kind. */
export class TypesOfServer {
  readonly #known = new Map<string, Promise<RootType | undefined>>();

  /**
   * The type of a kind: of the generated tables for those of Kubernetes itself, else of its CustomResourceDefinition, else of what the
   * server publishes. Undefined where none of them tells.
   */
  of(cluster: Cluster, resource: Resource): Promise<RootType | undefined> {
    const key = `${resource.apiVersion} ${resource.kind}`;
    let type = this.#known.get(key);
    if (type === undefined) {
      type = isBuiltInGroup(resource.apiVersion) ? builtInType(resource) : customType(cluster, resource);
      this.#known.set(key, type);
      const forget = () => void this.#known.delete(key);
      type.then((found) => found ?? forget(), forget); // it may come yet
    }
    return type;
  }

  /** A CustomResourceDefinition has been written. */
  forget(): void {
    this.#known.clear();
  }
}

async function customType(cluster: Cluster, resource: Resource): Promise<RootType | undefined> {
  const name = `${resource.plural}.${groupOf(resource.apiVersion)}`;
  const crd =
    (await readable(() => cluster.get({ resource: customResourceDefinitions, name }))) ??
    (await readable(async () => crdFromOpenApi(await cluster.openApi(resource.apiVersion), resource, name)));
  if (crd === undefined) return undefined;
  try {
    return readCrd(crd).roots.find(({ apiVersion }) => apiVersion === resource.apiVersion);
  } catch (error) {
    if (error instanceof FieldwiseError && error.kind === 'usage') return undefined; // a schema that says nothing to us
    throw error;
  }
}

async function readable(read: () => Promise<JsonObject | undefined>): Promise<JsonObject | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
