import { isTerminating } from '../../../fields/object.js';
import { FieldwiseError } from '../../../util/error.js';
import type { JsonObject } from '../../../util/json.js';

/** Returns true if the object exists and is not being deleted. */
export function isNotTerminating(object: JsonObject | undefined): object is JsonObject {
  return object !== undefined && !isTerminating(object);
}

/**
 * Refuses an object that is being deleted: applied fields would be deleted with it.
 *
 * @throws FieldwiseError `object-terminating`.
 */
export function refuseTerminating(object: JsonObject): void {
  if (isNotTerminating(object)) return;
  throw objectTerminating();
}

/** Returns the error for an object that is being deleted. */
export function objectTerminating(): FieldwiseError {
  return new FieldwiseError('object-terminating', 'resource', 'The object is being deleted, and applied fields are deleted with it', {
    next: 'Deploy again when it is deleted; its finalizers say what blocks the deletion.',
  });
}
