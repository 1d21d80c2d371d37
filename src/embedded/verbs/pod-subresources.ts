import { metadataOf } from '../../kubernetes/object.js';
import { type ApiRequest, type ApiResponse, apiResponse } from '../api/request.js';
import { badRequest, methodNotAllowed, notFound } from '../api/status-error.js';
import { structOf } from '../built-in/convert/json-access.js';
import { type Backend, keyOf, type ObjectTarget } from '../registry/backend.js';
import { storeName } from '../registry/resource.js';
import { bindPod } from './bind-pod.js';
import { evictPod } from './evict-pod.js';

/** Subresources that reach into a running Pod. */
const ofRunning = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

/** Returns true for a subresource that writes a part of a Pod's spec. */
export function isPodPart({ resource, subresource }: ObjectTarget): boolean {
  return (subresource === 'ephemeralcontainers' || subresource === 'resize') && storeName(resource) === '/pods';
}

/** Returns true for a subresource of a Pod that is not a part of the object. */
export function isPodAction({ resource, subresource }: ObjectTarget): boolean {
  if (subresource === undefined || storeName(resource) !== '/pods') return false;
  return subresource === 'binding' || subresource === 'eviction' || ofRunning.has(subresource);
}

/**
 * Binds or evicts a Pod, or answers that it does not run. Source: Kubernetes API reference, Binding and Eviction; responses of a server.
 *
 * @throws StatusError
 */
export async function podActionVerb(backend: Backend, target: ObjectTarget, request: ApiRequest): Promise<ApiResponse> {
  const { subresource } = target;
  if (ofRunning.has(subresource ?? '')) return answerForRunning(backend, target);
  if (request.method !== 'POST') throw methodNotAllowed();
  await (subresource === 'binding' ? bindPod : evictPod)(backend, target, request);
  return apiResponse(201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 });
}

/** No node runs the Pods of this server. */
function answerForRunning({ store }: Backend, target: ObjectTarget): ApiResponse {
  const pod = store.get(keyOf(target));
  if (pod === undefined) throw notFound(target.resource, target.name);
  const { nodeName } = structOf(pod.spec);
  if (nodeName) throw notFound(target.resource, String(nodeName));
  if (target.subresource === 'log') return { ...apiResponse(200, ''), contentType: 'text/plain' };
  if (target.subresource === 'proxy') throw badRequest('address not allowed');
  throw badRequest(`pod ${String(metadataOf(pod).name)} does not have a host assigned`);
}
