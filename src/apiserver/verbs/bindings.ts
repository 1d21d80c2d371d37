import { metadataOf } from '../../fields/object.js';
import { type ApiRequest, type ApiResponse, apiResponse } from '../api/request.js';
import { methodNotAllowed } from '../api/status-error.js';
import { reviewBody } from '../http/body.js';
import type { Backend, ObjectTarget } from '../registry/backend.js';
import type { DiscoveredResource } from '../registry/discovered-resource.js';
import type { Resource, ServedVersion } from '../registry/resource.js';
import { preparePolicies } from '../write/prepare-validation.js';
import { bindPod } from './bind-pod.js';

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

/** Handles POST of a Binding to `bindings`. @throws StatusError */
export async function bindingVerb(backend: Backend, namespace: string | undefined, request: ApiRequest): Promise<ApiResponse> {
  if (request.method !== 'POST') throw methodNotAllowed();
  const { name = '' } = metadataOf(await reviewBody(request, { apiVersion: 'v1', kind: 'Binding' }));
  const resource = backend.catalog.byName('/pods') as Resource;
  const version = resource.versions.get('v1') as ServedVersion;
  const target: ObjectTarget = { resource, version, namespace, name, subresource: 'binding', warnings: [] };
  await preparePolicies(backend, target);
  await bindPod(backend, target, request, false);
  return apiResponse(201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }, target.warnings);
}
