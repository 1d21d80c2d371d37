import type pc from 'picocolors';
import { declarationText as declarationOf } from '../../assembly/declaration-text.js';
import type { FieldConflict, ObjectReport, Outcome, ReleasedField, ReportedError, YieldedField } from '../../deploy/index.js';
import { changesValue } from '../../engine/field-changes/report-releases.js';
import { forcedWord } from '../../engine/report/forced-field.js';
import type { ReadinessCause } from '../../engine/report/readiness-cause.js';
import type { SettledReadiness } from '../../engine/report/readiness-state.js';
import { seenTexts } from '../../engine/report/sensitive-changes.js';
import { sentence } from '../../util/error.js';
import { type Json, jsonEqual } from '../../util/json.js';
import { pluralize } from '../../util/pluralize.js';
import { changeLines } from './change-lines.js';
import { conflictHint } from './conflict-hint.js';
import { dangerPaint, isLoss, lossPaint } from './emphasis.js';
import { existingText } from './existing-text.js';
import { fieldText, ownerName, ownersText, reportedOwner, rewrittenText } from './field-text.js';
import { readyText } from './ready.js';
import { rejoinedText } from './rejoined-text.js';
import { fieldLines } from './shared-paths.js';
import { foldedFields } from './shown-fields.js';
import { valueText } from './values.js';

type Colors = ReturnType<typeof pc.createColors>;

/**
 * Formats the report of an object: a line about its result, then a line for each field, error and warning.
 *
 * @param isShortened a long path that several fields share stands once.
 */
export function objectLines(report: ObjectReport, colors: Colors, isShortened = false): string[] {
  const notes = notesOf(report);
  const result = paint(report, colors)(report.result.padEnd(9));
  const first = `  ${result} ${report.object}  [${report.stack}]${notes.length > 0 ? `  ${notes.join('; ')}` : ''}`;
  const details = [...linesOfFields(report, colors, isShortened), ...problemLines(report, colors)];
  return [first, ...details.map((line) => `    ${line}`)];
}

function notesOf(report: ObjectReport): readonly string[] {
  const notes = [
    report.adopted &&
      `${existingText(report.adopted)}${report.adopted.owners.length > 0 ? `, also owned by ${report.adopted.owners.join(', ')}` : ''}`,
    report.renamedFrom && `renamed from ${report.renamedFrom.join(', ')}`,
    report.transferred && `fields transferred from ${report.transferred.from}: ${report.transferred.fields.join(', ')}`,
    report.movedFrom && `moved here from stack ${report.movedFrom}, with the right to delete it`,
    report.rejoined && rejoinedText(report),
    changedUnread(report) && 'not read before, so what changed is not known',
    report.finalizers && `still held by ${report.finalizers.join(', ')}`,
    report.reason,
    report.readiness?.state === 'current' && readyText(report.readiness),
  ];
  return notes.filter((note): note is string => typeof note === 'string' && note !== '');
}

function linesOfFields(report: ObjectReport, colors: Colors, isShortened: boolean): readonly string[] {
  const each = <Field extends { readonly field: string }>(fields: readonly Field[], format: (field: Field) => string) =>
    fieldLines(fields, (field) => [format(field)], isShortened);
  const [loss, danger] = [lossPaint(colors), dangerPaint(colors)];
  const changed = foldedFields(report.changed ?? []);
  const changes = (report.released ?? []).filter(
    (field) => field.change === 'rejected' || field.change === 'perhaps' || changesValue(field),
  );
  return [
    ...each(report.forcedConflicts, (conflict) => `${loss(forcedWord(conflict, 'forced'))}  ${conflictText(conflict, report.manager)}`),
    ...(report.contendedFields ?? []).map(
      ({ field, from, count }) =>
        `${danger('fight')}   ${field}: forced ${count} times in a row, each time from ${from}; declare it in only one place, or give it the policy yield`,
    ),
    ...fieldLines(
      changed.fields,
      (field) => changeLines(field.change === 'same' ? { ...field, gained: true } : field, colors, 7),
      isShortened,
    ),
    ...changed.folded,
    ...each(
      report.overwritten ?? [],
      (field) =>
        `${forcedWord(field, 'changed')} ${field.field}: ${valueText(field.oldValue)} → ${valueText(field.newValue)}, which had no owner`,
    ),
    ...each(report.rewritten ?? [], (field) => `rewritten ${field.field}${rewrittenText(field)}`),
    ...each(report.yielded, (left) => `yielded ${yieldedText(left, report.manager)}`),
    ...each(changes, (field) => `${(field.change === 'rejected' ? danger : loss)(releaseWord(field))} ${field.field}${fieldText(field)}`),
    ...(report.collateral ?? []).map(
      (lost) =>
        `${loss(forcedWord(lost, 'removed'))} ${lost.field}: was ${valueText(lost.oldValue)}, owned by ${ownersText([reportedOwner(lost, report.manager)])}`,
    ),
    ...each(report.conflicts, (conflict) => `${danger('conflict')} ${conflictText(conflict, report.manager)}`),
    ...report.forcedConflicts.filter(losesItems).map((conflict) => `${colors.yellow('note')}    ${atomicNote(conflict, report.manager)}`),
  ];
}

function releaseWord({ change, earlier }: ReleasedField): string {
  if (change === 'rejected') return 'rejected';
  return forcedWord({ ...(change === 'perhaps' ? { perhaps: true } : {}), ...(earlier ? { earlier } : {}) }, 'released');
}

