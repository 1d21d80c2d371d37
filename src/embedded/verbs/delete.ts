import { finalizersOf, metadataOf } from '../../kubernetes/object.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { admit, isCurrent } from '../admission/admit.js';
import { type ApiRequest, type ApiResponse, apiResponse } from '../api/request.js';
import { badRequest, conflictOn, notFound, qualified, StatusError } from '../api/status-error.js';
import { bodyText } from '../http/body.js';
import { type Backend, keyOf, type ObjectTarget } from '../registry/backend.js';
import { decodeStored } from '../registry/request-scope.js';
import { storeName } from '../registry/resource.js';
import { removeObject } from '../registry/write.js';
import { timestamp } from '../storage/clock.js';
import { StaleRead } from '../storage/store.js';
import { deleteGracefully } from './graceful-deletion.js';

interface DeleteOptions {
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly propagationPolicy: string | undefined;
  readonly gracePeriodSeconds: number | undefined;
  readonly dryRun: boolean;
}

/** Resources whose DELETE returns the deleted object. */
const returnsDeletedObject = new Set([
  '/persistentvolumeclaims',
  '/persistentvolumes',
  '/pods',
  '/podtemplates',
  '/resourcequotas',
  '/serviceaccounts',
  '/services',
]);

/** Resources whose dependents stay unless the request says otherwise. Source: Kubernetes documentation "Use Cascading Deletion"; observed. */
const usualPolicies: Readonly<Record<string, string>> = { '/replicationcontrollers': 'Orphan', 'batch/jobs': 'Orphan' };

const orphanWarning =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

/** Handles DELETE of one object. Source: Kubernetes documentation "Finalizers", "Garbage Collection"; API reference, DeleteOptions. */
export async function deleteVerb(backend: Backend, target: ObjectTarget, request: ApiRequest): Promise<ApiResponse> {
  const options = deleteOptions(request);
  const { resource } = target;
  const stored = backend.store.get(keyOf(target));
  if (stored === undefined) throw notFound(resource, target.name);
  const metadata = metadataOf(stored);
  if (options.uid !== undefined && options.uid !== metadata.uid) {
    throw preconditionFailed(target, 'UID', options.uid, metadata.uid, 'deleted and then recreated');
  }
  if (options.resourceVersion !== undefined && options.resourceVersion !== metadata.resourceVersion) {
    throw preconditionFailed(target, 'ResourceVersion', options.resourceVersion, metadata.resourceVersion, 'modified');
  }
  return admitAndDelete(backend, target, stored, options, request);
}

/** Handles DELETE of a collection: deletes each object separately and returns all of them. */
export async function deleteCollection(
  backend: Backend,
  targets: readonly ObjectTarget[],
  request: ApiRequest,
): Promise<readonly JsonObject[]> {
  const options = deleteOptions(request);
  const deleted: JsonObject[] = [];
  for (const target of targets) {
    const stored = backend.store.get(keyOf(target));
    if (stored === undefined) continue;
    await admitAndDelete(backend, target, stored, options, request);
    deleted.push(decodeStored(target, stored));
  }
  return deleted;
}

async function admitAndDelete(
  backend: Backend,
  target: ObjectTarget,
  stored: JsonObject,
  options: DeleteOptions,
  request: ApiRequest,
): Promise<ApiResponse> {
  const before = decodeStored(target, stored);
  await admit(backend, target, request, { operation: 'DELETE', object: null, oldObject: before, dryRun: options.dryRun });
  if (!isCurrent(backend, target, stored)) throw new StaleRead();
  return deleteStored(backend, target, stored, options);
}

function deleteStored(backend: Backend, target: ObjectTarget, stored: JsonObject, options: DeleteOptions): ApiResponse {
  const { resource } = target;
  const key = keyOf(target);
  const finalizers = withPropagation(finalizersOf(stored), options.propagationPolicy ?? usualPolicies[storeName(resource)]);
  if (options.propagationPolicy === undefined && storeName(resource) === 'batch/jobs') target.warnings.push(orphanWarning);
  if (storeName(resource) === '/pods') return deletePod(backend, target, stored, finalizers, options);
  const isNamespace = storeName(resource) === '/namespaces';
  if (finalizers.length > 0 || isNamespace) {
    const metadata = metadataOf(stored);
    if (metadata.deletionTimestamp !== undefined && finalizers.length === finalizersOf(stored).length) {
      return apiResponse(200, decodeStored(target, stored));
    }
    // A custom object is decoded and written again, without the values that decoding removes.
    const current = resource.strategy.custom ? resource.strategy.decode(stored, resource.storage) : stored;
    const terminatingObject = terminating(backend, current, finalizers, isNamespace);
    if (options.dryRun) return apiResponse(200, decodeStored(target, terminatingObject));
    const written = backend.store.put(key, terminatingObject);
    return apiResponse(200, decodeStored(target, written));
  }
  const last = options.dryRun ? stored : removeObject(backend, key, stored);
  if (returnsDeletedObject.has(storeName(resource))) return apiResponse(200, decodeStored(target, last));
  const { uid } = metadataOf(stored);
  const details = {
    name: target.name,
    ...(resource.group === '' ? {} : { group: resource.group }),
    kind: resource.plural,
    uid: uid as Json,
  };
  return apiResponse(200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details });
}

