import pc from 'picocolors';
import type {
  DeployEvent,
  FieldConflict,
  ObjectReport,
  Outcome,
  ReportedError,
  RunDiagnostic,
  RunRefused,
  RunSummary,
  WaitingForLock,
  YieldedField,
} from '../../deploy/index.js';
import { changesValue } from '../../engine/release/released-fields.js';
import { sentence } from '../../util/error.js';
import { pluralize } from '../../util/pluralize.js';
import type { Host } from '../host.js';
import { fieldText, ownersText } from './field-text.js';
import { LiveLine } from './live-line.js';
import { forPeople, linesText } from './printable.js';
import { Progress } from './progress.js';
import { readyText } from './ready.js';
import { valueText } from './values.js';

const waitGoals = {
  create: 'until the shared object exists',
  successor: 'until the shared object, which is being deleted, is replaced by a new one',
  established: 'until it is established',
  delete: 'until it is deleted',
} as const;

/** Returns a renderer that prints the events of a deploy or destroy for people, on stderr. */
export function runRenderer(host: Host, options: { readonly quiet?: boolean } = {}): (event: DeployEvent) => void {
  const colors = pc.createColors(host.color);
  const unattempted = new Map<string, number>();
  let refusal: RunRefused['error'] | undefined;
  const live = host.columns === undefined ? undefined : new LiveLine(host.raw.stderr, host.columns);
  const progress = new Progress();
  let timer: NodeJS.Timeout | undefined;
  const writeText = (text: string) => (live ? live.print(text) : host.raw.stderr(text));
  const write = (...lines: readonly string[]) => writeText(linesText(lines));
  const follow = forPeople((event: DeployEvent) => {
    print(event);
    live?.show(progress.update(event, Date.now()));
    countDown();
  });
  return (event) => {
    if (!options.quiet || isFailure(event)) follow(event);
  };

  /** Updates the remaining seconds of a wait of known length. */
  function countDown(): void {
    if (live && progress.counts) timer ??= setInterval(() => live.show(progress.lineAt(Date.now())), 1_000).unref();
    else {
      clearInterval(timer);
      timer = undefined;
    }
  }

  function print(event: DeployEvent): void {
    switch (event.event) {
      case 'started':
        write(`${event.verb} ${event.app} (${event.instance}): ${event.stacks.join(', ') || 'no stack'} on ${event.server}`);
        return;
      case 'waiting':
        write(`  … ${event.object}: waiting up to ${event.timeoutSeconds} s ${waitGoals[event.terminating ? 'successor' : event.for]}`);
        return;
      case 'retrying':
        write(`  … ${event.method} ${event.path}: ${event.reason}; retrying in ${event.delaySeconds} s`);
        return;
      case 'waiting-for-lock':
        write(`  … stack ${event.stack} is locked by ${event.holder} since ${event.since}: ${lockWaitText(event)}`);
        return;
      case 'readiness':
        if (live) return; // the live line shows it
        write(`  … ${event.object}: ${event.readiness.message}`);
        return;
      case 'warning':
        write(`${runWarningText(event, colors)}`);
        return;
      case 'refused':
        refusal = event.error;
        write(runErrorText(event.error));
        return;
      case 'object':
        if (refusal && event.result === 'skipped') return; // the reason is already printed, and the summary counts the objects
        if (event.result === 'skipped' && event.reason !== undefined) count(unattempted, event.reason);
        write(...objectLines(event));
        return;
      case 'summary':
        write(...summaryLines(event));
        return;
    }
  }

  function objectLines(report: ObjectReport): string[] {
    const skippedBefore = report.reason === undefined ? 0 : (unattempted.get(report.reason) ?? 0);
    if (report.result === 'skipped' && skippedBefore > 10) return []; // the summary counts the objects
    const notes = [
      report.adopted && `adopted${report.adopted.owners.length > 0 ? `, also owned by ${report.adopted.owners.join(', ')}` : ''}`,
      report.renamedFrom && `renamed from ${report.renamedFrom.join(', ')}`,
      report.transferred && `took over from ${report.transferred.from}: ${report.transferred.fields.join(', ')}`,
      report.movedFrom && `moved here from stack ${report.movedFrom}, with the right to delete it`,
      report.rejoined && 'shared with the new object of this name',
      report.finalizers && `still held by ${report.finalizers.join(', ')}`,
      report.reason,
      report.readiness?.state === 'current' && readyText(report.readiness),
    ].filter((note) => note);
    const lines = [
      `  ${paint(report.result)(report.result.padEnd(9))} ${report.object}  [${report.stack}]${notes.length > 0 ? `  ${notes.join('; ')}` : ''}`,
    ];
    for (const conflict of report.forcedConflicts) lines.push(`    took    ${conflictText(conflict)}`);
    for (const { field, from, count } of report.contendedFields ?? [])
      lines.push(
        `    ${colors.red('fight')}   ${field}: taken from ${from} ${count} times in a row; declare it in only one place, or give it the policy yield`,
      );
    for (const { field, oldValue, newValue } of report.overwritten ?? [])
      lines.push(`    set     ${field}: ${valueText(oldValue)} → ${valueText(newValue)}, which nobody owned`);
    for (const left of report.yielded) lines.push(`    left    ${yieldedText(left)}`);
    for (const field of report.released ?? [])
      if (field.change === 'rejected' || changesValue(field))
        lines.push(`    ${colors.yellow(field.change === 'rejected' ? 'rejected' : 'released')} ${field.field}${fieldText(field)}`);
    for (const lost of report.collateral ?? [])
      lines.push(
        `    ${colors.yellow('removed')} ${lost.field}: was ${valueText(lost.oldValue)}, owned by ${lost.from} (${lost.operation})`,
      );
    for (const conflict of report.conflicts) lines.push(`    conflict ${conflictText(conflict)}`);
    for (const conflict of report.forcedConflicts)
      if (Array.isArray(conflict.oldValue)) lines.push(`    ${colors.yellow('note')}    ${atomicNote(conflict)}`);
    if (report.error) lines.push(`    ${objectErrorText(report, report.error)}`);
    if (report.readiness && isNotReady(report)) lines.push(`    ${readinessText(report.readiness)}${declarationText(report)}`);
    if (report.result === 'conflict')
      lines.push(`    ${colors.red('The object was not changed.')}${declarationText(report)} ${conflictHint(report.conflicts)}`);
    for (const warning of report.warnings) lines.push(`    ${colors.yellow('warning')} ${warning}`);
    return lines;
  }

  function objectErrorText(report: ObjectReport, { message, next, code }: ReportedError): string {
    return `${colors.red(sentence(message))}${declarationText(report)}${next ? ` ${sentence(next)}` : ''} [${code}]`;
  }

  function runErrorText({ message, next, code }: ReportedError): string {
    return colors.red(`error: ${sentence(message)}${next ? ` ${sentence(next)}` : ''} [${code}]`);
  }

  function readinessText({ state, message, timedOutAfterSeconds, reason }: NonNullable<ObjectReport['readiness']>): string {
    const what =
      state === 'failed' ? 'Failed' : timedOutAfterSeconds === undefined ? 'Not ready' : `Not ready after ${timedOutAfterSeconds} s`;
    return `${colors.red(`${what}: ${sentence(message)}`)} [${reason}]`;
  }

  function paint(result: Outcome): (text: string) => string {
    if (result === 'failed' || result === 'conflict') return colors.red;
    if (result === 'recreated') return colors.yellow;
    if (result === 'created' || result === 'updated' || result === 'applied') return colors.green;
    if (result === 'deleted' || result === 'released') return colors.yellow;
    return colors.dim;
  }

  function summaryLines(summary: RunSummary): string[] {
    const counts = Object.entries(summary.counts).map(([result, number]) => `${number} ${result}`);
    const facts = [
      counts.join(', ') || 'nothing to do',
      summary.forcedConflicts > 0 ? `${pluralize(summary.forcedConflicts, 'field')} taken by force` : '',
      summary.contendedFields ? `${pluralize(summary.contendedFields, 'field')} fought over` : '',
      summary.notReady > 0 ? `${summary.notReady} not ready` : '',
      summary.adopted > 0 ? `${pluralize(summary.adopted, 'object')} adopted` : '',
    ].filter((fact) => fact !== '');
    const errors = summary.errors.filter(({ code, message }) => code !== refusal?.code || message !== refusal.message).map(runErrorText);
    return [`${summary.ok ? colors.green('done') : colors.red('not done')}: ${facts.join('; ')}`, ...errors];
  }
}

