import type { ClusterClient, Resource } from '../../kubernetes/index.js';
import { type RootType, readCrd } from '../../schema/index.js';
import { FieldwiseError } from '../../util/error.js';
import { fetchCrd } from '../addresses/fetch-crd.js';
import { builtInType, isBuiltInGroup } from './built-in-types.js';

/** The types of a server's kinds, read once per kind. */
export class ServerTypes {
  readonly #known = new Map<string, Promise<RootType | undefined>>();

  /**
   * Returns the type of a kind: from the generated tables for built-in kinds, else from its CustomResourceDefinition, else from the OpenAPI
   * schema that the server publishes. Undefined where none of them has it.
   */
  get(cluster: ClusterClient, resource: Resource): Promise<RootType | undefined> {
    const key = `${resource.apiVersion} ${resource.kind}`;
    let type = this.#known.get(key);
    if (type === undefined) {
      type = isBuiltInGroup(resource.apiVersion) ? builtInType(resource) : customType(cluster, resource);
      this.#known.set(key, type);
      const forget = () => void this.#known.delete(key);
      type.then((found) => found ?? forget(), forget); // it may become available
    }
    return type;
  }

  /** Forgets all types, after a CustomResourceDefinition has been written. */
  clear(): void {
    this.#known.clear();
  }
}

async function customType(cluster: ClusterClient, resource: Resource): Promise<RootType | undefined> {
  const crd = await fetchCrd(cluster, resource);
  if (crd === undefined) return undefined;
  try {
    return readCrd(crd).roots.find(({ apiVersion }) => apiVersion === resource.apiVersion);
  } catch (error) {
    if (error instanceof FieldwiseError && error.kind === 'usage') return undefined; // a schema that cannot be read
    throw error;
  }
}
