import { type ApiRequest, type ApiResponse, apiResponse } from '../api/request.js';
import { methodNotAllowed } from '../api/status-error.js';
import type { Backend, ObjectTarget, RequestTarget } from '../registry/backend.js';
import { storeName } from '../registry/resource.js';
import { bindPod } from './bind-pod.js';
import { connectVerbs } from './connect-pod.js';
import { evictPod } from './evict-pod.js';

/** Returns true for a subresource that writes a part of a Pod's spec. */
export function isPodPart({ resource, subresource }: RequestTarget): boolean {
  return (subresource === 'ephemeralcontainers' || subresource === 'resize') && storeName(resource) === '/pods';
}

/** Returns true for a subresource of a Pod that is not a part of the object. */
export function isPodAction({ resource, subresource }: RequestTarget): boolean {
  if (subresource === undefined || storeName(resource) !== '/pods') return false;
  return subresource === 'binding' || subresource === 'eviction' || Object.hasOwn(connectVerbs, subresource);
}

/**
 * Binds or evicts a Pod, or answers that it does not run. Source: Kubernetes API reference, Binding and Eviction; responses of a server.
 *
 * @throws StatusError
 */
export async function podActionVerb(backend: Backend, target: ObjectTarget, request: ApiRequest): Promise<ApiResponse> {
  const { subresource = '' } = target;
  const connect = Object.hasOwn(connectVerbs, subresource) ? connectVerbs[subresource] : undefined;
  if (connect !== undefined) return connect(backend, target, request);
  if (request.method !== 'POST') throw methodNotAllowed();
  await (subresource === 'binding' ? bindPod : evictPod)(backend, target, request);
  return apiResponse(201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 });
}
