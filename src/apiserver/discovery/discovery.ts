import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../../util/json.js';
import type { DiscoveredResource } from '../registry/discovered-resource.js';
import type { ServedVersion } from '../registry/resource.js';
import { compareVersions } from '../resources/custom-resource.js';
import { subresourcesOf } from './subresources.js';

/** The built-in groups in the order of discovery; those of custom resources follow by name. Source: observed. */
const groupOrder: readonly string[] = [
  '',
  'apiregistration.k8s.io',
  'apps',
  'events.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'storage.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'scheduling.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
  'discovery.k8s.io',
  'resource.k8s.io',
  'flowcontrol.apiserver.k8s.io',
];

/** Returns the versions of the core API, for `/api`. Source: Kubernetes documentation "The Kubernetes API", "Discovery API". */
export function apiVersions(server: string): JsonObject {
  return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: server }] };
}

export function groupList(resources: readonly DiscoveredResource[]): JsonObject {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: allGroups(resources).map((group) => groupBody(resources, group)) as Json };
}

export function group(resources: readonly DiscoveredResource[], name: string): JsonObject | undefined {
  if (!allGroups(resources).includes(name)) return undefined;
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupBody(resources, name) };
}

function groupBody(resources: readonly DiscoveredResource[], name: string): JsonObject {
  const versions = versionsOf(resources, name).map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions, preferredVersion: versions[0] ?? null };
}

/** Returns the groups other than the core group. */
export function allGroups(resources: readonly DiscoveredResource[]): readonly string[] {
  const names = [...new Set(resources.map((resource) => resource.group))].filter((name) => name !== '');
  const place = (name: string) => (groupOrder.includes(name) ? groupOrder.indexOf(name) : groupOrder.length);
  return names.toSorted((left, right) => place(left) - place(right) || (left < right ? -1 : 1));
}

/** Returns the versions of a group, the preferred one first. */
export function versionsOf(resources: readonly DiscoveredResource[], name: string): readonly string[] {
  const versions = new Set(resources.filter(({ group }) => group === name).flatMap(({ versions }) => [...versions.keys()]));
  return [...versions].toSorted(compareVersions);
}

/** Returns the resources of a version by name. */
function membersOf(resources: readonly DiscoveredResource[], group: string, version: string): readonly DiscoveredResource[] {
  return resources
    .filter((resource) => resource.group === group && resource.versions.has(version))
    .toSorted((left, right) => (left.plural < right.plural ? -1 : 1));
}

/** Returns the resources of a group and version; undefined if there are none. */
export function resourceList(resources: readonly DiscoveredResource[], groupName: string, version: string): JsonObject | undefined {
  const members = membersOf(resources, groupName, version);
  if (members.length === 0) return undefined;
  const list = members.flatMap((resource) => entries(resource, version));
  // The list of the core group has no apiVersion. Source: observed.
  if (groupName === '') return { kind: 'APIResourceList', groupVersion: version, resources: list as unknown as Json };
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${groupName}/${version}`, resources: list as unknown as Json };
}

function entries(resource: DiscoveredResource, name: string): JsonObject[] {
  const { plural, singular, namespaced, kind, verbs, shortNames, categories, storage } = resource;
  const main: JsonObject = {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs,
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(resource.stored === false || storage === undefined ? {} : { storageVersionHash: storageVersionHash(storage, kind) }),
  };
  const subresources = subresourcesOf(resource, resource.versions.get(name) as ServedVersion).map(
    ({ name: subresource, group: ownGroup, version, kind: ownKind, verbs: ownVerbs }): JsonObject => ({
      name: `${plural}/${subresource}`,
      singularName: '',
      namespaced,
      ...(ownGroup === undefined ? {} : { group: ownGroup, version }),
      kind: ownKind,
      verbs: ownVerbs,
    }),
  );
  return [main, ...subresources];
}

/** Versions in which the real server stores kinds of which this server has one version. Source: observed. */
const storedIn: Readonly<Record<string, string>> = {
  CustomResourceDefinition: 'apiextensions.k8s.io/v1beta1',
  MutatingAdmissionPolicy: 'admissionregistration.k8s.io/v1beta1',
  MutatingAdmissionPolicyBinding: 'admissionregistration.k8s.io/v1beta1',
};

/** Returns the hash that changes with the version in which objects are stored. Source: Kubernetes API reference, APIResource; observed. */
function storageVersionHash(storage: string, kind: string): string {
  const own = storedIn[kind];
  const version = own?.startsWith(storage.slice(0, storage.indexOf('/') + 1)) === true ? own : storage;
  const text = `${version.includes('/') ? '' : '/'}${version}/${kind}`;
  return createHash('sha256').update(text).digest().subarray(0, 8).toString('base64');
}

/** Returns all groups, versions and resources in one document. Source: KEP-3352 Aggregated Discovery. */
export function aggregated(resources: readonly DiscoveredResource[], groups: readonly string[]): JsonObject {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map((name) => ({
      metadata: name === '' ? {} : { name },
      versions: versionsOf(resources, name).map((version) => ({
        version,
        resources: membersOf(resources, name, version).map((resource) => discovered(resource, version)),
        freshness: 'Current',
      })),
    })) as unknown as Json,
  };
}

function discovered(resource: DiscoveredResource, name: string): JsonObject {
  // Group and version of a built-in kind are those of the document. Source: observed.
  const isCustom = resource.strategy?.custom === true;
  const responseKind = { group: isCustom ? resource.group : '', version: isCustom ? name : '', kind: resource.kind };
  const subresources = subresourcesOf(resource, resource.versions.get(name) as ServedVersion).map(
    ({ name: subresource, group: ownGroup, version, kind, verbs }): JsonObject => ({
      subresource,
      responseKind: ownGroup === undefined ? { ...responseKind, kind } : { group: ownGroup, version, kind },
      verbs,
    }),
  );
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
