import pc from 'picocolors';
import type { ContendedField, DriftSummary, ObjectDrift } from '../../deploy/index.js';
import { pluralize } from '../../util/pluralize.js';
import type { Host } from '../host.js';
import { forPeople, linesText } from './printable.js';
import { driftText } from './status-renderer.js';

/** Writes drift for a person: a line for each object and field. */
export function driftRenderer(host: Host): (event: ObjectDrift | DriftSummary | ContendedField) => void {
  const colors = pc.createColors(host.color);
  return forPeople((event) => host.raw.stdout(linesText(linesOf(event))));

  function linesOf(event: ObjectDrift | DriftSummary | ContendedField): string[] {
    if (event.event === 'drift') return objectLines(event);
    if (event.event === 'contention') {
      const { object, stack, field, from, count, at } = event;
      const what = `${field} was taken from ${from} ${count} times in a row, last at ${at}, and is theirs again`;
      return [
        `${colors.red('contention')}     ${object}  [${stack}]  ${what}`,
        '    The object was left as it is. Stop the other writer, or leave the field to it: policy `yield`, or declare it no more.',
      ];
    }
    return [`drift: ${event.drifted} of ${pluralize(event.objects, 'object')}, ${pluralize(event.fields, 'field')}`];
  }

  function objectLines({ state, object, stack, fields, error }: ObjectDrift): string[] {
    const facts = {
      drifted: '',
      released: 'this stack owns nothing of it any more',
      absent: 'it does not exist any more',
      terminating: 'it is being deleted, and what this stack applied goes with it; deploy when it is gone',
      unknown: '',
    };
    return [
      [`${colors.yellow(state.padEnd(9))} ${object}  [${stack}]`, facts[state]].filter((part) => part !== '').join('  '),
      ...fields.map((field) => `    ${driftText(field)}`),
      ...(error ? [`    ${colors.red(`${error.message}.`)} ${error.next ?? ''} [${error.code}]`] : []),
    ];
  }
}
