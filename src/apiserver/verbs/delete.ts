import { isTerminating, metadataOf } from '../../fields/object.js';
import { type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { YamlTextError } from '../../util/yaml-text-error.js';
import { Admission } from '../admission/admission.js';
import { JsonTextError } from '../api/json-text.js';
import { type ApiRequest, type ApiResponse, apiResponse } from '../api/request.js';
import { badRequest, conflictOn, forbidden, notFound, qualified, StatusError } from '../api/status-error.js';
import { withConversions } from '../conversion/conversions.js';
import { readStored } from '../conversion/request-scope.js';
import { markedForDeletion } from '../custom/terminating-definition.js';
import { bodyBytes, bodyText, checkMediaType, mediaType } from '../http/body.js';
import { readBodyText } from '../http/body-reader.js';
import { protobufType } from '../http/negotiate.js';
import { withTypeMeta } from '../http/type-meta.js';
import { type Backend, isCurrent, type ObjectTarget, targetKey } from '../registry/backend.js';
import { checkedDeleteOptions, type DeleteOptions, queryDeleteOptions } from '../registry/delete-options.js';
import {
  deletionWarnings,
  finalizersAfterDelete,
  gracePeriodOf,
  terminating,
  terminatingNamespace,
} from '../registry/graceful-deletion.js';
import { storeName } from '../registry/resource.js';
import { crdResource, postWriteHook } from '../resources/crd-controller.js';
import { StaleRead } from '../storage/store.js';
import { removeObject } from '../write/write.js';

/** Resources whose DELETE returns the deleted object. */
export const returnsDeletedObject: ReadonlySet<string> = new Set([
  '/persistentvolumeclaims',
  '/persistentvolumes',
  '/pods',
  '/podtemplates',
  '/resourcequotas',
  '/serviceaccounts',
  '/services',
  'resource.k8s.io/deviceclasses',
  'resource.k8s.io/resourceclaims',
  'resource.k8s.io/resourceclaimtemplates',
  'resource.k8s.io/resourceslices',
  'storage.k8s.io/csidrivers',
  'storage.k8s.io/csinodes',
  'storage.k8s.io/storageclasses',
  'storage.k8s.io/volumeattachments',
  'storage.k8s.io/volumeattributesclasses',
]);

/** Source: observed. */
const permanentNamespaces = new Set(['default', 'kube-system', 'kube-public']);

/** Handles DELETE of one object. Source: Kubernetes documentation "Finalizers", "Garbage Collection"; API reference, DeleteOptions. */
export async function deleteVerb(backend: Backend, target: ObjectTarget, request: ApiRequest): Promise<ApiResponse> {
  const options = await deleteOptions(request);
  const { resource } = target;
  if (storeName(resource) === '/namespaces' && permanentNamespaces.has(target.name))
    throw forbidden(resource, target.name, 'this namespace may not be deleted');
  const stored = backend.store.get(targetKey(target));
  if (stored === undefined) {
    target.warnings.push(...deletionWarnings(resource, options));
    throw notFound(resource, target.name);
  }
  return admitAndDelete(backend, target, stored, options, request, { target, byPolicies: true });
}

/** Deletes a Pod as an eviction asks for it. @throws StatusError */
export async function deletePod(backend: Backend, target: ObjectTarget, sent: JsonObject, request: ApiRequest): Promise<void> {
  const stored = backend.store.get(targetKey(target));
  if (stored === undefined) throw notFound(target.resource, target.name);
  // Policies decide on the eviction, not on what it does.
  await admitAndDelete(backend, target, stored, checkedDeleteOptions(sent), request, { target, byPolicies: false });
}

/** Handles DELETE of a collection: deletes each object separately and returns all of them. */
export async function deleteCollection(
  backend: Backend,
  targets: readonly ObjectTarget[],
  request: ApiRequest,
): Promise<readonly JsonObject[]> {
  const options = await deleteOptions(request);
  const deleted: JsonObject[] = [];
  for (const target of targets) {
    const stored = backend.store.get(targetKey(target));
    if (stored === undefined) continue;
    // The deletion of a collection names no object. Source: observed.
    await admitAndDelete(backend, target, stored, options, request, { target: { ...target, name: '' }, byPolicies: true });
    deleted.push(await readStored(backend, target, stored));
  }
  return deleted;
}

/** The target of a deletion as admission sees it. */
interface DeletionReview {
  readonly target: ObjectTarget;
  /** True if policies decide on the deletion. */
  readonly byPolicies: boolean;
}

async function admitAndDelete(
  backend: Backend,
  target: ObjectTarget,
  stored: JsonObject,
  options: DeleteOptions,
  request: ApiRequest,
  review: DeletionReview,
): Promise<ApiResponse> {
  checkPreconditions(target, metadataOf(stored), options);
  const { resource } = target;
  const before = await readStored(backend, target, stored, { fresh: true });
  const attributes = { operation: 'DELETE', object: null, oldObject: before, dryRun: options.dryRun, options: options.decoded } as const;
  const admission = new Admission(backend, review.target, request);
  await admission.mutate(attributes);
  if (review.byPolicies) await admission.validate(attributes);
  const decoded = await withConversions(backend, target, () => resource.strategy.decode(stored, resource.storage));
  if (!isCurrent(backend, target, stored)) throw new StaleRead();
  const { code, object, warnings } = deleteStored(backend, target, { stored, decoded }, options);
  return apiResponse(code, object.kind === 'Status' ? object : await readStored(backend, target, object), warnings);
}

/** An object in the store, and decoded in the version in which it is stored. */
interface StoredState {
  readonly stored: JsonObject;
  readonly decoded: JsonObject;
}

/** The result of a deletion: a Status, or the object as it is stored now, or was stored last. */
interface Deletion {
  readonly code: number;
  readonly object: JsonObject;
  readonly warnings: readonly string[];
}

function deleteStored(backend: Backend, target: ObjectTarget, { stored, decoded }: StoredState, options: DeleteOptions): Deletion {
  const { resource } = target;
  const { clock, store } = backend;
  const key = targetKey(target);
  if (key.resource === crdResource && !isTerminating(stored)) return deleteDefinition(backend, target, stored, options);
  const isNamespace = storeName(resource) === '/namespaces';
  const finalizers = finalizersAfterDelete(resource, stored, options);
  const warnings = deletionWarnings(resource, options);
  const seconds = gracePeriodOf(resource, stored, options.gracePeriodSeconds);
  // The object is decoded and written again: a custom one without the values that decoding removes, a Job with the labels that it adds.
  const current = resource.strategy.custom ? decoded : resource.strategy.encode(decoded);
  const marked = isNamespace ? terminatingNamespace(clock, current, finalizers) : terminating(clock, current, finalizers, seconds);
  const code = options.isCascading ? 202 : 200;
  if (finalizers.length > 0 || isNamespace || metadataOf(marked).deletionGracePeriodSeconds !== 0) {
    const isDecoded = !resource.strategy.custom || jsonEqual(current, stored);
    if (isTerminating(stored) && isDecoded && jsonEqual(metadataOf(marked), metadataOf(current))) return { code, object: stored, warnings };
    const written = options.dryRun ? marked : store.put(key, marked);
    return { code, object: written, warnings };
  }
  const isGraceful = storeName(resource) === '/pods';
  const last = options.dryRun ? stored : removeObject(backend, key, stored);
  const { resourceVersion } = metadataOf(last) as JsonObject;
  if (isGraceful)
    return { code: 200, object: { ...marked, metadata: { ...metadataOf(marked), resourceVersion } as JsonObject }, warnings: [] };
  if (returnsDeletedObject.has(storeName(resource))) return { code: 200, object: last, warnings: [] };
  const { uid } = metadataOf(stored);
  const details = {
    name: target.name,
    ...(resource.group === '' ? {} : { group: resource.group }),
    kind: resource.plural,
    uid: uid as Json,
  };
  return { code: 200, object: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details }, warnings };
}

