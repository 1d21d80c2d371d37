import type { WaitFor } from '../../assembly/policy-vocabulary.js';
import { resolvePath, valueAt } from '../../fields/index.js';
import { conditionOf, metadataOf } from '../../fields/object.js';
import { stringifyExactJson } from '../../util/exact-json.js';
import { type JsonObject, jsonEqual } from '../../util/json.js';
import { current, inProgress, type Readiness } from '../report/readiness-state.js';
import { count } from './object.js';

/** Evaluates an object by the policy `waitFor`. A condition that is about an older generation does not count. */
export function waitForReadiness(object: JsonObject, waitFor: WaitFor): Readiness {
  if ('condition' in waitFor) {
    const { status: expected = 'True' } = waitFor;
    const found = conditionOf(object, waitFor.condition);
    const text = `condition ${waitFor.condition}`;
    if (!found) return inProgress('ConditionMissing', `${text} does not exist yet`);
    if (found.observedGeneration !== undefined && found.observedGeneration < count(metadataOf(object).generation)) {
      return inProgress('ConditionOutdated', `${text} is about an older generation`);
    }
    if (found.status === expected) return current(found.reason || 'ConditionMet', `${text} is ${found.status}`);
    const why = [found.reason, found.message].filter((part) => part !== '').join(': ');
    return inProgress(found.reason || 'ConditionNotMet', `${text} is ${found.status}${why ? ` (${why})` : ''}, not ${expected}`);
  }
  const path = resolvePath(waitFor.field, object);
  const value = path && valueAt(object, path);
  if (value !== undefined && jsonEqual(value, waitFor.equals))
    return current('FieldEquals', `${waitFor.field} is ${stringifyExactJson(value)}`);
  return inProgress(
    'FieldDiffers',
    `${waitFor.field} is ${value === undefined ? 'absent' : stringifyExactJson(value)}, not ${JSON.stringify(waitFor.equals)}`,
  );
}
