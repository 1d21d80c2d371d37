import { metadataOf } from '../../fields/object.js';
import { updateRequest } from '../../ownership/index.js';
import { Admission } from '../admission/admission.js';
import { refuseEndedNamespace } from '../admission/namespace-lifecycle.js';
import { hasWebhooks } from '../admission/webhook.js';
import { type ApiRequest, type ApiResponse, apiResponse } from '../api/request.js';
import { withConversions } from '../conversion/conversions.js';
import { requestScopeOf } from '../conversion/request-scope.js';
import { objectBody } from '../http/body.js';
import { decodeBody } from '../http/decode-body.js';
import { isShort, letOthersGoOn } from '../http/turns.js';
import { type Backend, isCurrent, type ObjectTarget, type RequestTarget } from '../registry/backend.js';
import { checkNamespace } from '../registry/check-names.js';
import { dedupOwnerReferences } from '../registry/dedup-owner-references.js';
import { type DecodedObject, storeName } from '../registry/resource.js';
import { resourceInfo } from '../registry/resource-info.js';
import { writeOptions } from '../registry/write-options.js';
import { StaleRead } from '../storage/store.js';
import { checkNumber, createObject, isTooLarge } from '../write/write.js';

/** Handles POST to a collection. @throws StatusError */
export async function createVerb(backend: Backend, target: RequestTarget, request: ApiRequest): Promise<ApiResponse> {
  const options = writeOptions(request, 'CreateOptions');
  const { object: body, duplicateFields } = await objectBody(request, target);
  await letOthersGoOn(request);
  const { object: decoded, explicitEmpty } = decodeBody(target, options, body, duplicateFields);
  const object = dedupOwnerReferences(target, decoded, 'body');
  // Fields that only a deletion sets are removed before ownership is computed. Source: observed.
  const { deletionTimestamp: _, deletionGracePeriodSeconds: __, ...metadata } = metadataOf(object);
  checkNamespace(target.namespace, metadata.namespace as string | undefined);
  const name = (metadata.name as string | undefined) || generatedName(backend, metadata.generateName as string | undefined);
  const named = { ...object, metadata: { ...metadata, ...(name === undefined ? {} : { name }) } };
  await letOthersGoOn(request);
  // An object that cannot be stored is refused for its size or for another reason, and nobody sees its owners.
  const needsOwners = isShort(request) || options.dryRun || hasWebhooks(backend) || !isTooLarge(named);
  const scope = requestScopeOf(backend, target, options.manager);
  const ownedObject = () => updateRequest({ ...scope, live: undefined, object: named });
  const owned = needsOwners ? await withConversions(backend, target, ownedObject) : named;
  await letOthersGoOn(request);
  const objectTarget = { ...target, name: name ?? '' };
  refuseEndedNamespace(backend, target, String(metadata.name || metadata.generateName || 'Unknown'));
  const admission = new Admission(backend, objectTarget, request);
  const admitted = await admission.mutate({
    operation: 'CREATE',
    object: owned,
    explicitEmpty,
    oldObject: null,
    dryRun: options.dryRun,
  });
  const { dryRun } = options;
  const created = await createObject(backend, objectTarget, admitted, dryRun, admission.ofCreate(dryRun));
  return apiResponse(201, created.object, created.warnings);
}

/** Creates the absent object of an apply or PUT. @throws StatusError */
export async function createOnUpdate(
  backend: Backend,
  target: ObjectTarget,
  request: ApiRequest,
  { object, explicitEmpty }: DecodedObject,
  dryRun: boolean,
): Promise<ApiResponse> {
  const { resourceVersion, ...metadata } = metadataOf(object);
  const wanted = dryRun ? object : { ...object, metadata };
  await letOthersGoOn(request);
  const admission = new Admission(backend, target, request);
  const admitted = await admission.mutate({ operation: 'CREATE', object: wanted, explicitEmpty, oldObject: null, dryRun });
  // Admission comes first. Source: observed.
  refuseEndedNamespace(backend, target, target.name);
  checkNumber(resourceVersion);
  const isAbsent = () => isCurrent(backend, target, undefined);
  if (!isAbsent()) throw new StaleRead();
  const created = await createObject(backend, target, admitted, dryRun, admission.ofCreate(dryRun)).catch((error: unknown) => {
    throw isAbsent() ? error : new StaleRead(); // somebody has created it meanwhile
  });
  return apiResponse(201, created.object, created.warnings);
}

/** Returns true if an absent object is created by a PUT, or by a PUT or apply to its status. */
export function allowsCreateOnUpdate({ resource }: RequestTarget): boolean {
  return !resource.strategy.custom && resourceInfo(storeName(resource)).allowCreateOnUpdate === true;
}

function generatedName(backend: Backend, prefix: string | undefined): string | undefined {
  if (!prefix) return undefined;
  const letters = 'bcdfghjklmnpqrstvwxz2456789';
  const seed = backend.newUid().replaceAll('-', '');
  const suffix = [0, 1, 2, 3, 4]
    .map((index) => letters[Number.parseInt(seed.slice(index * 2, index * 2 + 2), 16) % letters.length])
    .join('');
  return prefix.slice(0, 58) + suffix;
}