function problemLines(report: ObjectReport, colors: Colors): readonly string[] {
  const lines = seenTexts(report, report.result, report.sensitive).map((text) => colors.yellow(text));
  if (report.error) lines.push(objectErrorText(report, report.error, colors));
  if (report.readiness && isNotReady(report)) lines.push(...readinessLines(report, report.readiness, colors));
  if (report.result === 'conflict')
    lines.push(`${colors.red('The object was not changed.')}${declarationText(report)} ${conflictHint(report.conflicts)}`);
  return [...lines, ...report.warnings.map((warning) => `${colors.yellow('warning')} ${warning}`)];
}

function objectErrorText(report: ObjectReport, { message, next, code }: ReportedError, colors: Colors): string {
  return `${colors.red(sentence(message))}${declarationText(report)}${next ? ` ${sentence(next)}` : ''} [${code}]`;
}

/** Formats why an object is not ready: its cause first, then the declaration, the event and the log. */
function readinessLines(report: ObjectReport, readiness: NonNullable<ObjectReport['readiness']>, colors: Colors): readonly string[] {
  const { cause } = readiness;
  const lines = [`${readinessText(readiness, colors)}${cause?.source ? '' : declarationText(report)}`];
  return [...lines, ...causeLines(readiness, colors)];
}

/** Formats what was found of the cause of a readiness, and what could not be looked at. */
export function causeLines({ cause, notLookedAt = [] }: SettledReadiness, colors: Colors): readonly string[] {
  const notes = notLookedAt.map((note) => {
    const advice = note.endsWith(': forbidden') ? '; fieldwise rbac prints the permissions' : '';
    return `${colors.yellow('note')}    not looked at: ${note}${advice}`;
  });
  return [...(cause ? linesOfCause(cause, colors) : []), ...notes];
}

function linesOfCause({ source, event, log, message, object }: ReadinessCause, colors: Colors): readonly string[] {
  const times = event?.count !== undefined && event.count > 1 ? ` (${event.count} times)` : '';
  const says = event && !message.includes(event.message) ? `${event.reason}${times}: ${event.message}` : '';
  return [
    ...(source ? [`declared ${source.field} by ${source.declaredBy.map(declarationOf).join(', ')}  [${source.stack}]`] : []),
    ...(says === '' ? [] : [`event   ${object}: ${says}`]),
    ...(log ? [`log     ${object}, the last ${pluralize(log.length, 'line')}:`, ...log.map((line) => colors.dim(`      | ${line}`))] : []),
  ];
}

function readinessText(readiness: NonNullable<ObjectReport['readiness']>, colors: Colors): string {
  const { state, message, timedOutAfterSeconds, reason } = readiness;
  const what =
    state === 'failed' ? 'Failed' : timedOutAfterSeconds === undefined ? 'Not ready' : `Not ready after ${timedOutAfterSeconds} s`;
  const next =
    reason === 'NotObserved' && timedOutAfterSeconds !== undefined
      ? ' Check that its controller runs. If the controller never writes the status, set the policy `wait: false` or `waitFor`, or pass --no-wait.'
      : '';
  return `${colors.red(`${what}: ${sentence(message)}`)}${next} [${reason}]`;
}

function paint(
  { result, forcedConflicts, released = [], collateral = [], sensitive = [] }: ObjectReport,
  colors: Colors,
): (text: string) => string {
  if (dangers.has(result)) return dangerPaint(colors);
  if (result === 'released' || forcedConflicts.length + collateral.length + sensitive.length > 0 || released.some(isLoss))
    return lossPaint(colors);
  return result === 'created' || result === 'updated' || result === 'applied' ? colors.green : colors.dim;
}

const dangers: ReadonlySet<Outcome> = new Set(['failed', 'conflict', 'deleted', 'recreated']);

/** Returns true of an object whose values were changed, and not read before; "applied" says by itself that nothing is known, and a rename changes no value. */
export function changedUnread({ result, notRead, renamedFrom }: ObjectReport): boolean {
  return notRead === true && result === 'updated' && renamedFrom === undefined;
}

export function isNotReady({ readiness }: ObjectReport): boolean {
  return readiness !== undefined && readiness.state !== 'current';
}

function conflictText(conflict: FieldConflict, ours: string): string {
  const owner = ownersText([reportedOwner(conflict, ours)]);
  const { oldValue, newValue } = conflict;
  const isUnread = oldValue === undefined && newValue === undefined;
  return `${conflict.field}: ${isUnread ? 'values were not read' : `${valueText(oldValue)} → ${valueText(newValue)}`}, from ${owner}`;
}

function yieldedText({ field, value, declared, ...owner }: YieldedField, ours: string): string {
  return `${field}: stays ${valueText(value)}, owned by ${ownersText([reportedOwner(owner, ours)])}; declared ${valueText(declared)}`;
}

/** Returns true for a list of another manager that no longer has all of its items; a list of items would have the keys of one in its path. */
function losesItems({ field, oldValue, newValue }: FieldConflict): boolean {
  if (!Array.isArray(oldValue) || field.endsWith(']')) return false;
  const left: readonly Json[] = Array.isArray(newValue) ? newValue : [];
  return (oldValue as readonly Json[]).some((item) => !left.some((one) => jsonEqual(one, item)));
}

function atomicNote({ field, ...owner }: FieldConflict, ours: string): string {
  return `${field} is one value here: the list of ${ownerName(reportedOwner(owner, ours))} was replaced. It is shared entry by entry where the schema has x-kubernetes-list-type: map with list map keys or, under \`strategy: dynamic\`, \`listKeys\` names the keys.`;
}

function declarationText(report: ObjectReport): string {
  const [declaration] = report.declaredBy;
  if (!declaration) return '';
  return ` Declared by ${declaration.construct}${declaration.source ? ` (${declaration.source})` : ''}.`;
}
