import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';

/**
 * What is applied to an object that is being deleted goes with it.
 *
 * @throws FieldwiseError `object-terminating`.
 */
export function refuseTerminating(object: JsonObject): void {
  if ((object.metadata as JsonObject).deletionTimestamp === undefined) return;
  throw new FieldwiseError('object-terminating', 'resource', 'The object is being deleted, and what was applied goes with it', {
    next: 'Deploy again when it is gone; its finalizers say what holds it.',
  });
}
