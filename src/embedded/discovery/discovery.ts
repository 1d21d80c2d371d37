import type { Json, JsonObject } from '../../util/json.js';
import { type Resource, type ServedVersion, storeName, subresourceVerbs } from '../registry/resource.js';

/** A resource as discovery describes it. */
export interface DiscoveredResource
  extends Pick<Resource, 'group' | 'plural' | 'singular' | 'kind' | 'namespaced' | 'verbs' | 'shortNames' | 'categories' | 'versions'> {
  /** False for reviews, whose objects are not stored. */
  readonly stored?: false;
}

/** Returns the versions of the core API, for `/api`. Source: Kubernetes documentation "The Kubernetes API", "Discovery API". */
export function apiVersions(server: string): JsonObject {
  return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: server }] };
}

export function groupList(resources: readonly DiscoveredResource[]): JsonObject {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groupsOf(resources).map((group) => groupBody(resources, group)) as Json };
}

export function group(resources: readonly DiscoveredResource[], name: string): JsonObject | undefined {
  if (!groupsOf(resources).includes(name)) return undefined;
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupBody(resources, name) };
}

function groupBody(resources: readonly DiscoveredResource[], name: string): JsonObject {
  const versions = versionsOf(resources, name).map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions, preferredVersion: versions[0] ?? null };
}

function groupsOf(resources: readonly DiscoveredResource[]): string[] {
  return [...new Set(resources.map((resource) => resource.group))].filter((name) => name !== '');
}

function versionsOf(resources: readonly DiscoveredResource[], name: string): string[] {
  return [...new Set(resources.filter(({ group }) => group === name).flatMap(({ versions }) => [...versions.keys()]))];
}

/** Returns the resources of a group and version; undefined if there are none. */
export function resourceList(resources: readonly DiscoveredResource[], groupName: string, version: string): JsonObject | undefined {
  const members = resources.filter((resource) => resource.group === groupName && resource.versions.has(version));
  if (members.length === 0) return undefined;
  const groupVersion = groupName === '' ? version : `${groupName}/${version}`;
  const list = members.toSorted((left, right) => (left.plural < right.plural ? -1 : 1)).flatMap((resource) => entries(resource, version));
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: list as unknown as Json };
}

function entries(resource: DiscoveredResource, name: string): JsonObject[] {
  const { plural, singular, namespaced, kind, verbs, shortNames, categories } = resource;
  const version = resource.versions.get(name) as ServedVersion;
  const main: JsonObject = {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs,
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(resource.stored === false ? {} : { storageVersionHash: Buffer.from(storeName(resource)).toString('base64').slice(0, 12) }),
  };
  const sub = { singularName: '', namespaced, verbs: subresourceVerbs };
  return [
    main,
    ...(version.scale === undefined ? [] : [{ name: `${plural}/scale`, ...sub, group: 'autoscaling', version: 'v1', kind: 'Scale' }]),
    ...(version.status ? [{ name: `${plural}/status`, ...sub, kind }] : []),
  ];
}

/** Returns all groups, versions and resources in one document. Source: KEP-3352 Aggregated Discovery. */
export function aggregated(resources: readonly DiscoveredResource[], groups: readonly string[]): JsonObject {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map((name) => ({
      metadata: { name, creationTimestamp: null },
      versions: versionsOf(resources, name).map((version) => ({
        version,
        resources: resources
          .filter((resource) => resource.group === name && resource.versions.has(version))
          .map((resource) => discovered(resource, version)),
        freshness: 'Current',
      })),
    })) as unknown as Json,
  };
}

export function allGroups(resources: readonly DiscoveredResource[]): string[] {
  return groupsOf(resources);
}

function discovered(resource: DiscoveredResource, name: string): JsonObject {
  const version = resource.versions.get(name) as ServedVersion;
  const responseKind = { group: resource.group, version: name, kind: resource.kind };
  const subresources = [
    ...(version.scale === undefined
      ? []
      : [{ subresource: 'scale', responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' }, verbs: subresourceVerbs }]),
    ...(version.status ? [{ subresource: 'status', responseKind, verbs: subresourceVerbs }] : []),
  ];
  return {
    resource: resource.plural,
    responseKind,
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: resource.singular,
    verbs: resource.verbs,
    ...(resource.shortNames.length > 0 ? { shortNames: resource.shortNames } : {}),
    ...(resource.categories.length > 0 ? { categories: resource.categories } : {}),
    ...(subresources.length > 0 ? { subresources: subresources as unknown as Json } : {}),
  };
}
