import type { Cluster, Resource } from '../../kubernetes/index.js';
import { type RootType, readCrd } from '../../schema/index.js';
import { FieldwiseError } from '../../util/error.js';
import { fetchCrd } from '../target/fetch-crd.js';
import { builtInType, isBuiltInGroup } from './built-in-types.js';

/** What is known of the kinds of a server, read once per kind. */
export class ServerTypes {
  readonly #known = new Map<string, Promise<RootType | undefined>>();

  /**
   * The type of a kind: of the generated tables for those of Kubernetes itself, else of its CustomResourceDefinition, else of what the
   * server publishes. Undefined where none of them tells.
   */
  get(cluster: Cluster, resource: Resource): Promise<RootType | undefined> {
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
  clear(): void {
    this.#known.clear();
  }
}

async function customType(cluster: Cluster, resource: Resource): Promise<RootType | undefined> {
  const crd = await fetchCrd(cluster, resource);
  if (crd === undefined) return undefined;
  try {
    return readCrd(crd).roots.find(({ apiVersion }) => apiVersion === resource.apiVersion);
  } catch (error) {
    if (error instanceof FieldwiseError && error.kind === 'usage') return undefined; // a schema that says nothing to us
    throw error;
  }
}
