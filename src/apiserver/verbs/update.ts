import { metadataOf, uidOf } from '../../fields/object.js';
import { updateRequest } from '../../ownership/index.js';
import type { Json, JsonObject } from '../../util/json.js';
import { Admission } from '../admission/admission.js';
import { type ApiRequest, type ApiResponse, apiResponse } from '../api/request.js';
import { conflictOn, notFound } from '../api/status-error.js';
import { withConversions } from '../conversion/conversions.js';
import { readStored, requestScopeOf } from '../conversion/request-scope.js';
import { objectBody } from '../http/body.js';
import { decodeBody } from '../http/decode-body.js';
import { letOthersGoOn } from '../http/turns.js';
import { type Backend, type ObjectTarget, targetKey } from '../registry/backend.js';
import { checkNames } from '../registry/check-names.js';
import { dedupOwnerReferences } from '../registry/dedup-owner-references.js';
import { writeOptions } from '../registry/write-options.js';
import { updateObject } from '../write/write.js';
import { allowsCreateOnUpdate, createOnUpdate } from './create.js';

/** Handles PUT. @throws StatusError */
export async function updateVerb(backend: Backend, target: ObjectTarget, request: ApiRequest): Promise<ApiResponse> {
  const options = writeOptions(request, 'UpdateOptions');
  const { resource, subresource } = target;
  const { object: body, duplicateFields } = await objectBody(request, target);
  await letOthersGoOn(request);
  const { object: decoded, explicitEmpty, explicitEmptyLists } = decodeBody(target, options, body, duplicateFields);
  await letOthersGoOn(request);
  checkNames(target, decoded);
  const object = dedupOwnerReferences(target, decoded, 'body');
  const stored = backend.store.get(targetKey(target));
  if (stored === undefined) {
    if (!allowsCreateOnUpdate(target)) throw notFound(resource, target.name);
    checkUid(target, decoded, '', options.dryRun);
    const scope = requestScopeOf(backend, target, options.manager);
    const owned = await withConversions(backend, target, () => updateRequest({ ...scope, live: undefined, object }));
    return createOnUpdate(backend, target, request, { object: owned, explicitEmpty }, options.dryRun);
  }
  const live = await readStored(backend, target, stored);
  checkUid(target, decoded, uidOf(live), options.dryRun);
  const scope = requestScopeOf(backend, target, options.manager);
  const owned = await withConversions(backend, target, () => updateRequest({ ...scope, live, object, explicitEmptyLists }));
  await letOthersGoOn(request);
  const { dryRun } = options;
  const admission = new Admission(backend, target, request);
  const admitted = await admission.mutate({ operation: 'UPDATE', object: owned, explicitEmpty, oldObject: live, dryRun });
  const updated = await updateObject(backend, target, stored, live, admitted, {
    dryRun,
    subresource,
    updateValidation: admission.ofUpdate(live, dryRun),
  });
  return apiResponse(200, updated.object, updated.warnings);
}

/** Checks that the uid of a body is that of the object. @throws StatusError 409 */
function checkUid(target: ObjectTarget, object: JsonObject, found: Json | undefined, dryRun: boolean): void {
  const { uid } = metadataOf(object);
  if (uid === undefined || uid === '' || uid === found) return;
  throw conflictOn(
    target.resource,
    target.name,
    `StorageError: invalid object, Code: 4, Key: ${dryRun ? '' : '/registry'}${registryKey(target)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${String(uid)}, UID in object meta: ${String(found)}`,
  );
}

/** Returns the storage key of an object as error messages name it. */
function registryKey({ resource: { group, plural, strategy }, namespace, name }: ObjectTarget): string {
  const resourcePrefix = strategy.custom ? `${group}/${plural}` : (registryNames[plural] ?? plural);
  return ['', resourcePrefix, ...(namespace === undefined ? [] : [namespace]), name].join('/');
}

const registryNames: Readonly<Record<string, string>> = {
  endpoints: 'services/endpoints',
  ingresses: 'ingress',
  nodes: 'minions',
  replicationcontrollers: 'controllers',
  services: 'services/specs',
};
