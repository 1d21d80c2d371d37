import { type CheckedExpression, check } from './check/check.js';
import type { Environment } from './check/environment.js';
import { astErrors, constantError } from './check/literal-rules.js';
import type { Budget } from './evaluate/budget.js';
import { makeThunk } from './evaluate/make-thunk.js';
import type { Frame, Thunk, Variables } from './evaluate/thunk.js';
import { parse } from './syntax/parse.js';
import { formatErrors } from './syntax/source-error.js';
import { type CelValue, EvaluationError, InternalError } from './values/value.js';
import { withinVisits } from './values/visit.js';

/** An expression that is ready to be evaluated, any number of times. */
export interface Evaluator {
  readonly checked: CheckedExpression;
  /** Evaluates the expression. @throws EvaluationError @throws CostExceededError */
  evaluate(variables: Variables, budget: Budget): CelValue;
}

export interface CompileError {
  readonly error: string;
  /** An expression of the right types, that can have no value. */
  readonly checked?: CheckedExpression;
}

/** Compiles an expression. An error has the words and marks of the real server. */
export function compile(text: string, environment: Environment): Evaluator | CompileError {
  const checked = checkText(text, environment);
  if ('error' in checked) return { error: `compilation failed: ${checked.error}` };
  const constant = constantError(checked);
  if (constant !== undefined) return { error: `program instantiation failed: ${constant}`, checked };
  const thunk = makeThunk(checked);
  return { checked, evaluate: (variables, budget) => run(thunk, { variables, budget, slots: [] }) };
}

function run(thunk: Thunk, frame: Frame): CelValue {
  try {
    return withinVisits(() => thunk(frame));
  } catch (error) {
    throw error instanceof InternalError ? new EvaluationError(`internal error: ${error.message}`) : error;
  }
}

function checkText(text: string, environment: Environment): CheckedExpression | { readonly error: string } {
  const parsed = parse(text);
  if ('errors' in parsed) return { error: formatErrors(text, parsed.errors) };
  const checked = check(parsed.expression, environment);
  if ('errors' in checked) return { error: formatErrors(text, checked.errors) };
  const unfit = astErrors(checked);
  return unfit.length > 0 ? { error: formatErrors(text, unfit) } : checked;
}
