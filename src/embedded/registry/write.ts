import { finalizersOf, isTerminating, metadataOf } from '../../kubernetes/object.js';
import { withoutManagedFields, withoutNewTimes } from '../../ownership/index.js';
import { groupOf } from '../../util/api-version.js';
import { type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { admitPod } from '../admission/admit-pod.js';
import { admitNamespaceLifecycle } from '../admission/namespace-lifecycle.js';
import { admitResize } from '../admission/resize-admission.js';
import { refuseMasters } from '../admission/subject-restriction.js';
import { type FieldError, invalidValue } from '../api/field-error.js';
import { alreadyExists, conflictOn, forbidden, internalError, invalid, StatusError } from '../api/status-error.js';
import { resourceInfo } from '../built-in/strategy/resource-info.js';
import { postDeleteHook, postWriteHook } from '../controllers/crd-controller.js';
import { timestamp } from '../storage/clock.js';
import { exceedsSize } from '../storage/object-size.js';
import type { StoreKey } from '../storage/store.js';
import { StaleRead } from '../storage/store.js';
import { type Backend, keyOf, type ObjectTarget } from './backend.js';
import { metadataErrors, metadataWarnings } from './metadata-rules.js';
import { type DecodedObject, type Resource, storeName, type UpdateContext } from './resource.js';

export interface WriteResult {
  readonly object: JsonObject;
  readonly warnings: readonly string[];
}

/** Decides on a valid object before it is stored, as `rest.ValidateObjectFunc` of kube-apiserver does. @throws StatusError */
export type ValidateObject = (object: JsonObject) => void;

/** Validates and stores a new object whose ownership is computed. @throws StatusError */
export function createObject(
  backend: Backend,
  target: ObjectTarget,
  decoded: DecodedObject,
  dryRun: boolean,
  createValidation: ValidateObject,
): WriteResult {
  const { object: wanted, explicitEmpty } = decoded;
  const { resource, version } = target;
  const { strategy } = resource;
  if (resource.terminating === true)
    throw forbidden(resource, target.name, 'create not allowed while custom resource definition is terminating');
  const metadata = metadataOf(wanted);
  const {
    resourceVersion: _,
    selfLink: __,
    deletionTimestamp: ___,
    deletionGracePeriodSeconds: ____,
    namespace: _____,
    ...kept
  } = metadata;
  const named = {
    ...wanted,
    metadata: {
      ...kept,
      name: target.name,
      ...(target.namespace === undefined ? {} : { namespace: target.namespace }),
      uid: backend.newUid(),
      creationTimestamp: timestamp(backend.clock),
    },
  };
  const admitted = admitPod(backend, target, admitNamespaceLifecycle(backend, target, named), undefined);
  const object = strategy.prepareForCreate(admitted, { subresource: target.subresource, dryRun, explicitEmpty });
  const errors = validationErrors(resource, object, undefined);
  if (errors.length > 0) throw invalid(String(object.kind), groupOf(resource.storage), target.name, errors);
  refuseMasters(target, object);
  createValidation(object);
  const key = keyOf(target);
  const warnings = [...metadataWarnings(resource, object, undefined), ...strategy.warnings(object, undefined)];
  if (!dryRun && /^0*[1-9]\d*$/.test(String(metadata.resourceVersion ?? ''))) {
    target.warnings.push(...warnings);
    throw internalError('resourceVersion should not be set on objects to be created');
  }
  const existing = backend.store.get(key);
  if (existing !== undefined) {
    target.warnings.push(...warnings);
    throw alreadyExistsError(target, metadataOf(object), metadataOf(existing));
  }
  if (dryRun) {
    const shownVersion = metadata.resourceVersion ? { resourceVersion: metadata.resourceVersion } : {};
    const shown = { ...object, metadata: { ...metadataOf(object), ...shownVersion } };
    return { object: strategy.decode(shown, version.apiVersion), warnings };
  }
  const written = backend.store.put(key, storable(target, encodeForStorage(target, object, undefined)));
  postWriteHook(backend, storeName(resource), written);
  return { object: strategy.decode(backend.store.get(key) ?? written, version.apiVersion), warnings };
}

/** Returns what is invalid in an object. */
export function validationErrors(resource: Resource, object: JsonObject, update: UpdateContext | undefined): readonly FieldError[] {
  const { strategy } = resource;
  const ofMetadata = strategy.isOtherKind?.(object) ? [] : metadataErrors(resource, object, update?.live, update?.subresource);
  return [...ofMetadata, ...strategy.validate(object, update)];
}

/** Returns the AlreadyExists error, with more detail for a generated name or an object that is being deleted. Source: observed. */
function alreadyExistsError({ resource, name }: ObjectTarget, metadata: JsonObject, existing: JsonObject): StatusError {
  const { message, status } = alreadyExists(resource, name);
  const details = status.details as JsonObject;
  const reason = existing.deletionTimestamp === undefined ? message : `object is being deleted: ${message}`;
  if (metadata.generateName === undefined) return new StatusError(409, 'AlreadyExists', reason, details);
  const text = `${reason}, the server was not able to generate a unique name for the object`;
  return new StatusError(409, 'AlreadyExists', text, { ...details, retryAfterSeconds: 1 });
}

/** Removes an object from the store; returns its last state with the resourceVersion of the deletion. */
export function removeObject(backend: Backend, key: StoreKey, object: JsonObject): JsonObject {
  const last = backend.store.remove(key) ?? object;
  postDeleteHook(backend, key.resource, object);
  return last;
}

export interface UpdateSettings {
  readonly dryRun: boolean;
  readonly subresource: string | undefined;
  readonly updateValidation: ValidateObject;
}

/**
 * Validates and stores a changed object whose ownership is computed. An object that is equal to the stored one is not written.
 *
 * @param stored the object in the store
 * @param live the same object, decoded
 * @throws StatusError
 * @throws StaleRead if another request has written the object
 */
export function updateObject(
  backend: Backend,
  target: ObjectTarget,
  stored: JsonObject,
  live: JsonObject,
  wanted: DecodedObject,
  settings: UpdateSettings,
): WriteResult {
  const { resource, version } = target;
  const { strategy } = resource;
  const { dryRun, subresource, updateValidation } = settings;
  const metadata = metadataOf(wanted.object);
  const timed = { ...wanted.object, metadata: inheritMetadata(metadata, metadataOf(live)) };
  checkVersion(target, metadata, metadataOf(live));
  const update = { live, subresource, explicitEmpty: wanted.explicitEmpty };
  const prepared = strategy.prepareForUpdate(admitPod(backend, target, timed, live), update);
  const object = preserveManagedFieldsTimes(target, prepared, live);
  const errors = validationErrors(resource, object, update);
  if (errors.length > 0) throw invalid(String(object.kind), groupOf(resource.storage), target.name, errors);
  if (subresource === 'resize') admitResize(backend, target, object, live);
  updateValidation(object);
  const warnings = [...metadataWarnings(resource, object, live), ...strategy.warnings(object, update)];
  const toStore = encodeForStorage(target, object, stored);
  const key = keyOf(target);
  if (backend.store.get(key) !== stored) throw new StaleRead();
  if (isTerminating(object) && finalizersOf(object).length === 0 && !hasNamespaceFinalizers(object) && !hasTimeLeft(live)) {
    if (!dryRun) {
      removeObject(backend, key, toStore);
    }
    // A custom object that is not written is not decoded again either. Source: observed.
    return {
      object: strategy.custom ? { ...toStore, apiVersion: version.apiVersion } : strategy.decode(toStore, version.apiVersion),
      warnings,
    };
  }
  if (dryRun || isNoOp(target, toStore, live, stored))
    return { object: strategy.decode(dryRun ? toStore : stored, version.apiVersion), warnings };
  const written = backend.store.put(key, storable(target, toStore));
  postWriteHook(backend, storeName(resource), written);
  return { object: strategy.decode(backend.store.get(key) ?? written, version.apiVersion), warnings };
}

/** Returns true for an object that cannot be stored, even without its ownership. */
export function isTooLarge(object: JsonObject): boolean {
  return exceedsSize(withoutManagedFields(object), maxStoredBytes);
}

/** The size of a request to etcd. Source: etcd documentation, "System limits". */
const maxStoredBytes = 1.5 * 1024 * 1024;

/** Returns what etcd stores of an object: one that is too large is stored without its ownership, except by an apply. @throws StatusError 500 */
function storable({ needsManagedFields }: ObjectTarget, object: JsonObject): JsonObject {
  if (!exceedsSize(object, maxStoredBytes)) return object;
  if (needsManagedFields || isTooLarge(object)) throw internalError('etcdserver: request is too large');
  return withoutManagedFields(object);
}

/** Restores the times of managedFields if no visible field changes. */
function preserveManagedFieldsTimes({ resource, version }: ObjectTarget, object: JsonObject, live: JsonObject): JsonObject {
  const { strategy } = resource;
  const shown = strategy.custom ? object : strategy.decode(object, version.apiVersion);
  if (!strategy.sameManagedFieldsEncoding(shown, live) || withoutNewTimes(live, shown) === shown) return object;
  return { ...object, metadata: { ...metadataOf(object), managedFields: metadataOf(live).managedFields } };
}

/** Encodes an object for the store. */
function encodeForStorage({ resource }: ObjectTarget, object: JsonObject, stored: JsonObject | undefined): JsonObject {
  const { selfLink: _, resourceVersion: __, ...metadata } = metadataOf(object);
  const version = stored === undefined ? {} : { resourceVersion: metadataOf(stored).resourceVersion };
  return { ...resource.strategy.encode({ ...object, metadata: { ...metadata, ...version } }), apiVersion: resource.storage };
}

/**
 * Returns true if a write changes nothing. The server compares the encoded object with the encoded live object, and with the stored one,
 * which may hold values that decoding loses. Source: observed.
 */
function isNoOp(target: ObjectTarget, toStore: JsonObject, live: JsonObject, stored: JsonObject): boolean {
  const { strategy } = target.resource;
  const same = (other: JsonObject) => jsonEqual(toStore, other) && strategy.sameManagedFieldsEncoding(toStore, other);
  return same(stored) && same(encodeForStorage(target, live, stored));
}

/** Returns the metadata of an update with the values that it may omit or cannot set. */
function inheritMetadata(metadata: JsonObject, live: JsonObject): JsonObject {
  const result: Record<string, Json> = { ...metadata } as Record<string, Json>;
  for (const name of ['uid', 'namespace', 'name'] as const) {
    if (result[name] === undefined || result[name] === '') {
      if (live[name] === undefined) delete result[name];
      else result[name] = live[name] as Json;
    }
  }
  // The time of a deletion that is under way stays, whatever a client sends; another grace period is refused.
  if (live.deletionTimestamp !== undefined) result.deletionTimestamp = live.deletionTimestamp;
  if (result.deletionGracePeriodSeconds === undefined && live.deletionGracePeriodSeconds !== undefined)
    result.deletionGracePeriodSeconds = live.deletionGracePeriodSeconds;
  for (const name of ['creationTimestamp', 'generation', 'resourceVersion'] as const) {
    if (live[name] === undefined) delete result[name];
    else result[name] = live[name] as Json;
  }
  return result;
}

function checkVersion(target: ObjectTarget, metadata: JsonObject, live: JsonObject): void {
  const { resource, name } = target;
  const resourceVersion = metadata.resourceVersion;
  if (resourceVersion === undefined || resourceVersion === '' || resourceVersion === '0') {
    const conditional = resource.strategy.custom || resourceInfo(storeName(resource)).requiresResourceVersion === true;
    if (!conditional) return;
    throw invalid(resource.plural, resource.group, name, [invalidValue('metadata.resourceVersion', 0, 'must be specified for an update')]);
  }
  checkNumber(resourceVersion);
  if (resourceVersion === live.resourceVersion) return;
  throw conflictOn(resource, name, 'the object has been modified; please apply your changes to the latest version and try again');
}

/** Checks that a resourceVersion is a number. @throws StatusError 500 */
export function checkNumber(resourceVersion: Json | undefined): void {
  if (resourceVersion === undefined || resourceVersion === '' || /^\d+$/.test(String(resourceVersion))) return;
  throw internalError(`strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`);
}

/** Returns true for a Pod that is being deleted and has time left. */
function hasTimeLeft(object: JsonObject): boolean {
  return Number(metadataOf(object).deletionGracePeriodSeconds ?? 0) > 0;
}

/** Returns true for a Namespace with finalizers in its spec, which also prevent its deletion. */
export function hasNamespaceFinalizers(object: JsonObject): boolean {
  if (object.kind !== 'Namespace' || object.apiVersion !== 'v1') return false;
  const finalizers = (object.spec as JsonObject | undefined)?.finalizers;
  return Array.isArray(finalizers) && finalizers.length > 0;
}
