import { strategies } from '../assembly/policy-vocabulary.js';
import { FieldwiseError } from '../util/error.js';
import { invalidArgument } from '../util/invalid-argument.js';
import { isJsonObject } from '../util/json.js';
import type { DeployOptions, DestroyOptions, ListStacksOptions, PlanOptions, UndoOptions } from './verb-options.js';

/** The allowed values of an option, as a test and as words for a person. */
interface Rule {
  readonly expected: string;
  readonly isValid: (value: unknown) => boolean;
}

const isNumber = (value: unknown, minimum: number, maximum = Number.POSITIVE_INFINITY) =>
  Number.isFinite(value) && (value as number) >= minimum && (value as number) <= maximum;
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

const isReferenceSources = (value: unknown) => isJsonObject(value) && isJsonObject(value.env) && text.isValid(value.directory);
const isSignal = (value: unknown) =>
  isJsonObject(value) && typeof value.aborted === 'boolean' && callback.isValid((value as Partial<AbortSignal>).addEventListener);

type VerbOption = keyof DeployOptions | keyof DestroyOptions | keyof PlanOptions | keyof ListStacksOptions | keyof UndoOptions;
type ConnectOption = 'kubeconfig' | 'context' | 'namespace';

const rules: Readonly<Record<VerbOption | ConnectOption, Rule>> = {
  concurrency: integer(1, 256),
  confirm: callback,
  context: text,
  contentionLimit: integer(1),
  deleteForeign: boolean,
  deleteShared: boolean,
  deletionTimeoutSeconds: seconds,
  inventoryNamespace: text,
  kubeconfig: text,
  leaseDurationSeconds: { expected: 'a number of seconds above 0', isValid: (value) => isNumber(value, Number.MIN_VALUE) },
  lockTimeoutSeconds: seconds,
  namespace: text,
  onEvent: callback,
  prune: boolean,
  pruneStacks: boolean,
  readOnly: boolean,
  reconcile: oneOf('full', 'changed'),
  references: { expected: 'an object with `env` and `directory`', isValid: isReferenceSources },
  retainRejected: boolean,
  signal: { expected: 'the signal of an AbortController', isValid: isSignal },
  // An empty list is the result of a filter that found nothing, and must not select every stack.
  stacks: {
    expected: 'a list of one or more names',
    isValid: (value) => Array.isArray(value) && value.length > 0 && value.every(text.isValid),
  },
  strategy: oneOf(...strategies),
  wait: boolean,
  waitSeconds: seconds,
  yes: boolean,
};

/**
 * Checks the options of a function of the library. Absent options are valid, and so are those of another function, so that functions can
 * share their options.
 *
 * @throws FieldwiseError `option-invalid`.
 */
export function checkOptions(options: object): void {
  if (!isJsonObject(options)) throw invalidArgument('The argument `options`', options, 'an object');
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const rule = Object.hasOwn(rules, name) ? rules[name as keyof typeof rules] : undefined;
    if (rule === undefined) {
      throw new FieldwiseError('option-invalid', 'usage', `There is no option \`${name}\``, {
        next: 'Leave it out, or correct its name; docs/api.md lists the options.',
      });
    }
    if (!rule.isValid(value)) throw invalidArgument(`The option \`${name}\``, value, rule.expected);
  }
}

/**
 * Checks the options of a function that changes the cluster.
 *
 * @throws FieldwiseError `option-invalid`, also for `readOnly: true`, which is an option of `plan`.
 */
export function checkWriteOptions(options: object): void {
  checkOptions(options);
  if (!('readOnly' in options) || options.readOnly !== true) return;
  throw new FieldwiseError('option-invalid', 'usage', 'The option `readOnly` belongs to `plan`, and this function changes the cluster', {
    next: 'Leave it out, or call `plan`.',
  });
}
