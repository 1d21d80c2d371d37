import type { CelValue, EvaluationError } from '../values/value.js';
import type { Budget } from './budget.js';

/** Values by name; reading an error fails. */
export type Variables = ReadonlyMap<string, CelValue | EvaluationError>;

/** One evaluation. */
export interface Frame {
  readonly variables: Variables;
  readonly budget: Budget;
  /** The variables of macros, each in its own place; an accumulator may hold the error of a thunk. */
  readonly slots: (CelValue | EvaluationError)[];
}

/** Computes a node. @throws EvaluationError @throws CostExceededError */
export type Thunk = (frame: Frame) => CelValue;
