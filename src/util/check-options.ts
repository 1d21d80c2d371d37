import { FieldwiseError } from './error.js';
import { invalidArgument } from './invalid-argument.js';
import { isJsonObject } from './json.js';

/** The allowed values of an option, as a test and as words for a person, after "Pass". */
export interface OptionRule {
  readonly expected: string;
  readonly isValid: (value: unknown) => boolean;
}

export type OptionRules<Options> = Readonly<Record<keyof Options, OptionRule>>;

const isNumber = (value: unknown, minimum: number, maximum = Number.POSITIVE_INFINITY) =>
  Number.isFinite(value) && (value as number) >= minimum && (value as number) <= maximum;

export const boolean: OptionRule = { expected: 'true or false', isValid: (value) => typeof value === 'boolean' };
export const callback: OptionRule = { expected: 'a function', isValid: (value) => typeof value === 'function' };
export const text: OptionRule = { expected: 'a string', isValid: (value) => typeof value === 'string' };
export const seconds: OptionRule = { expected: 'a number of seconds, at least 0', isValid: (value) => isNumber(value, 0) };

/** A text that is not empty. */
export function nonEmptyText(expected: string): OptionRule {
  return { expected, isValid: (value) => typeof value === 'string' && value !== '' };
}

export function integer(minimum: number, maximum?: number): OptionRule {
  return {
    expected: maximum === undefined ? `an integer of at least ${minimum}` : `an integer from ${minimum} to ${maximum}`,
    isValid: (value) => Number.isInteger(value) && isNumber(value, minimum, maximum),
  };
}

export function oneOf(...values: readonly string[]): OptionRule {
  return { expected: values.map((value) => `'${value}'`).join(' or '), isValid: (value) => values.includes(value as string) };
}

/**
 * Checks the options of a function. Absent options are valid.
 *
 * @param page the page of the documentation that lists the options
 * @throws FieldwiseError `option-invalid`.
 */
export function checkOptionsBy<Options extends object>(rules: OptionRules<Options>, options: object, page: string): void {
  if (!isJsonObject(options)) throw invalidArgument('The argument `options`', options, 'an object');
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const rule = Object.hasOwn(rules, name) ? rules[name as keyof Options] : undefined;
    if (rule === undefined) {
      throw new FieldwiseError('option-invalid', 'usage', `There is no option \`${name}\``, {
        next: `Leave it out, or correct its name; ${page} lists the options.`,
      });
    }
    if (!rule.isValid(value)) throw invalidArgument(`The option \`${name}\``, value, rule.expected);
  }
}
