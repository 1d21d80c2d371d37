import { nameOf } from '../fields/object.js';
import { FieldwiseError } from '../util/error.js';
import { isJsonObject, type Json, type JsonObject } from '../util/json.js';
import { isNotFound, isUnavailable } from './status.js';
import type { RequestContext, RequestSender } from './transport/transport.js';
import { unexpectedResponse } from './transport/unexpected-response.js';

/** A kind that the server serves. */
export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  /** Such as `deployments`. */
  readonly plural: string;
  readonly namespaced: boolean;
  /** Its singular name and short names, such as `deploy`; absent if there are none or they are unknown. */
  readonly otherNames?: readonly string[];
}

/** A group and version that is registered and does not answer, because the server behind its APIService is unavailable. */
export interface UnavailableApi {
  /** Such as `metrics.k8s.io/v1beta1`. */
  readonly apiVersion: string;
  readonly reason: string;
}

/** The resources that a server serves. */
export interface ServedResources {
  readonly resources: readonly Resource[];
  /** The groups that do not answer, whose kinds are unknown. */
  readonly unavailable: readonly UnavailableApi[];
}

interface ServedResource {
  readonly resource: Resource;
  readonly verbs: readonly string[];
}

/** A version of an API group, with its resources if the server listed them. */
interface GroupVersion {
  readonly apiVersion: string;
  /** Absent if the server lists only the names of versions. */
  readonly served?: readonly ServedResource[];
  /** True if the server behind the group does not answer. */
  readonly stale: boolean;
}

/**
 * Requests one document with the resources of all groups, which needs no requests to aggregated servers. A server without aggregated
 * discovery responds with the names of the groups. Source: Kubernetes documentation, "Aggregated discovery".
 */
const aggregatedDiscoveryAccept = ['v2', 'v2beta1']
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .concat('application/json')
  .join(',');
const maxDocumentBytes = 64 * 2 ** 20; // bytes
/** The milliseconds of retries after which discovery checks whether only the server behind one group is unavailable. */
const groupRetryTimeoutMs = 2_000;

/** Finds the resources that the server serves, by one request per group-version, even for concurrent callers. */
export class Discovery {
  readonly #transport: RequestSender;
  readonly #groupVersions = new Map<string, Promise<ReadonlyMap<string, Resource>>>();

  constructor(transport: RequestSender) {
    this.#transport = transport;
  }

  /**
   * Returns the resource of a kind.
   *
   * @throws FieldwiseError `kind-unknown` (resource) if the server does not serve the kind, `api-unavailable` if the group does not answer.
   */
  async resourceOf(apiVersion: string, kind: string, context?: RequestContext): Promise<Resource> {
    let kinds = this.#groupVersions.get(apiVersion);
    if (!kinds) {
      kinds = this.#read(apiVersion, context);
      this.#groupVersions.set(apiVersion, kinds);
      kinds.catch(() => this.#groupVersions.delete(apiVersion));
    }
    const resource = (await kinds).get(kind);
    if (resource) return resource;
    this.#groupVersions.delete(apiVersion); // The same run may create its CustomResourceDefinition later.
    throw new FieldwiseError('kind-unknown', 'resource', `The server serves no kind ${kind} in apiVersion ${apiVersion}`, {
      location: { server: this.#transport.server },
      next: 'Install its CustomResourceDefinition first, or correct apiVersion and kind.',
    });
  }

  /**
   * Returns every resource that can be listed, in the version that the server prefers among those with the resource. Does not wait for a
   * group that does not answer.
   */
  async listResources(context?: RequestContext): Promise<ServedResources> {
    const versions = (await Promise.all([this.#groups('/api', context), this.#groups('/apis', context)])).flat();
    const unavailable: UnavailableApi[] = [];
    const read = await Promise.all(
      versions.map(async ({ apiVersion, served, stale }) => {
        if (stale) unavailable.push({ apiVersion, reason: 'the server behind it does not answer' });
        if (served) return served;
        const response = await this.#served(apiVersion, context);
        if (!('reason' in response)) return response;
        unavailable.push(response);
        return [];
      }),
    );
    const found = new Map<string, Resource>();
    for (const { resource, verbs } of read.flat()) {
      const key = `${resource.plural}.${groupOf(resource.apiVersion)}`;
      if (verbs.includes('list') && !found.has(key)) found.set(key, resource);
    }
    return { resources: [...found.values()], unavailable };
  }

  /** Returns the versions of all groups below a path, the preferred version of each group first. */
  async #groups(path: '/api' | '/apis', context?: RequestContext): Promise<readonly GroupVersion[]> {
    const request = { method: 'GET', path, accept: aggregatedDiscoveryAccept, maxResponseBytes: maxDocumentBytes } as const;
    const { body } = await this.#transport.send(request, context);
    if (isJsonObject(body)) {
      if (body.kind === 'APIGroupDiscoveryList')
        return this.#membersOf(body, 'items', path).flatMap((group) => this.#readGroup(group, path));
      if (path === '/api' && Array.isArray(body.versions))
        return (body.versions as readonly Json[]).map((version) => unlistedVersion(String(version)));
      if (path === '/apis') return this.#membersOf(body, 'groups', path).flatMap((group) => this.#versionsOf(group, path));
    }
    throw unexpectedResponse(this.#transport.server, request, 'JSON that names no API groups');
  }

  /** Reads a group of aggregated discovery. Source: Kubernetes API reference, APIGroupDiscovery v2. */
  #readGroup(group: JsonObject, path: string): GroupVersion[] {
    const name = nameOf(group);
    return this.#membersOf(group, 'versions', path).map((version) => {
      const apiVersion = name === '' ? String(version.version) : `${name}/${String(version.version)}`;
      const served = this.#membersOf(version, 'resources', path).map(
        ({ resource, responseKind, scope, verbs, singularResource, shortNames }) => ({
          resource: {
            apiVersion,
            kind: isJsonObject(responseKind) ? String(responseKind.kind) : '',
            plural: String(resource),
            namespaced: scope === 'Namespaced',
            ...otherNames(singularResource, shortNames),
          },
          verbs: textsOf(verbs),
        }),
      );
      const stale = version.freshness === 'Stale';
      return { apiVersion, served: stale ? [] : served, stale };
    });
  }

  /** Reads the versions of a group. Source: Kubernetes API reference, APIGroup v1. */
  #versionsOf(group: JsonObject, path: string): GroupVersion[] {
    const preferred = isJsonObject(group.preferredVersion) ? String(group.preferredVersion.groupVersion) : undefined;
    const all = this.#membersOf(group, 'versions', path).map(({ groupVersion }) => String(groupVersion));
    return [...new Set([...(preferred === undefined ? [] : [preferred]), ...all])].map(unlistedVersion);
  }

