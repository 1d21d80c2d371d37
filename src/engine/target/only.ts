import type { Step } from '../graph/waves.js';
import type { RunOptions } from '../run/options.js';

/** Whether a run is to work on an intent. */
export function isSelected({ stack, index }: Step, { targets }: RunOptions): boolean {
  return targets === undefined || targets.get(stack.name)?.has(index) === true;
}
