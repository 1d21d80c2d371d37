import type { RollbackEvent, RollbackStarted } from '../../deploy/index.js';
import type { Host } from '../process/host.js';
import { driftRenderer } from './drift-renderer.js';
import { commitText } from './history-table.js';
import { planRenderer } from './plan-renderer.js';
import { forPeople, linesText } from './printable.js';

/** Returns a renderer that prints the plan of a rollback for people: the revisions, what others have changed, and the plan. */
export function rollbackRenderer(host: Host): (event: RollbackEvent) => void {
  const [plan, drift] = [planRenderer(host), driftRenderer(host)];
  let hasDrift = false;
  const heading = forPeople((event: RollbackStarted) => host.raw.stdout(linesText(headingLines(event))));
  return (event) => {
    if (event.event === 'rollback') return heading(event);
    if (event.event !== 'drift') return plan(event);
    if (!hasDrift) host.stdout('changed by others since the last revision:\n');
    hasDrift = true;
    drift(event);
  };
}

function headingLines({ stack, from, to, isNotRecorded, passedOver = [] }: RollbackStarted): readonly string[] {
  const origin = isNotRecorded ? 'what a later deploy changed, which this history does not record; the last is ' : '';
  return [
    `stack ${stack}: from ${origin}${revisionText(from)}`,
    `back to ${revisionText(to)}`,
    ...(passedOver.length > 0 ? [`passed over, because their declarations are not stored: ${passedOver.join(', ')}`] : []),
  ];
}

function revisionText({ revision, at, by, result, rollbackTo, ...source }: RollbackStarted['to']): string {
  const commit = rollbackTo === undefined ? commitText(source) : undefined; // A rollback does not deploy what is checked out.
  const rollback = rollbackTo === undefined ? [] : [`rollback to ${rollbackTo}`];
  return [`revision ${revision} (${result}, ${at}`, ...(by ? [`by ${by}`] : []), ...(commit ? [`commit ${commit}`] : []), ...rollback]
    .join(', ')
    .concat(')');
}
