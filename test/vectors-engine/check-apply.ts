import { applyRequest } from '../../src/ownership/index.js';
import type { JsonObject } from '../../src/util/json.js';
import { withRecordedContent } from './built-in-object.js';
import { defaulted } from './custom-object.js';
import { outcomeText, recordedFailure } from './outcome-text.js';
import type { Step } from './scenario.js';
import { bodyOf, type Check, isForced, liveOf, rootOf, type StepContext, scopeOf } from './situation.js';
import { compareWritten } from './written-object.js';

export function checkApply(situation: StepContext): Check {
  const { step, kind } = situation;
  const refused = refusedBefore(step);
  if (refused !== undefined) return { skipped: refused };
  const live = liveOf(situation);
  const outcome = applyRequest({ ...scopeOf(situation), live, intent: bodyOf(step), force: isForced(step) });
  // Values are validated after the merge, and by others: the engine must have let the intent pass.
  if (step.result.code === 422) return { expected: 'applied', actual: outcomeText(outcome) };
  if (step.result.code >= 400) return { expected: recordedFailure(step), actual: outcomeText(outcome) };
  if (outcome.outcome !== 'applied') return { expected: 'applied', actual: outcomeText(outcome) };
  const object: JsonObject = kind.custom
    ? defaulted(rootOf(situation), outcome.object)
    : withRecordedContent(outcome.object, live, step.result.object as JsonObject);
  return compareWritten(situation, live, object);
}

// Checks of the HTTP layer come first; the engine never sees these requests.
function refusedBefore({ result }: Step): string | undefined {
  const { code } = result;
  const message = String(result.status?.message ?? '');
  if (code === 400 && message !== 'metadata.managedFields must be nil')
    return '400 to apply: names, versions and bodies are checked before';
  if (code === 404) return '404 to apply: a subresource of an absent object';
  if (code === 409 && !message.startsWith('Apply failed')) return '409 to apply: uid or resourceVersion';
  if (code === 422 && message.startsWith('PatchOptions')) return '422 to apply: query parameters';
  if (message.startsWith('strconv.')) return '500 to apply: a resourceVersion that is not a number';
  if (message.includes('unable to convert unstructured object')) return '500 to apply: a value that Go cannot hold';
  return undefined;
}
