import { strategies } from '../assembly/policy-vocabulary.js';
import { maxLeaseDurationSeconds } from '../engine/lock/lease.js';
import { boolean, callback, checkOptionsBy, integer, type OptionRule, oneOf, seconds, text } from '../util/check-options.js';
import { FieldwiseError } from '../util/error.js';
import { isJsonObject } from '../util/json.js';
import type { DeployOptions, DestroyOptions, ListStacksOptions, PlanOptions, UndoOptions } from './verb-options.js';

const isReferenceSources = (value: unknown) => isJsonObject(value) && isJsonObject(value.env) && text.isValid(value.directory);
const isSignal = (value: unknown) =>
  isJsonObject(value) && typeof value.aborted === 'boolean' && callback.isValid((value as Partial<AbortSignal>).addEventListener);

type VerbOption = keyof DeployOptions | keyof DestroyOptions | keyof PlanOptions | keyof ListStacksOptions | keyof UndoOptions;
type ConnectOption = 'kubeconfig' | 'context' | 'namespace';

const rules: Readonly<Record<VerbOption | ConnectOption, OptionRule>> = {
  concurrency: integer(1, 256),
  confirm: callback,
  context: text,
  contentionLimit: integer(1),
  deleteForeign: boolean,
  deleteShared: boolean,
  deletionTimeoutSeconds: seconds,
  failFast: boolean,
  inventoryNamespace: text,
  kubeconfig: text,
  leaseDurationSeconds: integer(1, maxLeaseDurationSeconds),
  lockTimeoutSeconds: seconds,
  namespace: text,
  onEvent: callback,
  prune: boolean,
  pruneStacks: boolean,
  readOnly: boolean,
  reconcile: oneOf('auto', 'changed', 'full'),
  references: { expected: 'an object with `env` and `directory`', isValid: isReferenceSources },
  retainRejected: boolean,
  takeOver: text,
  rules: {
    expected: 'a list of rules of `fieldwise/rules`',
    isValid: (value) =>
      Array.isArray(value) &&
      value.every((rule: unknown) => isJsonObject(rule) && callback.isValid(rule.check) && rule.verdict !== undefined),
  },
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
  checkOptionsBy(rules, options, 'docs/api.md');
}

/**
 * Checks the options of a function that changes the cluster.
 *
 * @throws FieldwiseError `option-invalid`, also for `readOnly: true` and for `rules`, which are options of `plan`: to ignore them would change
 *   what they were to protect.
 */
export function checkWriteOptions(options: object): void {
  checkOptions(options);
  const { readOnly, rules: checks } = options as Partial<PlanOptions>;
  const name = readOnly === true ? 'readOnly' : checks === undefined ? undefined : 'rules';
  if (name === undefined) return;
  throw new FieldwiseError('option-invalid', 'usage', `The option \`${name}\` belongs to \`plan\`, and this function changes the cluster`, {
    next:
      name === 'rules'
        ? 'Leave it out: call `plan` with it first, and go on only if no object is blocked.'
        : 'Leave it out, or call `plan`.',
  });
}
