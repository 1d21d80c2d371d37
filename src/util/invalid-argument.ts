import { FieldwiseError } from './error.js';

/**
 * Returns the error for a wrong argument of a function of the library.
 *
 * @param name such as ``The option `concurrency` ``
 * @param expected the allowed values, after "Pass".
 */
export function invalidArgument(name: string, value: unknown, expected: string): FieldwiseError {
  return new FieldwiseError('option-invalid', 'usage', `${name} has the value ${shown(value)}`, { next: `Pass ${expected}.` });
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return '[…]';
  if (typeof value === 'object' && value !== null) return '{…}';
  return typeof value === 'function' ? '() => …' : String(value);
}
