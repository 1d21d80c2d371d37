import pc from 'picocolors';
import type { DeployEvent, FieldConflict, ObjectReport, ObjectResult, RunSummary } from '../../deploy/index.js';
import type { Host } from '../host.js';
import { counted, valueText } from './values.js';

/** Writes the events of a deploy or destroy for a person, on stderr. */
export function humanRun(host: Host, options: { readonly quiet?: boolean } = {}): (event: DeployEvent) => void {
  const colours = pc.createColors(host.colour);
  const unattempted = new Map<string, number>();
  return (event) => {
    if (options.quiet && !isTrouble(event)) return;
    switch (event.event) {
      case 'started':
        host.stderr(`${event.verb} ${event.app} (${event.instance}): ${event.stacks.join(', ') || 'no stack'} on ${event.server}\n`);
        return;
      case 'waiting':
        host.stderr(
          `  … ${event.object}: waiting up to ${event.seconds} s ${event.for === 'object' ? 'for the object to share' : 'until it is established'}\n`,
        );
        return;
      case 'object':
        if (event.result === 'skipped' && event.reason !== undefined) count(unattempted, event.reason);
        host.stderr(
          objectLines(event)
            .map((line) => `${line}\n`)
            .join(''),
        );
        return;
      case 'summary':
        host.stderr(
          summaryLines(event)
            .map((line) => `${line}\n`)
            .join(''),
        );
        return;
    }
  };

  function objectLines(report: ObjectReport): string[] {
    const skippedBefore = report.reason === undefined ? 0 : (unattempted.get(report.reason) ?? 0);
    if (report.result === 'skipped' && skippedBefore > 10) return []; // the summary counts them
    const notes = [
      report.adopted && `adopted${report.adopted.owners.length > 0 ? `, also owned by ${report.adopted.owners.join(', ')}` : ''}`,
      report.rejoined && 'joined the object that has its name now',
      report.finalizers && `still held by ${report.finalizers.join(', ')}`,
      report.reason,
    ].filter((note) => note);
    const lines = [
      `  ${paint(report.result)(report.result.padEnd(9))} ${report.object}  [${report.stack}]${notes.length > 0 ? `  ${notes.join('; ')}` : ''}`,
    ];
    for (const conflict of report.taken) lines.push(`    took    ${conflictText(conflict)}`);
    for (const conflict of report.yielded) lines.push(`    left    ${conflictText(conflict)}`);
    for (const conflict of report.conflicts) lines.push(`    conflict ${conflictText(conflict)}`);
    for (const conflict of report.taken)
      if (Array.isArray(conflict.oldValue)) lines.push(`    ${colours.yellow('note')}    ${atomicNote(conflict)}`);
    if (report.error) lines.push(`    ${errorText(report)}`);
    if (report.result === 'conflict')
      lines.push(
        `    ${colours.red('Nothing of it was changed.')}${blame(report)} Leave the field out, set its policy to yield, or force it.`,
      );
    for (const warning of report.warnings) lines.push(`    ${colours.yellow('warning')} ${warning}`);
    return lines;
  }

  function errorText(report: ObjectReport): string {
    const { message, next, code } = report.error as NonNullable<ObjectReport['error']>;
    return `${colours.red(sentence(message))}${blame(report)}${next ? ` ${sentence(next)}` : ''} [${code}]`;
  }

  function paint(result: ObjectResult): (text: string) => string {
    if (result === 'failed' || result === 'conflict') return colours.red;
    if (result === 'created' || result === 'updated' || result === 'applied') return colours.green;
    if (result === 'deleted' || result === 'released') return colours.yellow;
    return colours.dim;
  }

  function summaryLines(summary: RunSummary): string[] {
    const counts = Object.entries(summary.counts).map(([result, number]) => `${number} ${result}`);
    const facts = [
      counts.join(', ') || 'nothing to do',
      summary.taken > 0 ? `${counted(summary.taken, 'field')} taken by force` : '',
      summary.adopted > 0 ? `${counted(summary.adopted, 'object')} adopted` : '',
    ].filter((fact) => fact !== '');
    const errors = summary.errors.map((error) =>
      colours.red(`error: ${sentence(error.message)}${error.next ? ` ${sentence(error.next)}` : ''} [${error.code}]`),
    );
    return [`${summary.ok ? colours.green('done') : colours.red('not done')}: ${facts.join('; ')}`, ...errors];
  }
}

function isTrouble(event: DeployEvent): boolean {
  return event.event === 'summary' ? !event.ok : event.event === 'object' && (event.result === 'failed' || event.result === 'conflict');
}

function conflictText(conflict: FieldConflict): string {
  const owner = conflict.subresource
    ? `${conflict.from} (${conflict.operation}, ${conflict.subresource})`
    : `${conflict.from} (${conflict.operation})`;
  return `${conflict.field}: ${valueText(conflict.oldValue)} → ${valueText(conflict.newValue)}, from ${owner}`;
}

function atomicNote(conflict: FieldConflict): string {
  return `${conflict.field} is an atomic list: the whole list of ${conflict.from} was replaced. Declare x-kubernetes-list-type: map with list map keys in the schema to share it entry by entry.`;
}

function blame(report: ObjectReport): string {
  const [declaration] = report.declaredBy;
  if (!declaration) return '';
  return ` Declared by ${declaration.construct}${declaration.source ? ` (${declaration.source})` : ''}.`;
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function count(map: Map<string, number>, key: string): void {
  map.set(key, (map.get(key) ?? 0) + 1);
}
