import pc from 'picocolors';
import type { ContendedField, DriftSummary, ObjectDrift, RunDiagnostic } from '../../deploy/index.js';
import { pluralize } from '../../util/pluralize.js';
import type { Host } from '../host.js';
import { errorText } from './error-text.js';
import { forPeople, linesText } from './printable.js';
import { driftText } from './status-renderer.js';
import { warningRenderer } from './warning-renderer.js';

/** Returns a renderer that prints drift for people, one line per object and field. */
export function driftRenderer(host: Host): (event: ObjectDrift | DriftSummary | ContendedField | RunDiagnostic) => void {
  const colors = pc.createColors(host.color);
  const warning = warningRenderer(host);
  return forPeople((event) => {
    if (event.event === 'warning') return warning(event);
    host.raw.stdout(linesText(linesOf(event)));
  });

  function linesOf(event: ObjectDrift | DriftSummary | ContendedField): string[] {
    if (event.event === 'drift') return objectLines(event);
    if (event.event === 'contention') {
      const { object, stack, field, from, count, at } = event;
      const what = `${field} was forced ${count} times in a row, each time from ${from}, last at ${at}, and ${from} owns it again`;
      return [
        `${colors.red('contention')}     ${object}  [${stack}]  ${what}`,
        '    The object was not changed. Stop the other writer, or leave the field to it: set the policy `yield`, or stop declaring the field.',
      ];
    }
    return [`drift: ${event.drifted} of ${pluralize(event.objects, 'object')}, ${pluralize(event.fields, 'field')}`];
  }

  function objectLines({ state, object, stack, fields, error }: ObjectDrift): string[] {
    const facts = {
      drifted: '',
      released: 'this stack no longer owns any field of it',
      absent: 'it no longer exists',
      terminating: 'it is being deleted, with the fields that this stack applied; deploy again when it no longer exists',
      unknown: '',
    };
    return [
      [`${colors.yellow(state.padEnd(9))} ${object}  [${stack}]`, facts[state]].filter((part) => part !== '').join('  '),
      ...fields.map((field) => `    ${driftText(field)}`),
      ...(error ? [`    ${errorText(error, colors)}`] : []),
    ];
  }
}
