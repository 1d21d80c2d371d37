import type { RunOptions } from './options.js';
import type { Step } from './order/waves.js';

/** Whether a run is to work on an intent. */
export function isChosen({ stack, index }: Step, { only }: RunOptions): boolean {
  return only === undefined || only.get(stack.name)?.has(index) === true;
}
