import { finalizersOf, isTerminating, metadataOf } from '../../fields/object.js';
import { withoutManagedFields, withoutNewTimes } from '../../ownership/index.js';
import { groupOf } from '../../util/api-version.js';
import { type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { mutateWritten, validateWritten } from '../admission/written.js';
import { type FieldError, invalidValue } from '../api/field-error.js';
import { alreadyExists, conflictOn, forbidden, internalError, invalid, StatusError } from '../api/status-error.js';
import { withConversions } from '../conversion/conversions.js';
import { readStored } from '../conversion/request-scope.js';
import { type Backend, type ObjectTarget, targetKey } from '../registry/backend.js';
import { metadataErrors, metadataWarnings } from '../registry/metadata-rules.js';
import { type DecodedObject, type Resource, storeName, type UpdateContext } from '../registry/resource.js';
import { resourceInfo } from '../registry/resource-info.js';
import { postDeleteHook, postWriteHook } from '../resources/crd-controller.js';
import { timestamp } from '../storage/clock.js';
import { exceedsSize } from '../storage/object-size.js';
import type { StoreKey } from '../storage/store.js';
import { StaleRead } from '../storage/store.js';

export interface WriteResult {
  readonly object: JsonObject;
  readonly warnings: readonly string[];
}

/** Decides on a valid object before it is stored, as `rest.ValidateObjectFunc` of kube-apiserver does. @throws StatusError */
export type ValidateObject = (object: JsonObject) => void;

/** Validates and stores a new object whose ownership is computed. @throws StatusError */
export async function createObject(
  backend: Backend,
  target: ObjectTarget,
  decoded: DecodedObject,
  dryRun: boolean,
  createValidation: ValidateObject,
): Promise<WriteResult> {
  const { object: wanted, explicitEmpty } = decoded;
  const { resource } = target;
  if (resource.terminating === true)
    throw forbidden(resource, target.name, 'create not allowed while custom resource definition is terminating');
  const metadata = metadataOf(wanted);
  // The members that only a deletion sets were removed from a POST, and stay in the object that an apply or an update creates. Source: observed.
  const { resourceVersion: _, selfLink: __, namespace: ___, ...kept } = metadata;
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
  const sentVersion = String(metadata.resourceVersion ?? '');
  const prepared = await withConversions(backend, target, () =>
    preparedCreate(backend, target, { object: named, explicitEmpty }, { dryRun, sentVersion, createValidation }),
  );
  const { object, warnings } = prepared;
  checkServed(backend, target);
  const key = targetKey(target);
  const existing = backend.store.get(key);
  if (existing !== undefined) {
    target.warnings.push(...warnings);
    throw alreadyExistsError(target, metadataOf(object), metadataOf(existing));
  }
  if (dryRun) {
    const shownVersion = metadata.resourceVersion ? { resourceVersion: metadata.resourceVersion } : {};
    const made = resource.strategy.custom ? prepared.toStore : object;
    const shown = { ...made, metadata: { ...metadataOf(made), ...shownVersion } };
    return { object: await readStored(backend, target, shown), warnings };
  }
  const written = backend.store.put(key, storable(target, prepared.toStore));
  postWriteHook(backend, storeName(resource), written);
  return { object: await readStored(backend, target, backend.store.get(key) ?? written), warnings };
}

interface CreateSettings {
  readonly dryRun: boolean;
  /** The resourceVersion in the body. */
  readonly sentVersion: string;
  readonly createValidation: ValidateObject;
}

/** Returns a valid new object, and as it is stored. */
function preparedCreate(
  backend: Backend,
  target: ObjectTarget,
  { object: named, explicitEmpty }: DecodedObject,
  { dryRun, sentVersion, createValidation }: CreateSettings,
): Prepared {
  const { resource } = target;
  const { strategy } = resource;
  const admitted = mutateWritten(backend, target, named, undefined);
  const object = strategy.prepareForCreate(admitted, { subresource: target.subresource, dryRun, explicitEmpty });
  const errors = validationErrors(resource, object, undefined);
  if (errors.length > 0) throw invalid(String(object.kind), groupOf(resource.storage), target.name, errors);
  validateWritten(backend, target, object, undefined);
  createValidation(object);
  const warnings = [...metadataWarnings(resource, object, undefined), ...strategy.warnings(object, undefined)];
  if (!dryRun && /^0*[1-9]\d*$/.test(sentVersion)) {
    target.warnings.push(...warnings);
    throw internalError('resourceVersion should not be set on objects to be created');
  }
  return { object, toStore: encodeForStorage(target, object, undefined), warnings };
}

/** A valid object, which can be stored. */
interface Prepared {
  readonly object: JsonObject;
  readonly toStore: JsonObject;
  readonly warnings: readonly string[];
}

/** Refuses to write an object of a definition that was changed or deleted meanwhile. @throws StaleRead */
function checkServed({ catalog }: Backend, { resource }: ObjectTarget): void {
  if (resource.strategy.custom && catalog.byName(storeName(resource)) !== resource) throw new StaleRead();
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
export async function updateObject(
  backend: Backend,
  target: ObjectTarget,
  stored: JsonObject,
  live: JsonObject,
  wanted: DecodedObject,
  settings: UpdateSettings,
): Promise<WriteResult> {
  const prepared = await withConversions(backend, target, () => preparedUpdate(backend, target, stored, live, wanted, settings));
  const { warnings } = prepared;
  const { object, isShown } = storeUpdate(backend, target, stored, prepared);
  return { object: isShown ? object : await readStored(backend, target, object), warnings };
}

/** Does the same at once, in a computation of `withConversions`. @throws ConversionNeeded if a webhook would have to convert the object */
export function updateObjectNow(
  backend: Backend,
  target: ObjectTarget,
  stored: JsonObject,
  live: JsonObject,
  wanted: DecodedObject,
  settings: UpdateSettings,
): void {
  storeUpdate(backend, target, stored, preparedUpdate(backend, target, stored, live, wanted, settings));
}

interface PreparedUpdate extends Prepared {
  readonly change: 'none' | 'dry run' | 'write' | 'remove' | 'remove, dry run';
}

/** Returns a valid changed object, and what is done with it. */
function preparedUpdate(
  backend: Backend,
  target: ObjectTarget,
  stored: JsonObject,
  live: JsonObject,
  wanted: DecodedObject,
  settings: UpdateSettings,
): PreparedUpdate {
  const { resource } = target;
  const { strategy } = resource;
  const { dryRun, subresource, updateValidation } = settings;
  const metadata = metadataOf(wanted.object);
  const timed = { ...wanted.object, metadata: inheritMetadata(metadata, metadataOf(live)) };
  checkVersion(target, metadata, metadataOf(live));
  const update = { live, subresource, explicitEmpty: wanted.explicitEmpty, now: timestamp(backend.clock) };
  const prepared = strategy.prepareForUpdate(mutateWritten(backend, target, timed, live), update);
  const object = preserveManagedFieldsTimes(target, prepared, live);
  const errors = validationErrors(resource, object, update);
  if (errors.length > 0) {
    // Rules of definitions warn while they are evaluated, whatever becomes of the request.
    if (strategy.custom) target.warnings.push(...strategy.warnings(object, update));
    throw invalid(String(object.kind), groupOf(resource.storage), target.name, errors);
  }
  validateWritten(backend, target, object, live);
  updateValidation(object);
  const warnings = [...metadataWarnings(resource, object, live), ...strategy.warnings(object, update)];
  const toStore = encodeForStorage(target, object, stored);
  const valid = { object, toStore, warnings };
  if (isTerminating(object) && finalizersOf(object).length === 0 && !hasNamespaceFinalizers(object) && !hasTimeLeft(live))
    return { ...valid, change: dryRun ? 'remove, dry run' : 'remove' };
  if (dryRun) return { ...valid, change: 'dry run' };
  return { ...valid, change: isNoOp(target, toStore, live, stored) ? 'none' : 'write' };
}

/** Stores a prepared update. Returns the object as it is stored, or as it is shown. @throws StaleRead */
function storeUpdate(
  backend: Backend,
  target: ObjectTarget,
  stored: JsonObject,
  { object, toStore, change }: PreparedUpdate,
): { readonly object: JsonObject; readonly isShown: boolean } {
  const { resource } = target;
  const key = targetKey(target);
  if (backend.store.get(key) !== stored) throw new StaleRead();
  checkServed(backend, target);
  switch (change) {
    case 'none':
      return { object: stored, isShown: false };
    case 'dry run':
      return { object: toStore, isShown: false };
    case 'remove':
    case 'remove, dry run': {
      if (change === 'remove') removeObject(backend, key, toStore);
      if (!resource.strategy.custom) return { object: toStore, isShown: false };
      // A custom object that is not written is not decoded again either. Source: observed.
      const { selfLink: _, ...metadata } = metadataOf(object);
      return { object: { ...object, metadata }, isShown: true };
    }
    case 'write': {
      const written = backend.store.put(key, storable(target, toStore));
      postWriteHook(backend, storeName(resource), written);
      return { object: backend.store.get(key) ?? written, isShown: false };
    }
  }
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
  return Number(metadataOf(object).deletionGracePeriodSeconds ?? 0) !== 0;
}

/** Returns true for a Namespace with finalizers in its spec, which also prevent its deletion. */
export function hasNamespaceFinalizers(object: JsonObject): boolean {
  if (object.kind !== 'Namespace' || object.apiVersion !== 'v1') return false;
  const finalizers = (object.spec as JsonObject | undefined)?.finalizers;
  return Array.isArray(finalizers) && finalizers.length > 0;
}
