import { ApiError, type ObjectAddress } from '../../kubernetes/index.js';
import { addressText } from '../../kubernetes/object-address.js';
import { FieldwiseError } from '../../util/error.js';

/** The object that an intent names by its uid was deleted; another one may have its name. */
export function objectDeleted(address: ObjectAddress, manager: string): FieldwiseError {
  return new FieldwiseError('object-deleted', 'resource', 'The object of this uid does not exist any more', {
    location: { object: addressText(address), manager },
    next: 'Nothing was written. Read the object again; to create it again, apply an intent without `metadata.uid`.',
  });
}

/** Whether an error says that the object of the uid that was named is gone. */
export function isObjectDeleted(error: unknown): boolean {
  if (error instanceof ApiError) return error.uidMismatch !== undefined;
  return error instanceof FieldwiseError && error.code === 'object-deleted';
}
