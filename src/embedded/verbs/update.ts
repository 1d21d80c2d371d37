import { updateRequest } from '../../ownership/index.js';
import { conflictOn, notFound } from '../api/failure.js';
import { type ApiRequest, type ApiResponse, answer } from '../api/request.js';
import { traitsOf } from '../built-in/traits.js';
import { storeName } from '../resources/resource.js';
import { type Backend, keyOf, type NamedTarget } from './backend.js';
import { objectBody } from './body.js';
import { checkKind } from './create.js';
import { checkNames } from './names.js';
import { writeOptions } from './options.js';
import { readFor, scopeOf } from './scope.js';
import { decodingWarnings, strictProblems } from './validation.js';
import { createObject, metadataOf, updateObject } from './write.js';

/** PUT. */
export async function updateVerb(backend: Backend, target: NamedTarget, request: ApiRequest): Promise<ApiResponse> {
  const options = writeOptions(request, 'UpdateOptions');
  const { resource, version, subresource } = target;
  const { object: body, repeated } = await objectBody(request, target);
  checkKind(target, body);
  const decoded = resource.form.decode(body, version.apiVersion);
  const warnings = decodingWarnings(target, options, strictProblems(decoded.unknown, repeated));
  checkNames(target, decoded.object);
  const stored = backend.store.get(keyOf(target));
  if (stored === undefined) {
    if (traitsOf(storeName(resource)).createOnUpdate !== true || resource.form.custom || subresource !== undefined)
      throw notFound(resource, target.name);
    const owned = updateRequest({ ...scopeOf(backend, target, options.manager), live: undefined, object: decoded.object });
    const created = createObject(backend, target, owned, options.dryRun);
    return answer(201, created.object, [...warnings, ...created.warnings]);
  }
  const live = readFor(target, stored);
  const { uid } = metadataOf(decoded.object);
  if (uid !== undefined && uid !== '' && uid !== metadataOf(live).uid) {
    throw conflictOn(
      resource,
      target.name,
      `Precondition failed: UID in precondition: ${String(uid)}, UID in object meta: ${String(metadataOf(live).uid)}`,
    );
  }
  const owned = updateRequest({ ...scopeOf(backend, target, options.manager), live, object: decoded.object });
  const updated = updateObject(backend, target, stored, live, owned, { dryRun: options.dryRun, subresource });
  return answer(200, updated.object, [...warnings, ...updated.warnings]);
}
