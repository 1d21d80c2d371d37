import type { JsonObject } from '../../util/json.js';
import { customResource } from './custom-resource.js';
import type { Resource, ServedVersion } from './resource.js';
import { storeName } from './resource.js';

export interface ServedResource {
  readonly resource: Resource;
  readonly version: ServedVersion;
}

/** The served resources: the built-in ones, and those of the stored CustomResourceDefinitions. */
export class Catalog {
  readonly #resources = new Map<string, Resource>();

  constructor(builtIn: readonly Resource[]) {
    for (const resource of builtIn) this.#resources.set(`${resource.group}/${resource.plural}`, resource);
  }

  find(group: string, version: string, plural: string): ServedResource | undefined {
    const resource = this.#resources.get(`${group}/${plural}`);
    const served = resource?.versions.get(version);
    return resource === undefined || served === undefined ? undefined : { resource, version: served };
  }

  byName(name: string): Resource | undefined {
    return this.#resources.get(name);
  }

  all(): readonly Resource[] {
    return [...this.#resources.values()];
  }

  /** Adds or replaces the resource of a CustomResourceDefinition. @throws FieldwiseError `crd-invalid` */
  define(crd: JsonObject): Resource {
    const resource = customResource(crd);
    this.#resources.set(storeName(resource), resource);
    return resource;
  }

  undefine(name: string): void {
    this.#resources.delete(name);
  }
}
