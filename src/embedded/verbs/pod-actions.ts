import { isTerminating, metadataOf } from '../../kubernetes/object.js';
import { updateRequest } from '../../ownership/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { fieldErrorText, required, unsupported } from '../api/field-error.js';
import { type ApiRequest, type ApiResponse, apiResponse } from '../api/request.js';
import { badRequest, conflictOn, internalError, methodNotAllowed, notFound, StatusError } from '../api/status-error.js';
import type { DiscoveredResource } from '../discovery/discovery.js';
import { reviewBody } from '../http/body.js';
import { type Backend, keyOf, type ObjectTarget } from '../registry/backend.js';
import { decodeStored, requestScopeOf } from '../registry/request-scope.js';
import type { Resource, ServedVersion } from '../registry/resource.js';
import { selectorMatcher } from '../registry/selectors.js';
import { updateObject } from '../registry/write.js';
import { timestamp } from '../storage/clock.js';
import { deleteVerb } from './delete.js';

/** The resource of Bindings, which are not stored, as discovery lists it. */
export const discoveredBindings: DiscoveredResource = {
  group: '',
  plural: 'bindings',
  singular: 'binding',
  kind: 'Binding',
  namespaced: true,
  verbs: ['create'],
  shortNames: [],
  categories: [],
  stored: false,
  versions: new Map([['v1', { name: 'v1', apiVersion: 'v1', status: false, scale: undefined }]]),
};

const created: JsonObject = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

const bindingKind = { apiVersion: 'v1', kind: 'Binding' };

/** Handles POST of a Binding to `bindings`. @throws StatusError */
export async function bindingVerb(backend: Backend, namespace: string | undefined, request: ApiRequest): Promise<ApiResponse> {
  if (request.method !== 'POST') throw methodNotAllowed();
  const object = await reviewBody(request, bindingKind);
  const resource = backend.catalog.byName('/pods') as Resource;
  const version = resource.versions.get('v1') as ServedVersion;
  const { name = '' } = metadataOf(object);
  return bind(backend, { resource, version, namespace, name, subresource: 'binding', warnings: [] }, object, isDryRun(request));
}

/** Handles POST of a Binding or an Eviction to a Pod; undefined for other subresources. @throws StatusError */
export async function podAction(backend: Backend, target: ObjectTarget, request: ApiRequest): Promise<ApiResponse | undefined> {
  const { subresource } = target;
  if (subresource !== 'binding' && subresource !== 'eviction') return undefined;
  if (request.method !== 'POST') throw methodNotAllowed();
  const object = await reviewBody(request, subresource === 'binding' ? bindingKind : { apiVersion: 'policy/v1', kind: 'Eviction' });
  return subresource === 'binding' ? bind(backend, target, object, isDryRun(request)) : evict(backend, target, object, request);
}

function isDryRun({ query }: ApiRequest): boolean {
  return query.getAll('dryRun').includes('All');
}

/** Assigns a Pod to a node. Source: Kubernetes API reference, Binding; messages as observed. */
function bind(backend: Backend, target: ObjectTarget, binding: JsonObject, dryRun: boolean): ApiResponse {
  const { kind = '', name = '' } = (isJsonObject(binding.target) ? binding.target : {}) as { kind?: string; name?: string };
  if (kind !== '' && kind !== 'Node') throw internalError(fieldErrorText(unsupported('target.kind', kind, ['Node', '<empty>'])));
  if (name === '') throw internalError(fieldErrorText(required('target.name')));
  const pod = podOf(backend, target);
  const spec = pod.spec as JsonObject;
  if (spec.nodeName !== undefined && spec.nodeName !== '') {
    const reason = `pod ${target.name} is already assigned to node ${JSON.stringify(spec.nodeName)}`;
    throw conflictOn({ group: '', plural: 'pods/binding' }, target.name, reason);
  }
  const metadata = metadataOf(pod) as JsonObject;
  const annotations = { ...(metadata.annotations as JsonObject), ...((metadataOf(binding) as JsonObject).annotations as JsonObject) };
  const bound = {
    ...pod,
    metadata: Object.keys(annotations).length === 0 ? metadata : { ...metadata, annotations },
    spec: { ...spec, nodeName: name },
    status: scheduled(pod, timestamp(backend.clock)),
  };
  if (!dryRun) backend.store.put(keyOf(target), bound);
  return apiResponse(201, created);
}

function podOf(backend: Backend, target: ObjectTarget): JsonObject {
  const stored = backend.store.get(keyOf(target));
  if (stored === undefined) throw notFound(target.resource, target.name);
  return stored;
}

