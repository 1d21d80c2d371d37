import { CostExceededError } from '../values/value.js';

/**
 * Counts the steps of an evaluation. JavaScript cannot interrupt one, so that each step is charged before or right after it runs: an
 * evaluation ends at the limit, whatever its expression does.
 */
export class Budget {
  readonly limit: number;
  used = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** @throws CostExceededError */
  charge(steps: number): void {
    this.used += steps;
    if (this.used > this.limit) throw new CostExceededError();
  }
}
