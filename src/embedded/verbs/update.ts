import { updateRequest } from '../../ownership/index.js';
import type { Json, JsonObject } from '../../util/json.js';
import { admit } from '../admission/admit.js';
import { conflictOn, notFound } from '../api/failure.js';
import { type ApiRequest, type ApiResponse, answer } from '../api/request.js';
import { objectBody } from '../http/body.js';
import { decodeBody } from '../http/decode-body.js';
import { type Backend, keyOf, type NamedTarget } from '../registry/backend.js';
import { checkNames } from '../registry/names.js';
import { writeOptions } from '../registry/options.js';
import { withEachOwnerOnce } from '../registry/owners.js';
import { readFor, scopeOf } from '../registry/scope.js';
import { metadataOf, updateObject } from '../registry/write.js';
import { createInPlace, createsOnUpdate } from './create.js';

/** PUT. */
export async function updateVerb(backend: Backend, target: NamedTarget, request: ApiRequest): Promise<ApiResponse> {
  const options = writeOptions(request, 'UpdateOptions');
  const { resource, subresource } = target;
  const { object: body, repeated } = await objectBody(request, target);
  const decoded = decodeBody(target, options, body, repeated);
  checkNames(target, decoded);
  const object = withEachOwnerOnce(target, decoded, 'body');
  const stored = backend.store.get(keyOf(target));
  if (stored === undefined) {
    if (!createsOnUpdate(target)) throw notFound(resource, target.name);
    checkUid(target, decoded, '', options.dryRun);
    const owned = updateRequest({ ...scopeOf(backend, target, options.manager), live: undefined, object });
    return createInPlace(backend, target, request, owned, options.dryRun);
  }
  const live = readFor(target, stored);
  checkUid(target, decoded, metadataOf(live).uid, options.dryRun);
  const owned = updateRequest({ ...scopeOf(backend, target, options.manager), live, object });
  const admitted = await admit(backend, target, request, { operation: 'UPDATE', object: owned, before: live, dryRun: options.dryRun });
  const updated = updateObject(backend, target, stored, live, admitted, { dryRun: options.dryRun, subresource });
  return answer(200, updated.object, updated.warnings);
}

/** What the body says of the uid must be so. @throws Failure 409 */
function checkUid(target: NamedTarget, object: JsonObject, found: Json | undefined, dryRun: boolean): void {
  const { uid } = metadataOf(object);
  if (uid === undefined || uid === '' || uid === found) return;
  throw conflictOn(
    target.resource,
    target.name,
    `StorageError: invalid object, Code: 4, Key: ${dryRun ? '' : '/registry'}${registryKey(target)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${String(uid)}, UID in object meta: ${String(found)}`,
  );
}

/** Where the server says that it keeps an object. */
function registryKey({ resource: { group, plural, form }, namespace, name }: NamedTarget): string {
  const place = form.custom ? `${group}/${plural}` : (registryNames[plural] ?? plural);
  return ['', place, ...(namespace === undefined ? [] : [namespace]), name].join('/');
}

const registryNames: Readonly<Record<string, string>> = {
  endpoints: 'services/endpoints',
  ingresses: 'ingress',
  nodes: 'minions',
  replicationcontrollers: 'controllers',
  services: 'services/specs',
};
