import { metadataOf } from '../../kubernetes/object.js';
import { applyRequest } from '../../ownership/index.js';
import { type JsonObject, jsonEqual } from '../../util/json.js';
import type { Backend, ObjectTarget } from './backend.js';
import { metadataErrors } from './metadata-rules.js';
import { decodeStored, requestScopeOf } from './request-scope.js';

/**
 * Whether an apply that is not forced would leave an object and its owners exactly as they are. What is merged is merged as in an apply;
 * the way to the store and back is left out, because an object that does not change takes it is. False where anything would change
 * or be refused, and where only the whole apply could tell.
 *
 * @param live the object as a server shows it, in the version of the request
 */
export function wouldBeNoop(backend: Backend, target: ObjectTarget, live: JsonObject, intent: JsonObject, manager: string): boolean {
  if (intent.apiVersion !== target.version.apiVersion || live.apiVersion !== intent.apiVersion || intent.kind !== live.kind) return false;
  const shown = decodeStored(target, live);
  if (shown !== live && !jsonEqual(shown, live)) return false;
  const { cache: _, ...scope } = requestScopeOf(backend, target, manager); // what is seen once would only stay in it
  const outcome = applyRequest({ ...scope, live, intent });
  if (outcome.outcome !== 'applied' || outcome.changed) return false;
  return jsonEqual(metadataOf(outcome.object).managedFields, metadataOf(live).managedFields) && matchesSchema(target, live);
}

/**
 * Whether an object is what its schema makes of it. A definition may have changed since the object was written. What Kubernetes itself
 * defines is shown with its defaults, and its rules are never tightened for objects that are there already.
 * Source: Kubernetes documentation "Kubernetes API Concepts"; API changes, "ratcheting validation".
 */
function matchesSchema({ resource, version }: ObjectTarget, live: JsonObject): boolean {
  const { strategy } = resource;
  if (!strategy.custom) return true;
  const object = strategy.prepareForUpdate(strategy.default(live, version.apiVersion), live, undefined);
  const isValid = metadataErrors(resource, object, live).length === 0 && strategy.validate(object, live, undefined).length === 0;
  return isValid && jsonEqual(object, live);
}
