import { FieldwiseError } from '../util/error.js';
import { isJsonObject, type Json, type JsonObject } from '../util/json.js';
import { isNotFound } from './status.js';
import type { Attendance, RequestSender } from './transport.js';

/** A kind as the server serves it. */
export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  /** Such as `deployments`. */
  readonly plural: string;
  readonly namespaced: boolean;
}

interface ServedResource {
  readonly resource: Resource;
  readonly verbs: readonly string[];
}

/** Which resources the server serves, asked once per group-version, however many ask at once. */
export class Discovery {
  readonly #transport: RequestSender;
  readonly #groupVersions = new Map<string, Promise<ReadonlyMap<string, Resource>>>();

  constructor(transport: RequestSender) {
    this.#transport = transport;
  }

  /**
   * The resource that serves a kind.
   *
   * @throws FieldwiseError `kind-unknown` (resource) where the server serves no such kind.
   */
  async resourceOf(apiVersion: string, kind: string, attendance?: Attendance): Promise<Resource> {
    let kinds = this.#groupVersions.get(apiVersion);
    if (!kinds) {
      kinds = this.#read(apiVersion, attendance);
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

  /** Every resource that can be listed, in the version that the server prefers. */
  async listable(attendance?: Attendance): Promise<readonly Resource[]> {
    const { body } = await this.#transport.send({ method: 'GET', path: '/apis' }, attendance);
    const groups = membersOf(body, 'groups').map((group) => {
      const preferred = isJsonObject(group.preferredVersion) ? group.preferredVersion : {};
      return String(preferred.groupVersion);
    });
    const lists = await Promise.all(['v1', ...groups].map((apiVersion) => this.#resourcesIfServed(apiVersion, attendance)));
    return lists.flat().flatMap(({ resource, verbs }) => (verbs.includes('list') ? [resource] : []));
  }

  async #read(apiVersion: string, attendance?: Attendance): Promise<ReadonlyMap<string, Resource>> {
    return new Map((await this.#resourcesIfServed(apiVersion, attendance)).map(({ resource }) => [resource.kind, resource]));
  }

  /** Empty for a version that is not served, as when the CustomResourceDefinition behind it went since the groups were listed. */
  async #resourcesIfServed(apiVersion: string, attendance?: Attendance): Promise<readonly ServedResource[]> {
    try {
      return await this.#resources(apiVersion, attendance);
    } catch (error) {
      if (isNotFound(error)) return [];
      throw error;
    }
  }

  async #resources(apiVersion: string, attendance?: Attendance): Promise<readonly ServedResource[]> {
    const { body } = await this.#transport.send({ method: 'GET', path: groupVersionPath(apiVersion) }, attendance);
    return membersOf(body, 'resources')
      .filter((resource) => !String(resource.name).includes('/'))
      .map((resource) => ({
        resource: { apiVersion, kind: String(resource.kind), plural: String(resource.name), namespaced: resource.namespaced === true },
        verbs: Array.isArray(resource.verbs) ? (resource.verbs as readonly string[]) : [],
      }));
  }
}

function membersOf(body: Json, name: string): readonly JsonObject[] {
  const members = isJsonObject(body) ? body[name] : undefined;
  return Array.isArray(members) ? (members as readonly Json[]).filter(isJsonObject) : [];
}

/** `/api/v1` or `/apis/apps/v1`. */
export function groupVersionPath(apiVersion: string): string {
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}
