import { withoutNewTimes } from '../../ownership/index.js';
import type { Json, JsonObject } from '../../util/json.js';
import { jsonEqual } from '../../util/json.js';
import { alreadyExists, conflictOn, Failure, invalid } from '../api/failure.js';
import { invalidValue } from '../api/field-error.js';
import { traitsOf } from '../built-in/traits.js';
import { storeName } from '../resources/resource.js';
import { timestamp } from '../store/clock.js';
import { admitCreate } from './admission.js';
import { type Backend, keyOf, type NamedTarget } from './backend.js';
import { metadataErrors } from './metadata-rules.js';
import { afterRemoval, afterWrite } from './reactions.js';

export interface Written {
  readonly object: JsonObject;
  readonly warnings: readonly string[];
}

/** Stores a new object, once its owners are known: what the server fills in, admission, validation. */
export function createObject(backend: Backend, target: NamedTarget, wanted: JsonObject, dryRun: boolean): Written {
  const { resource, version } = target;
  const { form } = resource;
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
  const admitted = admitCreate(backend, target, named);
  const object = form.prepareCreate(admitted);
  const errors = [...metadataErrors(resource, object, undefined), ...form.validate(object, undefined, undefined)];
  if (errors.length > 0) throw invalid(resource.kind, resource.group, target.name, errors);
  const key = keyOf(target);
  if (backend.store.get(key) !== undefined) throw alreadyExists(resource, target.name);
  const warnings = form.warnings(object, undefined);
  if (dryRun) return { object: form.read(object, version.apiVersion), warnings };
  const written = backend.store.put(key, { ...object, apiVersion: resource.storage });
  afterWrite(backend, storeName(resource), written);
  return { object: form.read(backend.store.get(key) ?? written, version.apiVersion), warnings };
}

export interface UpdateSettings {
  readonly dryRun: boolean;
  readonly subresource: string | undefined;
}

/**
 * Stores a changed object, once its owners are known. An object that equals what is stored is not written again.
 *
 * @param stored as it is in the store
 * @param live the same as it is read
 */
export function updateObject(
  backend: Backend,
  target: NamedTarget,
  stored: JsonObject,
  live: JsonObject,
  wanted: JsonObject,
  settings: UpdateSettings,
): Written {
  const { resource, version } = target;
  const { form } = resource;
  const { dryRun, subresource } = settings;
  const timed = withoutNewTimes(live, { ...wanted, metadata: inherited(metadataOf(wanted), metadataOf(live)) });
  checkVersion(target, metadataOf(wanted), metadataOf(live));
  const prepared = form.prepareUpdate(timed, live, subresource);
  const object = withoutNewTimes(live, prepared);
  const errors = [...metadataErrors(resource, object, live), ...form.validate(object, live, subresource)];
  if (errors.length > 0) throw invalid(resource.kind, resource.group, target.name, errors);
  const warnings = form.warnings(object, live);
  const { resourceVersion } = metadataOf(stored);
  const toStore = { ...object, apiVersion: resource.storage, metadata: { ...metadataOf(object), resourceVersion } };
  const key = keyOf(target);
  if (metadataOf(object).deletionTimestamp !== undefined && finalizersOf(object).length === 0 && !hasNamespaceFinalizers(object)) {
    if (!dryRun) {
      backend.store.remove(key);
      afterRemoval(backend, storeName(resource), toStore);
    }
    return { object: form.read(toStore, version.apiVersion), warnings };
  }
  if (dryRun || jsonEqual(toStore, stored)) return { object: form.read(dryRun ? toStore : stored, version.apiVersion), warnings };
  const written = backend.store.put(key, toStore);
  afterWrite(backend, storeName(resource), written);
  return { object: form.read(backend.store.get(key) ?? written, version.apiVersion), warnings };
}

/** Metadata that an update may leave out, and what it cannot set. */
function inherited(metadata: JsonObject, live: JsonObject): JsonObject {
  const result: Record<string, Json> = { ...metadata } as Record<string, Json>;
  for (const name of ['uid', 'namespace', 'name'] as const) {
    if (result[name] === undefined || result[name] === '') {
      if (live[name] === undefined) delete result[name];
      else result[name] = live[name] as Json;
    }
  }
  for (const name of ['deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
    if (result[name] === undefined && live[name] !== undefined) result[name] = live[name] as Json;
  }
  for (const name of ['creationTimestamp', 'generation', 'selfLink', 'resourceVersion'] as const) {
    if (live[name] === undefined) delete result[name];
    else result[name] = live[name] as Json;
  }
  return result;
}

function checkVersion(target: NamedTarget, metadata: JsonObject, live: JsonObject): void {
  const { resource, name } = target;
  const given = metadata.resourceVersion;
  if (given === undefined || given === '' || given === '0') {
    const conditional = resource.form.custom || traitsOf(storeName(resource)).conditional === true;
    if (!conditional) return;
    throw invalid(resource.plural, resource.group, name, [invalidValue('metadata.resourceVersion', 0, 'must be specified for an update')]);
  }
  if (!/^\d+$/.test(String(given)))
    throw new Failure(500, undefined, `strconv.ParseUint: parsing ${JSON.stringify(given)}: invalid syntax`);
  if (given === live.resourceVersion) return;
  throw conflictOn(resource, name, 'the object has been modified; please apply your changes to the latest version and try again');
}

export function metadataOf(object: JsonObject): JsonObject {
  return (object.metadata ?? {}) as JsonObject;
}

export function finalizersOf(object: JsonObject): readonly string[] {
  const { finalizers } = metadataOf(object);
  return Array.isArray(finalizers) ? (finalizers as string[]) : [];
}

/** A Namespace is kept by the finalizers of its spec, too. */
export function hasNamespaceFinalizers(object: JsonObject): boolean {
  if (object.kind !== 'Namespace' || object.apiVersion !== 'v1') return false;
  const finalizers = (object.spec as JsonObject | undefined)?.finalizers;
  return Array.isArray(finalizers) && finalizers.length > 0;
}