/** Begins the deletion of a definition: its objects are deleted before it. */
function deleteDefinition(backend: Backend, target: ObjectTarget, stored: JsonObject, { dryRun, isCascading }: DeleteOptions): Deletion {
  const marked = markedForDeletion(backend.clock, stored);
  const written = dryRun ? marked : backend.store.put(targetKey(target), marked);
  if (!dryRun) postWriteHook(backend, crdResource, written);
  return { code: isCascading ? 202 : 200, object: written, warnings: [] };
}

function checkPreconditions(target: ObjectTarget, metadata: JsonObject, options: DeleteOptions): void {
  const isOther = options.uid !== undefined && options.uid !== metadata.uid;
  const isChanged = options.resourceVersion !== undefined && options.resourceVersion !== metadata.resourceVersion;
  if (isOther || isChanged) target.warnings.push(...deletionWarnings(target.resource, options));
  if (isOther) {
    throw preconditionFailed(target, 'UID', options.uid, metadata.uid, 'deleted and then recreated');
  }
  if (isChanged) {
    throw preconditionFailed(target, 'ResourceVersion', options.resourceVersion, metadata.resourceVersion, 'modified');
  }
}

// A failed precondition names the kind, except for Namespaces and definitions; all other errors name the resource.
function preconditionFailed(
  target: ObjectTarget,
  member: string,
  wanted: string,
  found: Json | undefined,
  suspectedChange: string,
): StatusError {
  const { resource, name } = target;
  if (storeName(resource) === '/namespaces' || storeName(resource) === crdResource)
    return conflictOn(
      resource,
      name,
      `Precondition failed: ${member} in precondition: ${wanted}, ${member} in object meta: ${String(found)}`,
    );
  const reason = `the ${member} in the precondition (${wanted}) does not match the ${member} in record (${String(found)}). The object might have been ${suspectedChange}`;
  const text = `Operation cannot be fulfilled on ${qualified(resource.kind, resource.group)} ${JSON.stringify(name)}: ${reason}`;
  return new StatusError(409, 'Conflict', text, { name, ...(resource.group === '' ? {} : { group: resource.group }), kind: resource.kind });
}

