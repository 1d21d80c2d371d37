import type { JsonObject } from '../../util/json.js';
import type { DiscoveredResource } from './discovered-resource.js';
import type { Resource, ServedVersion } from './resource.js';
import { storeName } from './resource.js';

export interface ServedResource {
  readonly resource: Resource;
  readonly version: ServedVersion;
}

/** A document that discovery has made of resources. */
export interface PublishedDocument {
  /** The resources that the document describes. A changed definition is another resource. */
  readonly resources: readonly DiscoveredResource[];
  readonly document: JsonObject;
  readonly hash: string;
}

/** The served resources: the built-in ones, and those of the stored CustomResourceDefinitions. */
export class Catalog {
  /** The documents of OpenAPI by path; discovery makes one again when its resources have changed. */
  readonly documents = new Map<string, PublishedDocument>();
  readonly #resources = new Map<string, Resource>();
  readonly #builtInGroups: ReadonlySet<string>;
  readonly #defined: (crd: JsonObject) => Resource;

  /** @param defined returns the resource that a CustomResourceDefinition defines */
  constructor(resources: readonly Resource[], defined: (crd: JsonObject) => Resource) {
    this.#defined = defined;
    for (const resource of resources) this.#resources.set(`${resource.group}/${resource.plural}`, resource);
    this.#builtInGroups = new Set(resources.filter(({ strategy }) => !strategy.custom).map(({ group }) => group));
  }

  find(group: string, version: string, plural: string): ServedResource | undefined {
    const resource = this.#resources.get(`${group}/${plural}`);
    const served = resource?.versions.get(version);
    return resource === undefined || served === undefined ? undefined : { resource, version: served };
  }

  byName(name: string): Resource | undefined {
    return this.#resources.get(name);
  }

  /** Returns the resources that discovery shows: all but those whose definition is not established. */
  discovered(): readonly Resource[] {
    return this.all().filter(({ established }) => established !== false);
  }

  all(): readonly Resource[] {
    return [...this.#resources.values()];
  }

  /** Returns true for a group whose resources no CustomResourceDefinition defines. */
  isBuiltInGroup(group: string): boolean {
    return this.#builtInGroups.has(group);
  }

  /** Returns true for the name of a resource that no CustomResourceDefinition defines. */
  isBuiltIn(name: string): boolean {
    return this.#resources.get(name)?.strategy.custom === false;
  }

  /**
   * Adds or replaces the resource of a CustomResourceDefinition. In a group of built-in resources, the server serves no others. Source:
   * observed.
   *
   * @param established if discovery shows it.
   * @throws FieldwiseError `crd-invalid`
   */
  define(crd: JsonObject, established = true): void {
    const resource = { ...this.#defined(crd), established };
    if (!this.#builtInGroups.has(resource.group)) this.#resources.set(storeName(resource), resource);
  }

  undefine(name: string): void {
    if (!this.isBuiltIn(name)) this.#resources.delete(name);
  }
}