/** Says how long the run waits for the lock: no longer than the duration of the lease if the holder is dead. */
function lockWaitText({ timeoutSeconds, leaseDurationSeconds }: WaitingForLock): string {
  if (timeoutSeconds <= leaseDurationSeconds) return `waiting up to ${leaseDurationSeconds} s to see whether that run is still active`;
  return `waiting up to ${timeoutSeconds} s until that run ends, or ${leaseDurationSeconds} s if it is no longer active`;
}

/** Formats a warning about a whole run or plan. */
export function runWarningText({ message, next, code }: RunDiagnostic, colors: Pick<ReturnType<typeof pc.createColors>, 'yellow'>): string {
  return `${colors.yellow('warning:')} ${sentence(message)}${next ? ` ${sentence(next)}` : ''} [${code}]`;
}

function isFailure(event: DeployEvent): boolean {
  if (event.event === 'refused') return true;
  return event.event === 'summary'
    ? !event.ok
    : event.event === 'object' && (event.result === 'failed' || event.result === 'conflict' || isNotReady(event));
}

function isNotReady({ readiness }: ObjectReport): boolean {
  return readiness !== undefined && readiness.state !== 'current';
}

function conflictText(conflict: FieldConflict): string {
  const owner = conflict.subresource
    ? `${conflict.from} (${conflict.operation}, ${conflict.subresource})`
    : `${conflict.from} (${conflict.operation})`;
  const { oldValue, newValue } = conflict;
  const isUnread = oldValue === undefined && newValue === undefined;
  return `${conflict.field}: ${isUnread ? 'values were not read' : `${valueText(oldValue)} → ${valueText(newValue)}`}, from ${owner}`;
}

