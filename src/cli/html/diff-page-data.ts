import { declarationText } from '../../assembly/declaration-text.js';
import type { PlanEvent, PlannedField, PlannedObject } from '../../deploy/index.js';
import { rewrittenFieldOf } from '../../engine/report/rewritten-field.js';
import { sentence } from '../../util/error.js';
import { collateralLines, keptText, ownersText } from '../render/field-text.js';
import { isQuietField } from '../render/formats/quiet.js';
import { planNotes, warningTexts } from '../render/plan-renderer.js';
import { printable } from '../render/printable.js';
import type { DiffPageData, PageChange, PageFieldChange } from './page-data.js';
import { valueRows } from './value-rows.js';

/** Returns the data of a page about a plan. All texts in it are printable. */
export function diffPageData(events: readonly PlanEvent[], of: Pick<DiffPageData, 'made' | 'subject'>): DiffPageData {
  const objects = events.flatMap((event) => (event.event === 'plan' ? [changeOf(event)] : []));
  const warnings = events.flatMap((event) => (event.event === 'warning' ? [printable(event.message)] : []));
  const counts = events.flatMap((event) => (event.event === 'plan-summary' ? Object.entries(event.counts) : []));
  const summary = counts.map(([action, number]) => `${number} ${action}`).join(', ');
  return { ...of, summary: summary === '' ? 'nothing declared' : summary, warnings, objects };
}

function changeOf(object: PlannedObject): PageChange {
  const { error } = object;
  const problem = error && [error.message, error.next].flatMap((text) => (text ? [sentence(text)] : [])).join(' ');
  return {
    object: printable(object.object),
    stack: printable(object.stack),
    action: object.action,
    source: object.source,
    notes: [...planNotes(object), ...warningTexts(object)].map(printable),
    ...(problem === undefined ? {} : { problem: printable(`${problem} [${error?.code}]`) }),
    declaredBy: object.declaredBy.map((declaration) => printable(declarationText(declaration))),
    fields: object.fields.map(fieldOf),
  };
}

function fieldOf(field: PlannedField): PageFieldChange {
  const { change, gained, mayDefault, reason, owners = [] } = field;
  const notes = [
    gained ? 'now owned by this stack' : '',
    ...rewrittenFieldOf(field).map(keptText),
    mayDefault ? 'the server may default it' : '',
    reason ?? '',
    ...collateralLines(field).map((line) => line.trim()),
  ].filter((note) => note !== '');
  const { before, after } = sidesOf(field);
  return {
    field: printable(field.field),
    change,
    isQuiet: isQuietField(field) && change === 'same',
    rows: valueRows(before, after),
    owners: owners.map((owner) => printable(ownersText([owner]))),
    ...(notes.length > 0 ? { notes: notes.map(printable) } : {}),
  };
}

/** A value that stays is on both sides. */
function sidesOf({ change, oldValue, newValue }: PlannedField) {
  if (change === 'yield') return { before: oldValue, after: oldValue };
  const stays = change === 'kept' || change === 'same' || change === 'co-own';
  return { before: stays ? (oldValue ?? newValue) : oldValue, after: newValue };
}
