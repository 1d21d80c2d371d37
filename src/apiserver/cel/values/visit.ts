import { CostExceededError } from './value.js';

/** The most values that one evaluation may visit where the costs of the real server do not count them. */
const mostVisits = 20_000_000;

let visits = 0;
let depth = 0;

/**
 * Counts a value that a comparison or a text goes through. A list may contain one list many times, so that its parts have no bound by the cost
 * of making it; the real server compares them for as long as it takes.
 *
 * @throws CostExceededError
 */
export function visit(): void {
  visits += 1;
  if (visits > mostVisits) throw new CostExceededError();
}

/** Evaluates, within the visits that are left of the outermost evaluation. @throws CostExceededError also for a text longer than any can be */
export function withinVisits<Value>(evaluate: () => Value): Value {
  if (depth === 0) visits = 0;
  depth += 1;
  try {
    return evaluate();
  } catch (error) {
    if (error instanceof RangeError && /string length/i.test(error.message)) throw new CostExceededError();
    throw error;
  } finally {
    depth -= 1;
  }
}
