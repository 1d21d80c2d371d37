import pc from 'picocolors';
import type { DatedOwner, FieldView, ObjectOwners, OwnersSummary, RunDiagnostic } from '../../deploy/index.js';
import { pluralize } from '../../util/pluralize.js';
import type { Host } from '../process/host.js';
import { errorText } from './error-text.js';
import { ownersText } from './field-text.js';
import { forPeople, linesText } from './printable.js';
import { valueText } from './values.js';
import { warningRenderer } from './warning-renderer.js';
import { reportWidth, wrap } from './wrap.js';

/**
 * Returns a renderer that prints the owners of objects for people, one line per field.
 *
 * @param brief prints only objects that are absent or could not be read, and the summary.
 */
export function ownersRenderer(host: Host, brief = false): (event: ObjectOwners | OwnersSummary | RunDiagnostic) => void {
  const colors = pc.createColors(host.color);
  const warning = warningRenderer(host);
  return forPeople((event) => {
    if (event.event === 'warning') return warning(event);
    if (brief && event.event === 'owners' && !event.absent && !event.error) return;
    const lines = event.event === 'owners' ? objectLines(event) : [summaryLine(event)];
    host.raw.stdout(linesText(lines));
  });

  function objectLines({ object, fields, absent, error }: ObjectOwners): string[] {
    if (error) return [`${object}  ${errorText(error, colors)}`];
    if (absent) return [`${object}  ${colors.yellow('does not exist')}`];
    return [object, ...inOrder(fields).flatMap(fieldLines)];
  }

  /** One line, or one for the field and others for its owners. */
  function fieldLines({ field, value, owners }: FieldView): string[] {
    const head = `    ${field}${value === undefined ? '' : `: ${valueText(value)}`}`;
    const by = owners.length === 0 ? 'no owner' : owners.map(datedText).join('; ');
    const paint = owners.length === 0 ? colors.yellow : colors.dim;
    if (head.length + by.length + 2 <= reportWidth) return [`${head}  ${paint(by)}`];
    return [...wrap(head, 6), ...wrap(`      ${by}`, 6).map((line) => paint(line))];
  }
}

/** Returns fields that several managers own first, and those without an owner, which are mostly defaults of the server, last. */
function inOrder(fields: readonly FieldView[]): readonly FieldView[] {
  const rank = ({ owners }: FieldView) => (owners.length > 1 ? 0 : owners.length === 1 ? 1 : 2);
  return fields.toSorted((one, other) => rank(one) - rank(other));
}

/** Formats an owner as `stack gateway, 2026-01-01T10:00:00Z`. */
export function datedText(owner: DatedOwner): string {
  return owner.time === undefined ? ownersText([owner]) : `${ownersText([owner])}, ${owner.time}`;
}

function summaryLine({ objects, absent, fields, unowned }: OwnersSummary): string {
  const facts = [
    pluralize(objects, 'object'),
    pluralize(fields, 'field'),
    ...(unowned > 0 ? [`${unowned} of them without an owner`] : []),
    ...(absent > 0 ? [`${pluralize(absent, 'object')} absent`] : []),
  ];
  return `owners: ${facts.join(', ')}`;
}