  async #read(apiVersion: string, context?: RequestContext): Promise<ReadonlyMap<string, Resource>> {
    const served = await this.#served(apiVersion, context);
    if ('reason' in served) throw unavailableApi(this.#transport.server, served);
    return new Map(served.map(({ resource }) => [resource.kind, resource]));
  }

  /** Waits for an unavailable server with the usual retries, and only briefly for a group that is unavailable while the server answers. */
  async #served(apiVersion: string, context?: RequestContext): Promise<readonly ServedResource[] | UnavailableApi> {
    const brief = { ...context, retryTimeoutMs: Math.min(groupRetryTimeoutMs, context?.retryTimeoutMs ?? groupRetryTimeoutMs) };
    const first = await this.#resourcesIfServed(apiVersion, brief).catch(transientReason);
    if (!('reason' in first)) return first;
    const group = (await this.#groups('/apis', context)).find((version) => version.apiVersion === apiVersion);
    if (group?.stale) return { apiVersion, reason: first.reason };
    const again = await this.#resourcesIfServed(apiVersion, group?.served ? context : brief).catch(transientReason);
    return 'reason' in again ? { apiVersion, reason: again.reason } : again;
  }

  /** Returns no resources for a version that is not served, for example because its CustomResourceDefinition was just deleted. */
  async #resourcesIfServed(apiVersion: string, context?: RequestContext): Promise<readonly ServedResource[]> {
    try {
      return await this.#resources(apiVersion, context);
    } catch (error) {
      if (isNotFound(error)) return [];
      throw error;
    }
  }

  async #resources(apiVersion: string, context?: RequestContext): Promise<readonly ServedResource[]> {
    const path = groupVersionPath(apiVersion);
    const { body } = await this.#transport.send({ method: 'GET', path, maxResponseBytes: maxDocumentBytes }, context);
    if (!isJsonObject(body) || body.resources === undefined) {
      throw unexpectedResponse(this.#transport.server, { method: 'GET', path }, 'JSON that names no resources');
    }
    return this.#membersOf(body, 'resources', path)
      .filter((resource) => !String(resource.name).includes('/'))
      .map((resource) => ({
        resource: {
          apiVersion,
          kind: String(resource.kind),
          plural: String(resource.name),
          namespaced: resource.namespaced === true,
          ...otherNames(resource.singularName, resource.shortNames),
        },
        verbs: textsOf(resource.verbs),
      }));
  }

  #membersOf(body: JsonObject, name: string, path: string): readonly JsonObject[] {
    const members = body[name] ?? [];
    if (Array.isArray(members) && (members as readonly Json[]).every(isJsonObject)) return members as readonly JsonObject[];
    throw unexpectedResponse(this.#transport.server, { method: 'GET', path }, `JSON whose ${name} are not a list of objects`);
  }
}

/** Returns the reason of an error that shows an unavailable server. @throws every other error. */
function transientReason(error: unknown): { readonly reason: string } {
  if (isUnavailable(error)) return { reason: error.message };
  throw error;
}

/** Returns the error for a group whose server is unavailable. */
export function unavailableApi(server: string, { apiVersion, reason }: UnavailableApi): FieldwiseError {
  return new FieldwiseError('api-unavailable', 'resource', `The API ${apiVersion} does not answer: ${reason}`, {
    location: { server },
    next: `Restore the server behind the APIService ${apiServiceOf(apiVersion)}, or delete that APIService if nothing needs it.`,
  });
}

/** Returns the name of the APIService of a group and version, such as `v1beta1.metrics.k8s.io`. */
export function apiServiceOf(apiVersion: string): string {
  return apiVersion.split('/').reverse().join('.');
}

function unlistedVersion(apiVersion: string): GroupVersion {
  return { apiVersion, stale: false };
}

function otherNames(singular: Json | undefined, shortNames: Json | undefined): Pick<Resource, 'otherNames'> {
  const names = [...textsOf([singular ?? '']), ...textsOf(shortNames)].filter((name) => name !== '');
  return names.length > 0 ? { otherNames: names } : {};
}

function textsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter((text) => typeof text === 'string') : [];
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}

/** Returns the path of a group-version, such as `/api/v1` or `/apis/apps/v1`. */
export function groupVersionPath(apiVersion: string): string {
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

/** Resources that every server has in this version, so that they need no discovery. */
export const namespaces: Resource = { apiVersion: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };

export const customResourceDefinitions: Resource = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};