/** Reads the options of a DELETE. A body, even an empty object, replaces all query parameters. Source: observed. */
async function deleteOptions(request: ApiRequest): Promise<DeleteOptions> {
  const { query } = request;
  const bodyOptions = bodyText(request).trim() === '' ? undefined : await optionsIn(request);
  return checkedDeleteOptions(bodyOptions ?? queryDeleteOptions(query));
}

const expectedOptions = { apiVersion: 'v1', kind: 'DeleteOptions' };

async function optionsIn(request: ApiRequest): Promise<JsonObject> {
  const type = mediaType(request);
  checkMediaType(type);
  const options = await parsedOptions(request, type);
  const { apiVersion = '', kind = '' } = options as { apiVersion?: string; kind?: string };
  if (kind === '' || kind === expectedOptions.kind) return options;
  throw badRequest(
    `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
  );
}

async function parsedOptions(request: ApiRequest, type: string): Promise<JsonObject> {
  if (type === protobufType) {
    const { readOptions } = await import('../http/protobuf/read-body.js');
    return readOptions(bodyBytes(request), expectedOptions);
  }
  try {
    const { value } = await readBodyText(bodyText(request), type === 'application/yaml' ? 'yaml' : 'json', request.inOneGo);
    return value === null ? {} : withTypeMeta(value);
  } catch (error) {
    if (error instanceof JsonTextError) throw badRequest(`couldn't get version/kind; json parse error: ${error.message}`);
    throw error instanceof YamlTextError ? badRequest(error.message) : error;
  }
}