/** Returns the next step after conflicts. A conflict about an undeclared field is about a union: only one of its members may be set. */
function conflictHint(conflicts: readonly FieldConflict[]): string {
  const inTheWay = conflicts.filter(({ newValue }) => newValue === undefined);
  const declared = conflicts.length - inTheWay.length;
  const hints = inTheWay.map(
    ({ field, from }) =>
      `The server rejects ${field} together with a declared field, so it cannot be left to its owner: remove it in ${from}, ` +
      `stop declaring the other field, or set the policy of ${field.replace(/^\./, '')} to force.`,
  );
  if (declared > 0) hints.unshift(`Leave out the field${declared > 1 ? 's' : ''}, set the policy to yield, or force the conflict.`);
  return hints.join(' ');
}

function yieldedText({ field, value, declared, ...owner }: YieldedField): string {
  return `${field}: stays ${valueText(value)}, owned by ${ownersText([{ ...owner, manager: owner.from }])}; declared ${valueText(declared)}`;
}

function atomicNote(conflict: FieldConflict): string {
  return `${conflict.field} is an atomic list: the whole list of ${conflict.from} was replaced. Declare x-kubernetes-list-type: map with list map keys in the schema to share it entry by entry.`;
}

function declarationText(report: ObjectReport): string {
  const [declaration] = report.declaredBy;
  if (!declaration) return '';
  return ` Declared by ${declaration.construct}${declaration.source ? ` (${declaration.source})` : ''}.`;
}

function count(map: Map<string, number>, key: string): void {
  map.set(key, (map.get(key) ?? 0) + 1);
}
