import { FieldwiseError } from '../util/error.js';
import { invalidArgument } from '../util/invalid-argument.js';

/**
 * Returns the error for a wrong argument in a test. Test runners show the message of an error only, so it has the next step, too.
 *
 * @param expected the allowed values, after "Pass".
 */
export function wrongUse(name: string, value: unknown, expected: string): FieldwiseError {
  const { message, next } = invalidArgument(name, value, expected);
  const what = value instanceof Promise ? `${name} is a promise: an \`await\` is missing` : message;
  return new FieldwiseError('option-invalid', 'usage', `${what}. ${next}`);
}

/** Returns the error for a value that cannot answer what a test asks, because something failed before; also under `.not`. */
export function notExamined(statement: string, reasons: readonly string[]): FieldwiseError {
  return new FieldwiseError(
    'option-invalid',
    'usage',
    `${statement}, nor its absence: it failed for another reason: ${reasons.join('; ')}`,
  );
}
