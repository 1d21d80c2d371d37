import { FieldwiseError } from '../util/error.js';
import { isJsonObject, type Json } from '../util/json.js';
import { isNotFound } from './status.js';
import type { Transport } from './transport.js';

/** A kind as the server serves it. */
export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  /** Such as `deployments`. */
  readonly plural: string;
  readonly namespaced: boolean;
}

/** Which resources the server serves, asked once per group-version, however many ask at once. */
export class Discovery {
  readonly #transport: Transport;
  readonly #groupVersions = new Map<string, Promise<ReadonlyMap<string, Resource>>>();

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * The resource that serves a kind.
   *
   * @throws FieldwiseError `kind-unknown` (resource) where the server serves no such kind.
   */
  async resourceOf(apiVersion: string, kind: string): Promise<Resource> {
    let kinds = this.#groupVersions.get(apiVersion);
    if (!kinds) {
      kinds = this.#read(apiVersion);
      this.#groupVersions.set(apiVersion, kinds);
      kinds.catch(() => this.#groupVersions.delete(apiVersion));
    }
    const resource = (await kinds).get(kind);
    if (resource) return resource;
    this.#groupVersions.delete(apiVersion); // its CRD may come later in this very run
    throw new FieldwiseError('kind-unknown', 'resource', `The server serves no kind ${kind} in apiVersion ${apiVersion}`, {
      place: { server: this.#transport.server },
      next: 'Install its CustomResourceDefinition first, or correct apiVersion and kind.',
    });
  }

  async #read(apiVersion: string): Promise<ReadonlyMap<string, Resource>> {
    let body: Json;
    try {
      body = (await this.#transport.send({ method: 'GET', path: groupVersionPath(apiVersion) })).body;
    } catch (error) {
      if (isNotFound(error)) return new Map();
      throw error;
    }
    const resources = isJsonObject(body) && Array.isArray(body.resources) ? (body.resources as readonly Json[]).filter(isJsonObject) : [];
    return new Map(
      resources
        .filter((resource) => !String(resource.name).includes('/'))
        .map((resource) => {
          const kind = String(resource.kind);
          return [kind, { apiVersion, kind, plural: String(resource.name), namespaced: resource.namespaced === true }];
        }),
    );
  }
}

/** `/api/v1` or `/apis/apps/v1`. */
export function groupVersionPath(apiVersion: string): string {
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}
