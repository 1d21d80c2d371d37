import { implementationName } from '../values/type-name.js';
import { CelList, CelMap, type CelValue, EvaluationError } from '../values/value.js';
import type { Frame, Thunk } from './thunk.js';

/** A loop, with the slots of its variables. */
export interface Loop {
  readonly range: Thunk;
  readonly init: Thunk;
  /** Undefined if all items are visited. */
  readonly condition: Thunk | undefined;
  readonly step: Thunk;
  readonly accumulator: number;
  readonly variable: number;
  readonly variable2: number | undefined;
}

/** Runs a loop: the accumulator has its result, or the error of its last step. @throws EvaluationError @throws CostExceededError */
export function iterate({ range, init, condition, step, accumulator, variable, variable2 }: Loop, frame: Frame): void {
  const { slots } = frame;
  const collection = range(frame);
  slots[accumulator] = init(frame);
  const visit = (first: CelValue, second: CelValue): boolean => {
    slots[variable] = first;
    if (variable2 !== undefined) slots[variable2] = second;
    if (condition !== undefined && condition(frame) !== true) return false;
    try {
      slots[accumulator] = step(frame);
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      slots[accumulator] = error;
      // Without a condition, no later step can do away with the error.
      return condition !== undefined;
    }
    return true;
  };
  if (collection instanceof CelList) {
    const { items } = collection;
    const hasIndex = variable2 !== undefined;
    for (let at = 0; at < items.length; at++) {
      const item = items[at] as CelValue;
      if (!visit(hasIndex ? BigInt(at) : item, item)) break;
    }
  } else if (collection instanceof CelMap) {
    for (const key of collection.keys()) if (!visit(key, variable2 === undefined ? null : (collection.get(key) as CelValue))) break;
  } else throw new EvaluationError(notIterable(implementationName(collection), variable2 !== undefined));
}

function notIterable(type: string, hasTwoVariables: boolean): string {
  return hasTwoVariables ? `unsupported comprehension range type: ${type}` : `got '${type}', expected iterable type`;
}
