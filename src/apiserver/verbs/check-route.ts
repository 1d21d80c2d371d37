import type { ApiRequest } from '../api/request.js';
import { badRequest, methodNotAllowed, noSuchPath, notFound } from '../api/status-error.js';
import type { RequestTarget } from '../registry/backend.js';
import { storeName } from '../registry/resource.js';
import { patchMediaType } from './patch.js';
import { isPodAction, isPodPart } from './pod-subresources.js';
import { isProxy } from './proxy.js';

const collectionMethods = ['GET', 'POST', 'DELETE'];
const objectMethods = ['GET', 'PUT', 'PATCH', 'DELETE'];
const partMethods = ['GET', 'PUT', 'PATCH'];

/** Methods of the verbs for a part of an object. */
const methods: Readonly<Record<string, string>> = { get: 'GET', update: 'PUT', patch: 'PATCH' };

/**
 * Checks that a resource has the path and the method of a request, and that a patch is of a known type. A server does so before it
 * negotiates the representation of the response. Source: observed.
 *
 * @throws StatusError 400, 404, 405, 415
 */
export function checkRoute(target: RequestTarget, request: ApiRequest): void {
  if (target.resource.strategy.custom) checkCustomRoute(target, request);
  else checkBuiltInRoute(target, request);
}

function checkBuiltInRoute(target: RequestTarget, request: ApiRequest): void {
  const served = servedMethods(target);
  if (served?.includes(request.method) === false) throw methodNotAllowed();
  if (request.method === 'PATCH' && served !== undefined) patchMediaType(target, request);
}

/** Returns the methods of a path; undefined if what answers it knows them. @throws StatusError 404 */
function servedMethods(target: RequestTarget): readonly string[] | undefined {
  const { resource, version, name, subresource } = target;
  // Namespaces are deleted one by one only.
  if (name === undefined) return storeName(resource) === '/namespaces' ? collectionMethods.slice(0, 2) : collectionMethods;
  if (subresource === undefined) return objectMethods;
  if (subresource === 'token' && storeName(resource) === '/serviceaccounts') return ['POST'];
  if (isProxy(target) || isPodAction(target)) return undefined;
  const part = version.parts?.[subresource];
  if (part !== undefined) return part.map((verb) => methods[verb] ?? verb);
  if (hasStatusOrScale(target) || isPodPart(target)) return partMethods;
  throw noSuchPath();
}

function hasStatusOrScale({ version, subresource }: RequestTarget): boolean {
  return (subresource === 'status' && version.status) || (subresource === 'scale' && version.scale !== undefined);
}

/** Checks a path of a custom resource, whose handler looks at the name only when it needs one. */
function checkCustomRoute(target: RequestTarget, request: ApiRequest): void {
  const { resource, name, subresource } = target;
  if (subresource !== undefined && !hasStatusOrScale(target)) throw notFound(resource, name ?? '');
  if (subresource !== undefined && !partMethods.includes(request.method)) throw methodNotAllowed();
  if (request.method === 'PATCH') patchMediaType(target, request);
  if (name === undefined && (request.method === 'PUT' || request.method === 'PATCH')) throw badRequest('name must be provided');
}
