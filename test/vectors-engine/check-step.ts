import { checkApply } from './check-apply.js';
import { checkScale } from './check-scale.js';
import { checkUpdate } from './check-update.js';
import type { Check, StepContext } from './situation.js';

/** Checks one step: the state before and the request go in, and what comes out is held against what was recorded. */
export function checkStep(situation: StepContext): Check {
  const { op, target } = situation.step;
  if (op === 'get' || op === 'delete') return { skipped: `${op}: nobody comes to own anything` };
  if (target.subresource === 'scale') return checkScale(situation);
  return op === 'apply' ? checkApply(situation) : checkUpdate(situation);
}
