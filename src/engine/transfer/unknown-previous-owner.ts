import { managersOf, objectText } from '../../assembly/identity.js';
import type { Assembly } from '../../assembly/types.js';
import { isEmpty } from '../../fields/index.js';
import { managedFieldsOf, ownerText } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import type { Step } from '../graph/waves.js';
import type { RunDiagnostic } from '../report/run-diagnostic.js';
import { declaredIn } from './declared-in.js';
import { selectionOf } from './handoff-selection.js';

/**
 * Returns a warning for an intent whose `transferFrom` names neither a stack of the program nor a field manager of the object, while others
 * own fields that it would transfer. After a transfer nobody else owns them, and nothing is said.
 */
export function unknownPreviousOwner({ manifest }: Assembly, step: Step, live: JsonObject): RunDiagnostic | undefined {
  const { transferFrom } = step.intent.policy;
  if (transferFrom === undefined || manifest.stacks.some(({ manager }) => manager === transferFrom.from)) return undefined;
  const entries = managedFieldsOf(live);
  if (entries.some(({ manager }) => manager === transferFrom.from)) return undefined;
  const selection = selectionOf([step], transferFrom.fields ?? []);
  const others = entries.filter(
    ({ manager, fields }) => !managersOf(step.stack).includes(manager) && !isEmpty(selection.select(declaredIn(fields, step))),
  );
  if (others.length === 0) return undefined;
  const owners = [...new Set(others.map(ownerText))].join(', ');
  return {
    event: 'warning',
    code: 'previous-owner-unknown',
    message: `\`transferFrom\` of ${objectText(step.intent)} in stack ${step.stack.name} names ${transferFrom.from}, which is not a stack of the program and owns nothing of the object; these fields are owned by ${owners}`,
    next: 'Nothing is transferred. Correct `from`, or remove `transferFrom`.',
  };
}
