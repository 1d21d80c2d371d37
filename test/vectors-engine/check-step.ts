import { checkApply } from './check-apply.js';
import { checkScale } from './check-scale.js';
import { checkUpdate } from './check-update.js';
import type { Check, StepContext } from './situation.js';

/** Checks one step: computes the result from the previous state and the request, and compares it with the recording. */
export function checkStep(situation: StepContext): Check {
  const { op, target } = situation.step;
  if (op === 'get' || op === 'delete') return { skipped: `${op}: nobody comes to own anything` };
  if (target.subresource === 'scale') return checkScale(situation);
  return op === 'apply' ? checkApply(situation) : checkUpdate(situation);
}