function deletePod(
  backend: Backend,
  target: ObjectTarget,
  stored: JsonObject,
  finalizers: readonly string[],
  { gracePeriodSeconds, dryRun }: DeleteOptions,
): ApiResponse {
  const { pod, ends } = deleteGracefully(backend.clock, stored, finalizers, gracePeriodSeconds);
  if (pod === stored || dryRun) return apiResponse(200, decodeStored(target, pod));
  const written = backend.store.put(keyOf(target), pod);
  return apiResponse(200, decodeStored(target, ends ? removeObject(backend, keyOf(target), written) : written));
}

function terminating(backend: Backend, stored: JsonObject, finalizers: readonly string[], isNamespace: boolean): JsonObject {
  const metadata = metadataOf(stored);
  const generation = metadata.generation as number | undefined;
  const marked = {
    ...metadata,
    ...(finalizers.length === 0 ? {} : { finalizers: finalizers as Json }),
    deletionTimestamp: metadata.deletionTimestamp ?? timestamp(backend.clock),
    deletionGracePeriodSeconds: 0,
    ...(generation === undefined || isNamespace || metadata.deletionTimestamp !== undefined ? {} : { generation: generation + 1 }),
  };
  if (!isNamespace) return { ...stored, metadata: marked };
  const { deletionGracePeriodSeconds: _, ...kept } = marked;
  return { ...stored, metadata: kept, status: { ...(stored.status as JsonObject), phase: 'Terminating' } };
}

function withPropagation(finalizers: readonly string[], policy: string | undefined): readonly string[] {
  const own = policy === 'Foreground' ? 'foregroundDeletion' : policy === 'Orphan' ? 'orphan' : undefined;
  return own === undefined || finalizers.includes(own) ? finalizers : [...finalizers, own];
}

// A failed precondition names the kind, except for Namespaces; all other errors name the resource.
function preconditionFailed(
  target: ObjectTarget,
  member: string,
  wanted: string,
  found: Json | undefined,
  suspectedChange: string,
): StatusError {
  const { resource, name } = target;
  if (storeName(resource) === '/namespaces')
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
function deleteOptions(request: ApiRequest): DeleteOptions {
  const { query } = request;
  const body = bodyText(request);
  const bodyOptions = body.trim() === '' ? undefined : optionsIn(body);
  const preconditions = isJsonObject(bodyOptions?.preconditions) ? bodyOptions.preconditions : {};
  const policy = bodyOptions === undefined ? query.get('propagationPolicy') : (bodyOptions.propagationPolicy as string | undefined);
  const orphans = bodyOptions === undefined ? query.get('orphanDependents') === 'true' : bodyOptions.orphanDependents === true;
  const seconds = bodyOptions === undefined ? query.get('gracePeriodSeconds') : bodyOptions.gracePeriodSeconds;
  const dryRun = bodyOptions === undefined ? query.getAll('dryRun') : bodyOptions.dryRun;
  return {
    uid: preconditions.uid as string | undefined,
    resourceVersion: preconditions.resourceVersion as string | undefined,
    propagationPolicy: policy || (orphans ? 'Orphan' : undefined),
    gracePeriodSeconds: seconds === null || seconds === undefined ? undefined : Number(seconds),
    dryRun: Array.isArray(dryRun) && (dryRun as Json[]).includes('All'),
  };
}

function optionsIn(body: string): JsonObject {
  try {
    const value = JSON.parse(body) as Json;
    return isJsonObject(value) ? value : {};
  } catch (error) {
    throw badRequest(`couldn't get version/kind; json parse error: ${(error as Error).message}`);
  }
}
