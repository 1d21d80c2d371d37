import { strategies } from '../assembly/policy-vocabulary.js';
import { FieldwiseError } from '../util/error.js';

/** The allowed values of an option, as a test and as words for a person. */
interface Rule {
  readonly expected: string;
  readonly isValid: (value: unknown) => boolean;
}

const isNumber = (value: unknown, minimum: number, maximum = Number.POSITIVE_INFINITY) =>
  typeof value === 'number' && value >= minimum && value <= maximum;
const boolean: Rule = { expected: 'true or false', isValid: (value) => typeof value === 'boolean' };
const seconds: Rule = { expected: 'a number of seconds, at least 0', isValid: (value) => isNumber(value, 0) };
const text: Rule = { expected: 'a string', isValid: (value) => typeof value === 'string' };
const callback: Rule = { expected: 'a function', isValid: (value) => typeof value === 'function' };
const integer = (minimum: number, maximum?: number): Rule => ({
  expected: maximum === undefined ? `an integer of at least ${minimum}` : `an integer from ${minimum} to ${maximum}`,
  isValid: (value) => Number.isInteger(value) && isNumber(value, minimum, maximum),
});
const oneOf = (...values: readonly string[]): Rule => ({
  expected: values.map((value) => `'${value}'`).join(' or '),
  isValid: (value) => values.includes(value as string),
});

const rules: Readonly<Record<string, Rule>> = {
  concurrency: integer(1, 256),
  confirm: callback,
  contentionLimit: integer(1),
  deleteForeign: boolean,
  deleteShared: boolean,
  deletionTimeoutSeconds: seconds,
  inventoryNamespace: text,
  leaseDurationSeconds: { expected: 'a number of seconds above 0', isValid: (value) => isNumber(value, Number.MIN_VALUE) },
  lockTimeoutSeconds: seconds,
  onEvent: callback,
  prune: boolean,
  pruneStacks: boolean,
  readOnly: boolean,
  reconcile: oneOf('full', 'changed'),
  retainRejected: boolean,
  stacks: { expected: 'a list of names', isValid: (value) => Array.isArray(value) && value.every(text.isValid) },
  strategy: oneOf(...strategies),
  wait: boolean,
  waitSeconds: seconds,
  yes: boolean,
};

/**
 * Checks the options of a function of the library. Absent options, and options that have no rule, are valid.
 *
 * @throws FieldwiseError `option-invalid`.
 */
export function checkOptions(options: object): void {
  for (const [name, value] of Object.entries(options)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (value === undefined || rule === undefined || rule.isValid(value)) continue;
    throw new FieldwiseError('option-invalid', 'usage', `The option \`${name}\` has the value ${shown(value)}`, {
      next: `Pass ${rule.expected}.`,
    });
  }
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
