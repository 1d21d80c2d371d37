import { objectText } from '../../assembly/identity.js';
import { leafTexts } from '../../fields/index.js';
import { type ManagedFieldsEntry, recordedFieldsOf } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import type { Step } from '../graph/waves.js';
import type { RunDiagnostic } from '../report/run-diagnostic.js';
import { declaredIn } from './declared-in.js';
import { type HandoffSelection, selectionOf } from './handoff-selection.js';

/**
 * Returns a warning for each subresource through which a manager owns declared fields, such as `scale` for an autoscaler: no transfer ends this
 * ownership, because the manager goes on to write there.
 *
 * @param from returns true for entries of the named manager.
 */
export function subresourceWarnings(
  live: JsonObject,
  step: Step,
  { select }: Pick<HandoffSelection, 'select'>,
  from: (entry: ManagedFieldsEntry) => boolean,
): readonly RunDiagnostic[] {
  return recordedFieldsOf(live).flatMap((entry): RunDiagnostic[] => {
    const fields = entry.subresource === '' || !from(entry) ? [] : leafTexts(declaredIn(select(entry.fields), step));
    if (fields.length === 0) return [];
    return [
      {
        event: 'warning',
        code: 'transfer-from-subresource',
        message: `${objectText(step.intent)} of stack ${step.stack.name}: ${entry.manager} owns ${fields.join(', ')} through the subresource ${entry.subresource}, which no transfer ends`,
        next: `Leave the fields to ${entry.manager} (\`conflicts: 'yield'\`), or end its writes first.`,
      },
    ];
  });
}

/** Returns these warnings for the policy `transferFrom`. @param after the object as it is, or will be, after the apply of the intent. */
export function transferFromWarnings(step: Step, after: JsonObject): readonly RunDiagnostic[] {
  const { transferFrom } = step.intent.policy;
  if (transferFrom === undefined) return [];
  const { from, fields = [] } = transferFrom;
  return subresourceWarnings(after, step, selectionOf([step], fields), ({ manager }) => manager === from);
}
