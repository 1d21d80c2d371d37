import type { CelValue, EvaluationError } from '../values/value.js';
import type { Budget } from './budget.js';

/** One evaluation. */
export interface Frame {
  readonly variables: ReadonlyMap<string, CelValue>;
  readonly budget: Budget;
  /** The variables of macros, each in its own place; an accumulator may hold the error of a step. */
  readonly slots: (CelValue | EvaluationError)[];
}

/** Computes a node. @throws EvaluationError @throws CostExceededError */
export type Step = (frame: Frame) => CelValue;
