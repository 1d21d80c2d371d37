import type { JsonObject } from '../../util/json.js';
import { Admission } from '../admission/admission.js';
import { listOf, structOf } from '../api/json-access.js';
import type { ApiRequest, ApiResponse } from '../api/request.js';
import { badRequest, internalError, methodNotAllowed, notFound, StatusError } from '../api/status-error.js';
import type { Backend, ObjectTarget, RequestTarget } from '../registry/backend.js';
import { storeName } from '../registry/resource.js';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** The object and port that the path of a proxy names. */
interface ProxiedName {
  readonly name: string;
  readonly port: string;
}

type Refusal = (backend: Backend, target: ObjectTarget, proxied: ProxiedName) => StatusError;

/** The refusals of a server whose cluster runs nothing, by resource. */
const refusals: ReadonlyMap<string, Refusal> = new Map([
  ['/nodes', refuseNode],
  ['/pods', refusePod],
  ['/services', refuseService],
]);

export function isProxy({ resource, subresource }: RequestTarget): boolean {
  return subresource === 'proxy' && refusals.has(storeName(resource));
}

/**
 * Answers a request to what runs behind a Pod, Service or Node: nothing does. Source: Kubernetes documentation "Access Services Running on
 * Clusters"; responses of a server.
 *
 * @throws StatusError always
 */
export async function proxyVerb(backend: Backend, target: ObjectTarget, request: ApiRequest): Promise<ApiResponse> {
  if (!methods.includes(request.method)) throw methodNotAllowed();
  await new Admission(backend, target, request).connect();
  const { resource, name } = target;
  const proxied = parseProxied(name);
  if (proxied === undefined) throw badRequest(`invalid ${resource.singular} request ${JSON.stringify(name)}`);
  throw refusals.get(storeName(resource))?.(backend, target, proxied) ?? notFound(resource, name);
}

/** Parses `NAME`, `NAME:PORT` and `SCHEME:NAME:PORT`. */
function parseProxied(text: string): ProxiedName | undefined {
  const [, name = '', port = ''] = /^(?:(?:|https?):(?=[^:]*:))?([^:]+)(?::([^:]*))?$/.exec(text) ?? [];
  return name === '' ? undefined : { name, port };
}

function objectOf({ store }: Backend, { resource, namespace = '' }: ObjectTarget, name: string): JsonObject {
  const found = store.get({ resource: storeName(resource), namespace, name });
  if (found === undefined) throw notFound(resource, name);
  return found;
}

function refusePod(backend: Backend, target: ObjectTarget, { name }: ProxiedName): StatusError {
  objectOf(backend, target, name);
  return badRequest('address not allowed');
}

function refuseNode(backend: Backend, target: ObjectTarget, { name }: ProxiedName): StatusError {
  const { addresses } = structOf(objectOf(backend, target, name).status);
  return listOf(addresses).length > 0 ? badRequest('address not allowed') : unreachableNode();
}

export function unreachableNode(): StatusError {
  return internalError('no preferred addresses found; known addresses: []');
}

/** A port is named by the Service, and looked for in its Endpoints. */
function refuseService(backend: Backend, target: ObjectTarget, { name, port }: ProxiedName): StatusError {
  const unavailable = (reason: string) => new StatusError(503, 'ServiceUnavailable', reason);
  if (/^\d+$/.test(port) && Number(port) > 0 && Number(port) <= 65535) {
    const ports = listOf(structOf(objectOf(backend, target, name).spec).ports);
    if (ports.every((each) => each.port !== Number(port)))
      return unavailable(`no service port ${port} found for service ${JSON.stringify(name)}`);
  }
  const endpoints = backend.store.get({ resource: '/endpoints', namespace: target.namespace ?? '', name });
  if (endpoints === undefined) return notFound(target.resource, name);
  const asked = listOf(endpoints.subsets).length === 0 ? name : target.name;
  return unavailable(`no endpoints available for service ${JSON.stringify(asked)}`);
}