/** Returns the status of a Pod with the condition that it is scheduled. */
function scheduled({ status }: JsonObject, now: string): JsonObject {
  const { conditions = [], ...rest } = (isJsonObject(status) ? status : {}) as { conditions?: readonly JsonObject[] };
  const condition = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: now };
  return { ...rest, conditions: [...conditions.filter(({ type }) => type !== 'PodScheduled'), condition] };
}

/** Deletes a Pod unless a disruption budget forbids it. Source: Kubernetes documentation "API-initiated Eviction". */
async function evict(backend: Backend, target: ObjectTarget, eviction: JsonObject, request: ApiRequest): Promise<ApiResponse> {
  const { name = target.name } = metadataOf(eviction);
  if (name !== '' && name !== target.name) throw badRequest('name in URL does not match name in Eviction object');
  const pod = podOf(backend, target);
  const budget = budgetOf(backend, pod);
  if (budget !== undefined) useBudget(backend, target, pod, budget, isDryRun(request));
  const options = isJsonObject(eviction.deleteOptions) ? eviction.deleteOptions : {};
  const body = JSON.stringify({ ...options, ...(isDryRun(request) ? { dryRun: ['All'] } : {}) });
  await deleteVerb(backend, { ...target, subresource: undefined }, { ...request, method: 'DELETE', body });
  return apiResponse(201, created);
}

const budgets = 'policy/poddisruptionbudgets';

/** Returns the stored budget of a Pod that disruptions are counted for. @throws StatusError 500 if it has several */
function budgetOf(backend: Backend, pod: JsonObject): JsonObject | undefined {
  const { phase } = (isJsonObject(pod.status) ? pod.status : {}) as { phase?: string };
  if (isTerminating(pod) || ['Pending', 'Succeeded', 'Failed'].includes(String(phase))) return undefined;
  const matching = backend.store.list(budgets, metadataOf(pod).namespace).filter(({ spec }) => {
    const { selector } = (isJsonObject(spec) ? spec : {}) as { selector?: Json };
    return selector !== undefined && selectorMatcher(selector)(pod);
  });
  if (matching.length > 1)
    throw internalError('This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.');
  return matching[0];
}

/** The counts of a budget. */
interface Counts {
  readonly currentHealthy?: number;
  readonly desiredHealthy?: number;
  readonly disruptionsAllowed?: number;
  readonly observedGeneration?: number;
}

/** Counts a disruption. @throws StatusError 429 if the budget allows none */
function useBudget(backend: Backend, { name: podName }: ObjectTarget, pod: JsonObject, stored: JsonObject, dryRun: boolean): void {
  const resource = backend.catalog.byName(budgets) as Resource;
  const version = resource.versions.get('v1') as ServedVersion;
  const { name = '', namespace, generation = 0 } = metadataOf(stored);
  const target: ObjectTarget = { resource, version, namespace, name, subresource: 'status', warnings: [] };
  const live = decodeStored(target, stored);
  const status = isJsonObject(live.status) ? live.status : {};
  const { currentHealthy = 0, desiredHealthy = 0, disruptionsAllowed = 0, observedGeneration = 0 } = status as Counts;
  if (!isReady(pod) && currentHealthy >= desiredHealthy && desiredHealthy > 0) return;
  if (observedGeneration < generation) throw tooManyDisruptions(`The disruption budget ${name} is still being processed by the server.`);
  if (disruptionsAllowed <= 0)
    throw tooManyDisruptions(`The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`);
  const disruptedPods = { ...(isJsonObject(status.disruptedPods) ? status.disruptedPods : {}), [podName]: timestamp(backend.clock) };
  const changed = { ...live, status: { ...status, disruptionsAllowed: disruptionsAllowed - 1, disruptedPods } };
  const object = updateRequest({ ...requestScopeOf(backend, target, 'apiserver'), live, object: changed });
  updateObject(backend, target, stored, live, { object, explicitEmpty: [] }, { dryRun, subresource: 'status' });
}

function isReady({ status }: JsonObject): boolean {
  const { conditions = [] } = (isJsonObject(status) ? status : {}) as { conditions?: readonly JsonObject[] };
  return conditions.some((condition) => condition.type === 'Ready' && condition.status === 'True');
}

function tooManyDisruptions(message: string): StatusError {
  const details = { causes: [{ reason: 'DisruptionBudget', message }] };
  return new StatusError(429, 'TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", details);
}
