import pc from 'picocolors';
import type { DriftedField, ObjectStatus, Readiness, RunDiagnostic, StatusSummary } from '../../deploy/index.js';
import { pluralize } from '../../util/pluralize.js';
import type { Host } from '../process/host.js';
import { errorText } from './error-text.js';
import { rewrittenText } from './field-text.js';
import { causeLines } from './object-lines.js';
import { datedText } from './owners-renderer.js';
import { forPeople, printLines } from './printable.js';
import { readyText } from './ready.js';
import { fieldLines } from './shared-paths.js';
import { valueText } from './values.js';
import { warningRenderer } from './warning-renderer.js';

/**
 * Returns a renderer that prints the status of objects for people: one line per object, with details below.
 *
 * @param clock returns the milliseconds since 1970 if each line is to begin with its time, because the same objects are printed again.
 * @param problems prints only objects that are not as declared or not ready, and that they are well again.
 */
export function statusRenderer(
  host: Host,
  { clock, problems = false }: { readonly clock?: () => number; readonly problems?: boolean } = {},
): (event: ObjectStatus | StatusSummary | RunDiagnostic) => void {
  const unwell = new Set<string>();
  const colors = pc.createColors(host.color);
  const warning = warningRenderer(host);
  return forPeople((event) => {
    if (event.event === 'warning') return warning(event);
    if (problems && event.event === 'status' && !isShown(event)) return;
    const [first = '', ...details] = event.event === 'status' ? objectLines(event) : [summaryLine(event)];
    const time = clock ? `${new Date(clock()).toISOString().replace(/\.\d+Z$/, 'Z')}  ` : '';
    const lines = [`${time}${first}`, ...details];
    printLines(host, lines);
  });

  function isShown(object: ObjectStatus): boolean {
    const key = `${object.stack} ${object.object}`;
    const wasUnwell = unwell.delete(key);
    if (colorOf(object) === 'green') return wasUnwell;
    unwell.add(key);
    return true;
  }

  function objectLines(object: ObjectStatus): string[] {
    const { state, readiness, drift, rewritten = [], pending, yielded, otherWriters, error } = object;
    const paint = colors[colorOf(object)];
    const ready = readiness === undefined ? '' : readinessText(readiness);
    return [
      [paint(state.padEnd(10)), `${object.object}  [${object.stack}]`, ready].filter((part) => part !== '').join('  '),
      ...(readiness ? causeLines(readiness, colors).map((line) => `    ${line}`) : []),
      ...fieldLines(drift, (field) => [driftText(field)], host.width !== undefined).map((line) => `    ${line}`),
      ...rewritten.map((field) => `    ${field.field}${rewrittenText(field)}`),
      ...(pending.length > 0 ? [`    declared otherwise than the last deploy applied: ${pending.join(', ')}`] : []),
      ...(yielded.length > 0 ? [`    left to their owners: ${yielded.join(', ')}`] : []),
      ...otherWriters.map((owner) => colors.dim(`    changed since the last deploy by ${datedText(owner)}`)),
      ...(error ? [`    ${errorText(error, colors)}`] : []),
    ];
  }
}

/** Green is only what is as declared, and not known to be broken or on its way. */
function colorOf({ state, readiness }: ObjectStatus): 'green' | 'yellow' | 'red' {
  const isDeclared = state === 'in-sync' || state === 'rewritten' || state === 'finished';
  if (!isDeclared && state !== 'pending' && state !== 'undeclared') return 'red';
  if (readiness?.state === 'failed' || readiness?.cause?.certain === true) return 'red';
  return isDeclared && readiness?.state !== 'in-progress' ? 'green' : 'yellow';
}

function readinessText(readiness: Readiness): string {
  if (readiness.state === 'current') return readyText(readiness);
  return `${readiness.state === 'unknown' ? 'readiness unknown' : readiness.state}: ${readiness.message}`;
}

/** Formats the drift of a field, with its current owners. */
export function driftText({ field, drift, declared, live, owners }: DriftedField): string {
  const by = owners.map(datedText).join('; ');
  switch (drift) {
    case 'changed':
      return `${field}: declared ${valueText(declared)}, is ${valueText(live)}, ${by === '' ? 'without an owner' : `owned by ${by}`}`;
    case 'removed':
      return `${field}: declared ${valueText(declared)}, was removed`;
    case 'undeclared':
      return `${field}: not declared, is ${valueText(live)}, owned by ${by}`;
    case 'ownership-lost': {
      const value = live === undefined ? 'value not compared, and' : `${valueText(live)} as declared, but`;
      return `${field}: ${value} no longer owned by this stack${by === '' ? '' : `; owned by ${by}`}`;
    }
  }
}

function summaryLine({ counts, ready, notReady, unknownReadiness, drifted }: StatusSummary): string {
  const facts = [
    ...Object.entries(counts).map(([state, number]) => `${number} ${state}`),
    `${ready} ready`,
    ...(notReady > 0 ? [`${notReady} not ready`] : []),
    ...(unknownReadiness > 0 ? [`${unknownReadiness} of unknown readiness`] : []),
    ...(drifted > 0 ? [`${pluralize(drifted, 'field')} drifted`] : []),
  ];
  return `status: ${facts.join(', ')}`;
}
