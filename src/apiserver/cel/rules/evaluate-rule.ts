import type { Evaluator } from '../compile.js';
import { Budget } from '../evaluate/budget.js';
import type { Variables } from '../evaluate/thunk.js';
import { CelOptional, type CelValue, CostExceededError, EvaluationError, emptyOptional } from '../values/value.js';
import type { CompiledRule, ValidationRule } from './compile-rule.js';

/** The most that one expression may cost, and all rules of one object together. Source: observed. */
const maxExpressionCost = 1_000_000;
export const maxObjectCost = 10_000_000;

/** The values that a rule compares. */
export interface RuleValues {
  /** An error fails the rules that read the value. */
  readonly self: CelValue | EvaluationError;
  /** Undefined if there was no comparable value before. */
  readonly oldSelf: CelValue | EvaluationError | undefined;
}

/** The outcome of a rule: it holds, it is broken, or it could not be evaluated. */
export type RuleOutcome =
  | { readonly kind: 'holds' }
  | { readonly kind: 'broken'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string }
  /** No further rule is evaluated. */
  | { readonly kind: 'exhausted'; readonly message: string };

/** The words of the real server, in its spelling. */
const costLimitExceeded = ['operation cancel', 'led: actual cost limit exceeded'].join('');

const holds: RuleOutcome = { kind: 'holds' };

/** Evaluates a rule, within what is left of the budget of its object. */
export function evaluateRule(compiled: CompiledRule, values: RuleValues, total: Budget): RuleOutcome {
  const { declared, evaluator, usesOldSelf } = compiled;
  if (evaluator === undefined) return holds;
  const isOptional = declared.optionalOldSelf === true;
  // A transition rule needs a value before the change.
  if (usesOldSelf && values.oldSelf === undefined && !isOptional) return holds;
  // A messageExpression sees the old value only where its rule does. Source: observed.
  const variables = variablesOf(usesOldSelf ? values : { ...values, oldSelf: undefined }, isOptional);
  const result = run(evaluator, variables, total);
  if (result === 'out of budget')
    return { kind: 'exhausted', message: 'validation failed due to running out of cost budget, no further validation rules will be run' };
  if (result instanceof CostExceededError) {
    const reason = 'no further validation rules will be run due to call cost exceeds limit for rule';
    return { kind: 'exhausted', message: `'${costLimitExceeded}': ${reason}: ${nameOf(declared)}` };
  }
  if (result instanceof EvaluationError) return { kind: 'failed', message: failureText(result, declared) };
  return result === true ? holds : messageOf(compiled, variables, total);
}

function variablesOf({ self, oldSelf }: RuleValues, isOptional: boolean): Variables {
  const variables = new Map<string, CelValue | EvaluationError>([['self', self]]);
  if (isOptional)
    variables.set(
      'oldSelf',
      oldSelf === undefined ? emptyOptional : oldSelf instanceof EvaluationError ? oldSelf : new CelOptional(oldSelf),
    );
  else if (oldSelf !== undefined) variables.set('oldSelf', oldSelf);
  return variables;
}

/** Evaluates an expression and charges what it cost to the budget of the object. */
function run(evaluator: Evaluator, variables: Variables, total: Budget): CelValue | EvaluationError | CostExceededError | 'out of budget' {
  const budget = new Budget(maxExpressionCost);
  let result: CelValue | EvaluationError | CostExceededError;
  try {
    result = evaluator.evaluate(variables, budget);
  } catch (error) {
    if (!(error instanceof EvaluationError || error instanceof CostExceededError)) throw error;
    result = error;
  }
  if (total.used + budget.used > total.limit) return 'out of budget';
  total.charge(budget.used);
  return result;
}

function failureText({ message }: EvaluationError, declared: ValidationRule): string {
  if (!message.startsWith('no such overload')) return `${message} evaluating rule: ${nameOf(declared)}`;
  const reason = 'call arguments did not match a supported operator, function or macro signature for rule';
  return `'${message}': ${reason}: ${nameOf(declared)}`;
}

/** Returns the message of a rule, or else the rule. */
function nameOf({ message, rule }: ValidationRule): string {
  return (message === '' ? rule : message).trim();
}

function messageOf({ declared, message }: CompiledRule, variables: Variables, total: Budget): RuleOutcome {
  const otherwise = {
    kind: 'broken',
    message: declared.message === '' ? `failed rule: ${nameOf(declared)}` : declared.message.trim(),
  } as const;
  if (message === undefined) return otherwise;
  const result = run(message, variables, total);
  if (result === 'out of budget') {
    const text = 'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run';
    return { kind: 'exhausted', message: text };
  }
  if (result instanceof CostExceededError) {
    const text = `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${JSON.stringify(declared.messageExpression)}`;
    return { kind: 'exhausted', message: text };
  }
  const text = typeof result === 'string' ? result.trim() : '';
  return text === '' || text.includes('\n') || Buffer.byteLength(text) > maxMessageBytes ? otherwise : { kind: 'broken', message: text };
}

/** A longer message of a messageExpression is not shown. Source: observed. */
const maxMessageBytes = 5 * 1024;
