import { FieldwiseError } from '../../../util/error.js';

/** Returns the error for an existing object that the policy does not let a stack own, or that nobody has confirmed. */
export function objectAlreadyExistsError(what: string): FieldwiseError {
  return new FieldwiseError(
    'object-already-exists',
    'resource',
    `The policy \`ifPresent\` does not let a stack own an object that exists already: ${what}`,
    {
      next:
        'The object was not changed. Declare it with `share`, set its policy to `ifPresent: own`, or remove the object. Where the policy is ' +
        '`ask`, run again to be asked.',
    },
  );
}
