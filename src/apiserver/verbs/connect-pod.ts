import { metadataOf } from '../../fields/object.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { Admission } from '../admission/admission.js';
import { type FieldError, invalidValue } from '../api/field-error.js';
import { type ApiRequest, type ApiResponse, apiResponse } from '../api/request.js';
import { badRequest, forbidden, internalError, invalid, methodNotAllowed, notFound, type StatusError } from '../api/status-error.js';
import { administrator, type User } from '../api/user.js';
import { decide } from '../authorization/authorize.js';
import { type Backend, type ObjectTarget, targetKey } from '../registry/backend.js';
import { unreachableNode } from './proxy.js';

type ConnectVerb = (backend: Backend, target: ObjectTarget, request: ApiRequest) => ApiResponse | Promise<ApiResponse>;

/** Verbs of the subresources that reach into a running Pod. They fail as on a server whose nodes run no kubelet; simulated workloads say so. */
export const connectVerbs: Readonly<Record<string, ConnectVerb>> = {
  attach: connectVerb,
  exec: connectVerb,
  log: logVerb,
  portforward: connectVerb,
};

function podOf(backend: Backend, target: ObjectTarget): JsonObject {
  const pod = backend.store.get(targetKey(target));
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
  throw refuseNode(backend, target, nodeNameOf(pod));
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

/** Handles exec, attach and port-forward. A GET, by which a websocket begins, needs the verb of the POST, too. */
async function connectVerb(backend: Backend, target: ObjectTarget, request: ApiRequest): Promise<ApiResponse> {
  const { method, query, user = administrator } = request;
  if (method !== 'GET' && method !== 'POST') throw methodNotAllowed();
  if (method === 'GET') confirmCreate(backend, target, user);
  await new Admission(backend, target, request).connect();
  const pod = podOf(backend, target);
  if (target.subresource !== 'portforward') checkContainer(pod, query.get('container'));
  if (nodeNameOf(pod) === '') throw badRequest(`pod ${target.name} does not have a host assigned`);
  throw refuseNode(backend, target, nodeNameOf(pod));
}

function confirmCreate(backend: Backend, { resource, namespace, name, subresource }: ObjectTarget, user: User): void {
  const attributes = { verb: 'create', group: resource.group, resource: resource.plural, subresource, namespace, name };
  const { allowed, reason } = decide(backend, user, attributes);
  if (!allowed) throw forbidden(resource, name, reason);
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

function refuseNode({ store, simulated }: Backend, { resource }: ObjectTarget, node: string): StatusError {
  if (store.get({ resource: '/nodes', namespace: '', name: node }) === undefined) return notFound(resource, node);
  return simulated === true ? internalError('simulated containers have no logs and run no commands') : unreachableNode();
}
