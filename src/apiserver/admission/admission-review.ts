import type { Json, JsonObject } from '../../util/json.js';
import type { PolicyRequest, VersionedResource } from '../policies/request.js';

/** A request with its objects in the version that a webhook matches. */
export interface VersionedRequest {
  readonly request: PolicyRequest;
  /** The resource that the webhook matches. */
  readonly resource: VersionedResource;
  readonly object: JsonObject | null;
  readonly oldObject: JsonObject | null;
}

/** Returns true for the resource and version of the request itself. */
export function isOwnVersion({ group, version, resource }: VersionedResource, own: VersionedResource): boolean {
  return group === own.group && version === own.version && resource === own.resource;
}

/** Returns the review of a request that a webhook is sent. Source: Kubernetes API reference, AdmissionReview. */
export function admissionReview(
  uid: string,
  reviewVersion: string,
  { request, resource, object, oldObject }: VersionedRequest,
  userInfo: JsonObject,
): JsonObject {
  const kindOf = ({ group, version, kind }: Omit<VersionedResource, 'resource'>) => ({ group, version, kind });
  const resourceOf = ({ group, version, resource: plural }: VersionedResource) => ({ group, version, resource: plural });
  const given = (name: string, value: string): Readonly<Record<string, Json>> => (value === '' ? {} : { [name]: value });
  return {
    apiVersion: `admission.k8s.io/${reviewVersion}`,
    kind: 'AdmissionReview',
    request: {
      uid,
      kind: kindOf(isOwnVersion(resource, request.resource) ? request.kind : resource),
      resource: resourceOf(resource),
      ...given('subResource', request.subresource),
      requestKind: kindOf(request.kind),
      requestResource: resourceOf(request.resource),
      ...given('requestSubResource', request.subresource),
      ...given('name', request.name),
      ...given('namespace', request.namespace),
      operation: request.operation,
      userInfo,
      object,
      oldObject,
      dryRun: request.dryRun,
      options: request.options,
    },
  };
}
