import { FieldwiseError } from '../util/error.js';
import { isJsonObject, type Json, type JsonObject } from '../util/json.js';
import { nameOf } from './object.js';
import { isNotFound, isUnavailable } from './status.js';
import type { RequestContext, RequestSender } from './transport/transport.js';
import { unexpectedResponse } from './transport/unexpected-response.js';

/** A kind as the server serves it. */
export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  /** Such as `deployments`. */
  readonly plural: string;
  readonly namespaced: boolean;
  /** Its singular name and short names, such as `deploy`; absent where there are none, or they are not known. */
  readonly otherNames?: readonly string[];
}

/** A group and version that is registered and does not answer: the server behind an APIService is away. */
export interface UnavailableApi {
  /** Such as `metrics.k8s.io/v1beta1`. */
  readonly apiVersion: string;
  readonly reason: string;
}

/** What a server serves. */
export interface ServedResources {
  readonly resources: readonly Resource[];
  /** Their kinds are not known. */
  readonly unavailable: readonly UnavailableApi[];
}

interface ServedResource {
  readonly resource: Resource;
  readonly verbs: readonly string[];
}

/** What the server tells of its groups: the resources of a version, or why they are not known. */
interface GroupVersion {
  readonly apiVersion: string;
  /** Absent where the server names the version only. */
  readonly served?: readonly ServedResource[];
  readonly stale: boolean;
}

/**
 * One document tells of all groups, without asking the servers behind them. Source: Kubernetes documentation, "Aggregated discovery"; a server
 * that does not know it answers with the names of the groups.
 */
const aggregatedDiscoveryAccept = ['v2', 'v2beta1']
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .concat('application/json')
  .join(',');
const maxDocumentBytes = 64 * 2 ** 20; // bytes
/** Milliseconds after which it is looked into whether the whole server is away, or only what is behind one group. */
const groupRetryTimeoutMs = 2_000;

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
   * @throws FieldwiseError `kind-unknown` (resource) where the server serves no such kind, `api-unavailable` where the group does not answer.
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
    this.#groupVersions.delete(apiVersion); // its CRD may come later in this very run
    throw new FieldwiseError('kind-unknown', 'resource', `The server serves no kind ${kind} in apiVersion ${apiVersion}`, {
      location: { server: this.#transport.server },
      next: 'Install its CustomResourceDefinition first, or correct apiVersion and kind.',
    });
  }

  /**
   * Every resource that can be listed, each in the version that the server prefers among those that serve it. A group that does not answer
   * is named and not waited for.
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

  /** The versions of all groups below a path, those that are preferred first. */
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

  /** Source: Kubernetes API reference, APIGroupDiscovery v2. */
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

  /** Source: Kubernetes API reference, APIGroup v1. */
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

  /** A server that is away is waited for; a group that is away while the server is not, only for a moment. */
  async #served(apiVersion: string, context?: RequestContext): Promise<readonly ServedResource[] | UnavailableApi> {
    const brief = { ...context, retryTimeoutMs: Math.min(groupRetryTimeoutMs, context?.retryTimeoutMs ?? groupRetryTimeoutMs) };
    const first = await this.#resourcesIfServed(apiVersion, brief).catch(transientReason);
    if (!('reason' in first)) return first;
    const group = (await this.#groups('/apis', context)).find((version) => version.apiVersion === apiVersion);
    if (group?.stale) return { apiVersion, reason: first.reason };
    const again = await this.#resourcesIfServed(apiVersion, group?.served ? context : brief).catch(transientReason);
    return 'reason' in again ? { apiVersion, reason: again.reason } : again;
  }

  /** Empty for a version that is not served, as when the CustomResourceDefinition behind it went since the groups were listed. */
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

/** @throws every other error. */
function transientReason(error: unknown): { readonly reason: string } {
  if (isUnavailable(error)) return { reason: error.message };
  throw error;
}

/** An error about a group whose server is away, and what helps. */
export function unavailableApi(server: string, { apiVersion, reason }: UnavailableApi): FieldwiseError {
  return new FieldwiseError('api-unavailable', 'resource', `The API ${apiVersion} does not answer: ${reason}`, {
    location: { server },
    next: `Restore what is behind the APIService ${apiServiceOf(apiVersion)}, or delete that APIService if nothing needs it.`,
  });
}

/** Name of the APIService of a group and version, such as `v1beta1.metrics.k8s.io`. */
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

/** `/api/v1` or `/apis/apps/v1`. */
export function groupVersionPath(apiVersion: string): string {
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

/** Resources that every server has under this version, so that they need no discovery. */
export const namespaces: Resource = { apiVersion: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };

export const customResourceDefinitions: Resource = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};
