import { isTerminating } from '../../kubernetes/object.js';
import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';

/** Whether there is an object that is not being deleted. */
export function isNotTerminating(object: JsonObject | undefined): object is JsonObject {
  return object !== undefined && !isTerminating(object);
}

/**
 * What is applied to an object that is being deleted goes with it.
 *
 * @throws FieldwiseError `object-terminating`.
 */
export function refuseTerminating(object: JsonObject): void {
  if (isNotTerminating(object)) return;
  throw objectTerminating();
}

export function objectTerminating(): FieldwiseError {
  return new FieldwiseError('object-terminating', 'resource', 'The object is being deleted, and what was applied goes with it', {
    next: 'Deploy again when it is gone; its finalizers say what holds it.',
  });
}
