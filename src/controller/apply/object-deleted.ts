import { ApiError, type ObjectAddress } from '../../kubernetes/index.js';
import { addressText } from '../../kubernetes/object-address.js';
import { FieldwiseError } from '../../util/error.js';

/** Returns the error for an intent whose uid is that of a deleted object; another object may have its name. */
export function objectDeleted(address: ObjectAddress, manager: string): FieldwiseError {
  return new FieldwiseError('object-deleted', 'resource', 'The object with this uid no longer exists', {
    location: { object: addressText(address), manager },
    next: 'Nothing was written. Read the object again; to create it again, apply an intent without `metadata.uid`.',
  });
}

/** Returns true for an error because the object with the given uid does not exist. */
export function isObjectDeleted(error: unknown): boolean {
  if (error instanceof ApiError) return error.uidMismatch !== undefined;
  return error instanceof FieldwiseError && error.code === 'object-deleted';
}
