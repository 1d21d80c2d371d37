import { objectText } from '../../assembly/identity.js';
import { type FieldPath, formatPath, membersOf, valueAt } from '../../fields/index.js';
import { hasDescendants, recordedFieldsOf } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import { isContainer, type JsonObject } from '../../util/json.js';
import type { Step } from '../graph/waves.js';
import type { RunDiagnostic } from '../report/run-diagnostic.js';
import { type HandoffSelection, selectionOf } from './handoff-selection.js';

/**
 * Returns the declared fields that a manager owns by updates, such as client-side apply under its name. A transfer of fields moves none of
 * them, because it ends the ownership of a manager that applies; `adopt --from` moves them.
 */
function fieldsOfUpdater(
  live: JsonObject | undefined,
  manager: string,
  { object }: Step,
  { select }: Pick<HandoffSelection, 'select'>,
): readonly string[] {
  const entries = recordedFieldsOf(live);
  // An update records the map that it creates; the fields in it that others own since are not among those of the map.
  const isOnlyMap = (path: FieldPath) => isContainer(valueAt(object, path)) && entries.some(({ fields }) => hasDescendants(fields, path));
  return entries
    .filter((entry) => entry.manager === manager && entry.operation === 'Update' && entry.subresource === '')
    .flatMap(({ fields }) => membersOf(select(fields)))
    .filter(({ path, leaf }) => leaf && valueAt(object, path) !== undefined && !isOnlyMap(path))
    .map(({ path }) => formatPath(path));
}

/**
 * Returns the warning that `transferFrom` names a manager that still owns declared fields by updates.
 *
 * @param after the object as it is, or will be, after the apply of the intent.
 */
export function updaterWarning(step: Step, after: JsonObject): RunDiagnostic | undefined {
  const { transferFrom } = step.intent.policy;
  if (transferFrom === undefined || transferFrom.from.startsWith('fieldwise/')) return undefined;
  const { from, fields: limits = [] } = transferFrom;
  const fields = fieldsOfUpdater(after, from, step, selectionOf([step], limits));
  if (fields.length === 0) return undefined;
  return {
    event: 'warning',
    code: 'transfer-from-updater',
    message: `${objectText(step.intent)} of stack ${step.stack.name}: ${from} owns ${fields.join(', ')} by updates, and transferFrom ends only the ownership of a manager that applies`,
    next: adoptText(from),
  };
}

/**
 * Refuses a handoff from a manager that owns declared fields by updates: it would leave them with that manager.
 *
 * @throws FieldwiseError `handoff-from-updater`.
 */
export function refuseUpdater(
  live: JsonObject | undefined,
  manager: string,
  step: Step,
  selection: Pick<HandoffSelection, 'select'>,
): void {
  const fields = manager.startsWith('fieldwise/') ? [] : fieldsOfUpdater(live, manager, step, selection);
  if (fields.length === 0) return;
  throw new FieldwiseError(
    'handoff-from-updater',
    'usage',
    `${manager} owns ${fields.join(', ')} by updates, and a handoff ends only the ownership of a manager that applies`,
    { location: { object: objectText(step.intent), manager }, next: `Nothing was changed. ${adoptText(manager)}` },
  );
}

function adoptText(manager: string): string {
  return `Deploy the stack, then run \`fieldwise adopt --from ${manager}\`, which ends its ownership of all fields that the stack declares (docs/adopt.md).`;
}
