import { metadataOf } from '../../fields/object.js';
import { applyRequest } from '../../ownership/index.js';
import { type JsonObject, jsonEqual } from '../../util/json.js';
import { ConversionNeeded } from '../conversion/conversions.js';
import { decodeStored, requestScopeOf } from '../conversion/request-scope.js';
import type { Backend, ObjectTarget } from '../registry/backend.js';
import { validationErrors } from './write.js';

/**
 * Returns true if an apply without force would change neither an object nor its owners. The merge is that of an apply, but the object is
 * not encoded and decoded again, because an unchanged object does not need it. Returns false if anything would change or be refused, or
 * if only the complete apply can decide.
 *
 * @param live the object as a server returns it, in the version of the request
 */
export function wouldBeNoop(backend: Backend, target: ObjectTarget, live: JsonObject, intent: JsonObject, manager: string): boolean {
  try {
    return isUnchanged(backend, target, live, intent, manager);
  } catch (error) {
    if (error instanceof ConversionNeeded) return false;
    throw error;
  }
}

function isUnchanged(backend: Backend, target: ObjectTarget, live: JsonObject, intent: JsonObject, manager: string): boolean {
  if (intent.apiVersion !== target.version.apiVersion || live.apiVersion !== intent.apiVersion || intent.kind !== live.kind) return false;
  const shown = decodeStored(target, live);
  if (shown !== live && !jsonEqual(shown, live)) return false;
  const { cache: _, ...scope } = requestScopeOf(backend, target, manager); // objects that are asked about once would only fill it
  const outcome = applyRequest({ ...scope, live, intent });
  if (outcome.outcome !== 'applied' || outcome.changed) return false;
  return jsonEqual(metadataOf(outcome.object).managedFields, metadataOf(live).managedFields) && matchesSchema(target, live);
}

/**
 * Returns true if an object has the defaults of its schema and is valid; its definition may have changed since the object was written.
 * Built-in kinds are returned with their defaults, and their validation is never tightened for existing objects.
 * Source: Kubernetes documentation "Kubernetes API Concepts"; API changes, "ratcheting validation".
 */
function matchesSchema({ resource, version }: ObjectTarget, live: JsonObject): boolean {
  const { strategy } = resource;
  if (!strategy.custom) return true;
  // The rules are not loaded yet.
  if (strategy.prepareValidation?.() !== undefined) return false;
  const { object: defaulted, explicitEmpty } = strategy.default(live, version.apiVersion);
  // A custom resource has no times of the server.
  const update = { live, subresource: undefined, explicitEmpty, now: '' };
  const object = strategy.prepareForUpdate(defaulted, update);
  const isValid = validationErrors(resource, object, update).length === 0;
  return isValid && jsonEqual(object, live);
}
