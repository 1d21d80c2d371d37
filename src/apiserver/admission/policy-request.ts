import { groupOf } from '../../util/api-version.js';
import type { JsonObject } from '../../util/json.js';
import type { ApiRequest } from '../api/request.js';
import type { PolicyRequest, PolicySurroundings, VersionedResource } from '../policies/request.js';
import type { Backend, RequestTarget } from '../registry/backend.js';
import { apiVersionOf, storeName } from '../registry/resource.js';
import type { PolicyAttributes } from './policy-attributes.js';

/** Returns a request as policies and the match conditions of webhooks see it. */
export function policyRequestOf(
  backend: Backend,
  target: RequestTarget,
  request: ApiRequest,
  { operation, object, oldObject, dryRun, options }: PolicyAttributes,
): PolicyRequest {
  const { resource, version, subresource = '', namespace = '', name = '' } = target;
  const { apiVersion, kind } = (object ?? oldObject ?? { apiVersion: version.apiVersion, kind: resource.kind }) as Record<string, string>;
  const own = (object ?? oldObject) === null ? version.apiVersion : String(apiVersion);
  return {
    operation,
    resource: { group: resource.group, version: version.name, resource: resource.plural, kind: resource.kind },
    equivalents: equivalentsOf(backend, target),
    subresource,
    kind: { group: groupOf(own), version: own.slice(own.indexOf('/') + 1), kind: String(kind) },
    namespace: storeName(resource) === '/namespaces' ? name : namespace,
    name,
    object,
    oldObject,
    options: options === undefined ? writeOptionsOf(request, operation) : options,
    dryRun,
  };
}

/** Returns the other versions of a resource, and those of resources in other groups that are stored as the same objects. */
export function equivalentsOf({ catalog }: Backend, { resource, version }: RequestTarget): readonly VersionedResource[] {
  const same = catalog.all().filter((each) => each === resource || storeName(each) === storeName(resource));
  return same.flatMap(({ group, plural, kind, versions }) =>
    [...versions.keys()]
      .filter((each) => each !== version.name || group !== resource.group)
      .map((each) => ({ group, version: each, resource: plural, kind })),
  );
}

/** Returns the options of a write as its query has them. */
function writeOptionsOf({ query }: ApiRequest, operation: string): JsonObject {
  const text = (name: string) => (query.get(name) ? { [name]: query.get(name) } : {});
  const dryRun = query.getAll('dryRun').filter((each) => each !== '');
  return {
    kind: operation === 'CREATE' ? 'CreateOptions' : 'UpdateOptions',
    apiVersion: 'meta.k8s.io/v1',
    ...(dryRun.length > 0 ? { dryRun } : {}),
    ...text('fieldManager'),
    ...text('fieldValidation'),
  };
}

/** Returns a function that gives an object of a resource in another version. */
export function versionedIn({ resource }: RequestTarget): PolicySurroundings['inVersion'] {
  return (object, { group, version }) => {
    const apiVersion = apiVersionOf(group, version);
    const isMain = object.kind === resource.kind && object.apiVersion !== apiVersion;
    return isMain ? resource.strategy.decode(object, apiVersion) : object;
  };
}
