import { applyRequest } from '../../ownership/index.js';
import { type JsonObject, jsonEqual } from '../../util/json.js';
import type { Backend, NamedTarget } from './backend.js';
import { metadataErrors } from './metadata-rules.js';
import { readFor, scopeOf } from './scope.js';
import { metadataOf } from './write.js';

/**
 * Whether an apply that is not forced would leave an object and its owners exactly as they are. What is merged is merged as in an apply;
 * the way to the store and back is left out, because an object that does not change takes it as it is. False where anything would change
 * or be refused, and where only the whole apply could tell.
 *
 * @param live the object as a server shows it, in the version of the request
 */
export function changesNothing(backend: Backend, target: NamedTarget, live: JsonObject, intent: JsonObject, manager: string): boolean {
  if (intent.apiVersion !== target.version.apiVersion || live.apiVersion !== intent.apiVersion || intent.kind !== live.kind) return false;
  const shown = readFor(target, live);
  if (shown !== live && !jsonEqual(shown, live)) return false;
  const { cache: _, ...scope } = scopeOf(backend, target, manager); // what is seen once would only stay in it
  const outcome = applyRequest({ ...scope, live, intent });
  if (outcome.outcome !== 'applied' || outcome.changed) return false;
  return jsonEqual(metadataOf(outcome.object).managedFields, metadataOf(live).managedFields) && isAsDefined(target, live);
}

/**
 * Whether an object is what its schema makes of it. A definition may have changed since the object was written. What Kubernetes itself
 * defines is shown with its defaults, and its rules are never tightened for objects that are there already.
 * Source: Kubernetes documentation "Kubernetes API Concepts"; API changes, "ratcheting validation".
 */
function isAsDefined({ resource, version }: NamedTarget, live: JsonObject): boolean {
  const { form } = resource;
  if (!form.custom) return true;
  const object = form.prepareUpdate(form.complete(live, version.apiVersion), live, undefined);
  const isValid = metadataErrors(resource, object, live).length === 0 && form.validate(object, live, undefined).length === 0;
  return isValid && jsonEqual(object, live);
}
