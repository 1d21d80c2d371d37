import { isTerminating, metadataOf, nameOf } from '../../kubernetes/object.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { type FieldError, invalidValue } from '../api/field-error.js';
import { type ApiRequest, type ApiResponse, apiResponse } from '../api/request.js';
import { badRequest, internalError, invalid, methodNotAllowed, notFound, StatusError } from '../api/status-error.js';
import { reviewBody } from '../http/body.js';
import { type Backend, keyOf, type ObjectTarget } from '../registry/backend.js';
import { storeName } from '../registry/resource.js';
import { selectorMatcher } from '../registry/selectors.js';
import { deletePod } from './delete.js';

type SubresourceVerb = (backend: Backend, target: ObjectTarget, request: ApiRequest) => ApiResponse | Promise<ApiResponse>;

const connectMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Subresources of a Pod with a verb of their own. Those that need a kubelet fail as on a server whose nodes run none. */
const verbs: Readonly<Record<string, SubresourceVerb>> = {
  attach: connectVerb,
  eviction: evictionVerb,
  exec: connectVerb,
  log: logVerb,
  portforward: connectVerb,
  proxy: proxyVerb,
};

/** Returns the verb of a subresource that no other kind has. */
export function podSubresource({ resource, subresource = '' }: ObjectTarget): SubresourceVerb | undefined {
  return storeName(resource) === '/pods' && Object.hasOwn(verbs, subresource) ? verbs[subresource] : undefined;
}

function podOf(backend: Backend, target: ObjectTarget): JsonObject {
  const pod = backend.store.get(keyOf(target));
  if (pod === undefined) throw notFound(target.resource, target.name);
  return pod;
}

/** Handles GET of a log, which is empty before a Pod has a node. Source: Kubernetes API reference, Pod; responses of a server. */
function logVerb(backend: Backend, target: ObjectTarget, request: ApiRequest): ApiResponse {
  if (request.method !== 'GET') throw methodNotAllowed();
  const errors = logErrors(request.query);
  if (errors.length > 0) throw invalid('PodLogOptions', '', target.name, errors);
  const pod = podOf(backend, target);
  checkContainer(pod, request.query.get('container'));
  if (nodeNameOf(pod) === '') return apiResponse(204, null);
  throw unreachableNode(backend, target, nodeNameOf(pod));
}

function logErrors(query: URLSearchParams): readonly FieldError[] {
  const atLeast = (name: string, least: number, text: string) => {
    const value = query.get(name);
    return value !== null && Number(value) < least ? [invalidValue(name, Number(value), text)] : [];
  };
  return [
    ...atLeast('tailLines', 0, 'must be greater than or equal to 0'),
    ...atLeast('limitBytes', 1, 'must be greater than 0'),
    ...atLeast('sinceSeconds', 1, 'must be greater than 0'),
  ];
}

/** Handles exec, attach and port-forward. */
function connectVerb(backend: Backend, target: ObjectTarget, { method, query }: ApiRequest): ApiResponse {
  if (method !== 'GET' && method !== 'POST') throw methodNotAllowed();
  const pod = podOf(backend, target);
  if (target.subresource !== 'portforward') checkContainer(pod, query.get('container'));
  if (nodeNameOf(pod) === '') throw badRequest(`pod ${target.name} does not have a host assigned`);
  throw unreachableNode(backend, target, nodeNameOf(pod));
}

function proxyVerb(backend: Backend, target: ObjectTarget, { method }: ApiRequest): ApiResponse {
  if (!connectMethods.includes(method)) throw methodNotAllowed();
  podOf(backend, target);
  throw badRequest('address not allowed');
}

function nodeNameOf({ spec }: JsonObject): string {
  return isJsonObject(spec) ? String(spec.nodeName ?? '') : '';
}

function checkContainer({ spec, metadata }: JsonObject, wanted: string | null): void {
  const namesIn = (list: Json | undefined) => ((list ?? []) as readonly JsonObject[]).map(({ name }) => String(name));
  const { containers, initContainers, ephemeralContainers } = isJsonObject(spec) ? spec : {};
  const main = namesIn(containers);
  const pod = String(metadataOf({ metadata: metadata as JsonObject }).name);
  if (wanted) {
    if ([...main, ...namesIn(initContainers), ...namesIn(ephemeralContainers)].includes(wanted)) return;
    throw badRequest(`container ${wanted} is not valid for pod ${pod}`);
  }
  if (main.length > 1) throw badRequest(`a container name must be specified for pod ${pod}, choose one of: [${main.join(' ')}]`);
}

function unreachableNode({ store }: Backend, { resource }: ObjectTarget, node: string): StatusError {
  if (store.get({ resource: '/nodes', namespace: '', name: node }) === undefined) return notFound(resource, node);
  return internalError('no preferred addresses found; known addresses: []');
}

/**
 * Handles an eviction: a deletion that a PodDisruptionBudget can refuse.
 * Source: Kubernetes documentation "API-initiated Eviction"; responses of a server.
 */
async function evictionVerb(backend: Backend, target: ObjectTarget, request: ApiRequest): Promise<ApiResponse> {
  if (request.method !== 'POST') throw methodNotAllowed();
  const object = await reviewBody(request, { apiVersion: 'policy/v1', kind: 'Eviction' });
  if (metadataOf(object).name !== target.name) throw badRequest('name in URL does not match name in Eviction object');
  const pod = podOf(backend, target);
  checkBudgets(backend, target, pod);
  const options = isJsonObject(object.deleteOptions) ? object.deleteOptions : {};
  await deletePod(backend, target, options, request);
  return apiResponse(201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 });
}

function checkBudgets({ store }: Backend, { namespace = '' }: ObjectTarget, pod: JsonObject): void {
  const phase = isJsonObject(pod.status) ? pod.status.phase : undefined;
  if (phase !== 'Running' || isTerminating(pod)) return;
  for (const budget of store.list('policy/poddisruptionbudgets', namespace)) {
    const [spec, status] = [budget.spec, budget.status].map((part) => (isJsonObject(part) ? part : {})) as [JsonObject, JsonObject];
    if (!selectorMatcher(spec.selector)(pod) || Number(status.disruptionsAllowed ?? 0) > 0) continue;
    const isObserved = Number(status.observedGeneration ?? 0) >= Number(metadataOf(budget).generation ?? 0);
    const message = isObserved
      ? `The disruption budget ${nameOf(budget)} needs ${Number(status.desiredHealthy ?? 0)} healthy pods and has ${Number(status.currentHealthy ?? 0)} currently`
      : `The disruption budget ${nameOf(budget)} is still being processed by the server.`;
    const text = "Cannot evict pod as it would violate the pod's disruption budget.";
    const causes = [{ reason: 'DisruptionBudget', message }];
    const retry = isObserved ? {} : { retryAfterSeconds: 10 };
    throw new StatusError(429, 'TooManyRequests', text, { causes, ...retry }, isObserved ? {} : { headers: { 'retry-after': '10' } });
  }
}
