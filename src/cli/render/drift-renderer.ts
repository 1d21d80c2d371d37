import pc from 'picocolors';
import type { ContendedField, DriftSummary, ObjectDrift, RunDiagnostic, UnrepairedObject } from '../../deploy/index.js';
import { pluralize } from '../../util/pluralize.js';
import type { Host } from '../process/host.js';
import { errorText } from './error-text.js';
import { rewrittenText } from './field-text.js';
import { forPeople, printLines } from './printable.js';
import { fieldLines } from './shared-paths.js';
import { driftText } from './status-renderer.js';
import { valueText } from './values.js';
import { warningRenderer } from './warning-renderer.js';

type DriftEvent = ObjectDrift | DriftSummary | ContendedField | UnrepairedObject;

/** Returns a renderer that prints drift for people, one line per object and field. */
export function driftRenderer(host: Host): (event: DriftEvent | RunDiagnostic) => void {
  const colors = pc.createColors(host.color);
  const warning = warningRenderer(host);
  return forPeople((event) => {
    if (event.event === 'warning') return warning(event);
    printLines(host, linesOf(event));
  });

  function linesOf(event: DriftEvent): string[] {
    if (event.event === 'drift') return objectLines(event);
    if (event.event === 'unrepaired') return unrepairedLines(event);
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

  function objectLines({ state, object, stack, fields, rewritten = [], error }: ObjectDrift): string[] {
    const facts = {
      drifted: '',
      rewritten: '',
      released: 'this stack no longer owns any field of it',
      absent: 'it no longer exists',
      terminating: 'it is being deleted, with the fields that this stack applied; deploy again when it no longer exists',
      unknown: '',
    };
    return [
      [`${colors.yellow(state.padEnd(9))} ${object}  [${stack}]`, facts[state]].filter((part) => part !== '').join('  '),
      ...fieldLines(fields, (field) => [driftText(field)], host.width !== undefined).map((line) => `    ${line}`),
      ...rewritten.map((field) => `    ${field.field}${rewrittenText(field)}`),
      ...(error ? [`    ${errorText(error, colors)}`] : []),
    ];
  }

  function unrepairedLines({ object, stack, reason, comparedWith, revision, fields }: UnrepairedObject): string[] {
    const reasons = {
      edited: 'the program declares something else than the last deploy applied',
      unrecorded: 'the inventory does not record what was applied last',
      unanswered: 'its last apply was not answered, was refused, or was never sent',
    };
    const before = comparedWith === 'revision' ? `revision ${revision} has` : 'the live object has';
    return [
      `${colors.red('not repaired')}  ${object}  [${stack}]  ${reasons[reason]}`,
      ...fields.map(
        (field) => `    ${field.field}: ${before} ${valueText(field.before)}, the program declares ${valueText(field.declared)}`,
      ),
      ...(fields.length > 0 ? [] : [`    no field is known to differ from ${before.replace(/ has$/, '')}`]),
      '    The object was not changed. Run again with the flags and the program of the last deploy, or deploy.',
    ];
  }
}
