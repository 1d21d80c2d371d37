import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { badRequest, Failure, notFound, qualified } from '../api/failure.js';
import { type ApiRequest, type ApiResponse, answer } from '../api/request.js';
import { storeName } from '../resources/resource.js';
import { timestamp } from '../store/clock.js';
import { type Backend, keyOf, type NamedTarget } from './backend.js';
import { afterRemoval, finishNamespace } from './reactions.js';
import { readFor } from './scope.js';
import { finalizersOf, metadataOf } from './write.js';

interface DeleteOptions {
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly propagationPolicy: string | undefined;
  readonly dryRun: boolean;
}

/** Resources whose deletion answers with the object that went. */
const answeredWithObject = new Set([
  '/persistentvolumeclaims',
  '/persistentvolumes',
  '/pods',
  '/podtemplates',
  '/resourcequotas',
  '/serviceaccounts',
  '/services',
]);

/** DELETE of one object. Source: Kubernetes documentation "Finalizers", "Garbage Collection"; API reference, DeleteOptions. */
export function deleteVerb(backend: Backend, target: NamedTarget, request: ApiRequest): ApiResponse {
  const options = deleteOptions(request);
  const { resource } = target;
  const stored = backend.store.get(keyOf(target));
  if (stored === undefined) throw notFound(resource, target.name);
  const metadata = metadataOf(stored);
  if (options.uid !== undefined && options.uid !== metadata.uid) {
    throw preconditionFailed(
      target,
      `the UID in the precondition (${options.uid}) does not match the UID in record (${String(metadata.uid)}). The object might have been deleted and then recreated`,
    );
  }
  if (options.resourceVersion !== undefined && options.resourceVersion !== metadata.resourceVersion) {
    throw preconditionFailed(
      target,
      `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${String(metadata.resourceVersion)}). The object might have been modified`,
    );
  }
  return removed(backend, target, stored, options);
}

/** DELETE of a collection: each object on its own; the answer is the list of what was there. */
export function deleteEach(backend: Backend, targets: readonly NamedTarget[], request: ApiRequest): readonly JsonObject[] {
  const options = deleteOptions(request);
  return targets.flatMap((target) => {
    const stored = backend.store.get(keyOf(target));
    if (stored === undefined) return [];
    removed(backend, target, stored, options);
    return [readFor(target, stored)];
  });
}

function removed(backend: Backend, target: NamedTarget, stored: JsonObject, options: DeleteOptions): ApiResponse {
  const { resource } = target;
  const key = keyOf(target);
  const finalizers = withPropagation(finalizersOf(stored), options.propagationPolicy);
  const isNamespace = storeName(resource) === '/namespaces';
  if (finalizers.length > 0 || isNamespace) {
    const metadata = metadataOf(stored);
    if (metadata.deletionTimestamp !== undefined && finalizers.length === finalizersOf(stored).length) {
      if (isNamespace && !options.dryRun) finishNamespace(backend, target.name);
      return answer(200, readFor(target, stored));
    }
    const going = terminating(backend, stored, finalizers, isNamespace);
    if (options.dryRun) return answer(200, readFor(target, going));
    const written = backend.store.put(key, going);
    if (isNamespace) finishNamespace(backend, target.name);
    return answer(200, readFor(target, written));
  }
  const last = options.dryRun ? stored : (backend.store.remove(key) ?? stored);
  if (!options.dryRun) afterRemoval(backend, storeName(resource), stored);
  if (answeredWithObject.has(storeName(resource))) return answer(200, readFor(target, last));
  const { uid } = metadataOf(stored);
  const details = {
    name: target.name,
    ...(resource.group === '' ? {} : { group: resource.group }),
    kind: resource.plural,
    uid: uid as Json,
  };
  return answer(200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details });
}

function terminating(backend: Backend, stored: JsonObject, finalizers: readonly string[], isNamespace: boolean): JsonObject {
  const metadata = metadataOf(stored);
  const generation = metadata.generation as number | undefined;
  const marked = {
    ...metadata,
    ...(finalizers.length === 0 ? {} : { finalizers: finalizers as Json }),
    deletionTimestamp: metadata.deletionTimestamp ?? timestamp(backend.clock),
    deletionGracePeriodSeconds: 0,
    ...(generation === undefined || metadata.deletionTimestamp !== undefined ? {} : { generation: generation + 1 }),
  };
  if (!isNamespace) return { ...stored, metadata: marked };
  const { deletionGracePeriodSeconds: _, ...kept } = marked;
  return { ...stored, metadata: kept, status: { ...(stored.status as JsonObject), phase: 'Terminating' } };
}

function withPropagation(finalizers: readonly string[], policy: string | undefined): readonly string[] {
  const own = policy === 'Foreground' ? 'foregroundDeletion' : policy === 'Orphan' ? 'orphan' : undefined;
  return own === undefined || finalizers.includes(own) ? finalizers : [...finalizers, own];
}

// Preconditions of a deletion name the kind, where other refusals name the resource.
function preconditionFailed({ resource, name }: NamedTarget, reason: string): Failure {
  const text = `Operation cannot be fulfilled on ${qualified(resource.kind, resource.group)} ${JSON.stringify(name)}: ${reason}`;
  return new Failure(409, 'Conflict', text, { name, ...(resource.group === '' ? {} : { group: resource.group }), kind: resource.kind });
}

function deleteOptions(request: ApiRequest): DeleteOptions {
  const { query, body } = request;
  let given: JsonObject = {};
  if (body !== undefined && body.trim() !== '') {
    try {
      const value = JSON.parse(body) as Json;
      if (isJsonObject(value)) given = value;
    } catch (error) {
      throw badRequest(`couldn't get version/kind; json parse error: ${(error as Error).message}`);
    }
  }
  const preconditions = isJsonObject(given.preconditions) ? given.preconditions : {};
  const dryRun = [...query.getAll('dryRun'), ...(Array.isArray(given.dryRun) ? (given.dryRun as string[]) : [])];
  const orphan = given.orphanDependents ?? (query.get('orphanDependents') === 'true' || undefined);
  return {
    uid: preconditions.uid as string | undefined,
    resourceVersion: preconditions.resourceVersion as string | undefined,
    propagationPolicy:
      ((given.propagationPolicy as string | undefined) ?? query.get('propagationPolicy') ?? (orphan === true ? 'Orphan' : undefined)) ||
      undefined,
    dryRun: dryRun.includes('All'),
  };
}
