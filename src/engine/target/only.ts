import type { Step } from '../graph/waves.js';
import type { RunOptions } from '../run/options.js';

/** Whether a run is to work on an intent. */
export function isChosen({ stack, index }: Step, { only }: RunOptions): boolean {
  return only === undefined || only.get(stack.name)?.has(index) === true;
}
