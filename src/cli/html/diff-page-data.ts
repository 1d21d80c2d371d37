import { declarationText } from '../../assembly/declaration-text.js';
import type { SynthDiagnostic } from '../../assembly/types.js';
import type { PlanEvent, PlannedField, PlannedObject, RunDiagnostic } from '../../deploy/index.js';
import { rewrittenFieldOf } from '../../engine/report/rewritten-field.js';
import { sentence } from '../../util/error.js';
import { pluralize } from '../../util/pluralize.js';
import { collateralLines, keptText, ownersText } from '../render/field-text.js';
import { blockedText } from '../render/formats/blocked-text.js';
import { groupAlike } from '../render/formats/likeness.js';
import { phraseText } from '../render/formats/phrase.js';
import { isQuietField } from '../render/formats/quiet.js';
import { recordPlannedObject } from '../render/formats/record-planned-object.js';
import type { RecordedObject } from '../render/formats/recorded-run.js';
import { type ReviewClass, reviewClasses, reviewClassOf, reviewClassText } from '../render/formats/review-class.js';
import { runFigures } from '../render/formats/run-figures.js';
import { errorPhrase } from '../render/formats/sentences.js';
import { verdictLine } from '../render/formats/verdict-line.js';
import { planNotes, warningTexts } from '../render/plan-renderer.js';
import { printable } from '../render/printable.js';
import { NumberedRows } from './numbered-rows.js';
import type { DiffPageData, PageChange, PageFieldChange } from './page-data.js';
import { pageValue } from './page-value.js';

interface Classified extends RecordedObject {
  readonly planned: PlannedObject;
  readonly class: ReviewClass;
}

/**
 * Returns the data of a page about a plan. All texts in it are printable.
 *
 * @param synth the warnings of synth.
 */
export function diffPageData(
  events: readonly PlanEvent[],
  of: Pick<DiffPageData, 'made' | 'subject'>,
  synth: readonly SynthDiagnostic[] = [],
): DiffPageData {
  const objects = events.flatMap((event) => (event.event === 'plan' ? [classified(event)] : []));
  const warnings = [...synth.map(synthText), ...events.flatMap((event) => (event.event === 'warning' ? [runText(event)] : []))].map(
    printable,
  );
  const blocked = objects.filter((object) => object.class === 'blocked');
  const fields = new NumberedRows<PageFieldChange>();
  const changes = ordered(objects).flatMap((alike, group) =>
    alike.map((object) => ({ ...changeOf(object, fields), ...(alike.length > 1 ? { group } : {}) })),
  );
  const countOf = (name: ReviewClass) => objects.filter((object) => object.class === name).length;
  return {
    ...of,
    headline: printable(verdictLine({ verb: 'plan', objects, errors: [] }, runFigures({ objects }))),
    ...(blocked.length > 0 ? { blocked: `Blocked: ${blockedText(blocked).replaceAll('`', '')}` } : {}),
    warnings,
    classes: reviewClasses.filter((name) => countOf(name) > 0).map((name) => [name, reviewClassText(name, countOf(name))]),
    fields: fields.rows,
    objects: changes,
  };
}

function synthText({ code, message, construct = '', source }: SynthDiagnostic): string {
  const by = construct === '' ? '' : ` Declared by ${declarationText({ construct, ...(source === undefined ? {} : { source }) })}.`;
  return `${sentence(message)}${by} [${code}]`;
}

function runText({ code, message, next }: RunDiagnostic): string {
  return `${phraseText(errorPhrase(next === undefined ? { message } : { message, next }))} [${code}]`;
}

function classified(planned: PlannedObject): Classified {
  const recorded = recordPlannedObject(planned);
  return { ...recorded, planned, class: reviewClassOf(recorded) };
}

/** Returns groups of objects with the same change: by stack, that with the heaviest class first, and by class. */
function ordered(objects: readonly Classified[]): readonly (readonly Classified[])[] {
  const weight = (object: Classified) => reviewClasses.indexOf(object.class);
  const heaviest = new Map<string, number>();
  for (const object of objects) heaviest.set(object.stack, Math.min(weight(object), heaviest.get(object.stack) ?? weight(object)));
  const first = ([object]: readonly [Classified, ...Classified[]]) => [
    heaviest.get(object.stack) ?? 0,
    stacks.indexOf(object.stack),
    weight(object),
  ];
  const stacks = [...heaviest.keys()];
  const groups = groupAlike(objects).map((group) => ({ group, order: first(group) }));
  groups.sort((one, other) => one.order.map((part, index) => part - (other.order[index] ?? 0)).find((part) => part !== 0) ?? 0);
  return groups.map(({ group }) => group);
}

function changeOf(classed: Classified, fields: NumberedRows<PageFieldChange>): PageChange {
  const { planned, stack, action, declaredBy } = classed;
  const { error } = planned;
  const problem = error && [error.message, error.next].flatMap((part) => (part ? [sentence(part)] : [])).join(' ');
  const ways = classed.findings.flatMap(({ risk, details = [] }) => (risk === 'blocked' ? details.map((way) => phraseText(way)) : []));
  return {
    object: printable(planned.object),
    apiVersion: printable(planned.apiVersion),
    stack: printable(stack),
    action,
    class: classed.class,
    effects: effectsOf(classed).map(printable),
    notes: [sources[planned.source], ...planNotes(planned), ...warningTexts(planned)].map(printable),
    ...(problem === undefined ? {} : { problem: printable(`${problem} [${error?.code}]`) }),
    ...(ways.length === 0 ? {} : { ways: ways.map(printable) }),
    declaredBy: declaredBy.map((declaration) => printable(declarationText(declaration))),
    fields: planned.fields.map((field) => {
      const change = fieldOf(field);
      return fields.position(JSON.stringify(change), () => change);
    }),
  };
}

const sources: Readonly<Record<PlannedObject['source'], string>> = {
  server: 'predicted by the server',
  schema: 'predicted from the schema, without the server',
  inventory: 'predicted from the record of the stack',
};

/** Says what others lose by a change, and what a reviewer wants to see. */
function effectsOf(object: Classified): readonly string[] {
  const { takenFrom, released, wouldTake, isAdopted, planned, notCompared } = object;
  const losers = [...new Set(takenFrom.flat())];
  const conflicts = planned.fields.flatMap(({ change, owners = [] }) => (change === 'conflict' ? owners : []));
  const rivals = [...new Map(conflicts.map((owner) => [ownersText([owner]), owner])).values()];
  return [
    ...(planned.error === undefined ? [] : [planned.error.code]),
    ...(rivals.length > 0 ? [`conflicts with ${ownersText(rivals)}`] : []),
    ...(takenFrom.length > 0 ? [`takes ${pluralize(takenFrom.length, 'field')} from ${losers.join(', ')}`] : []),
    ...(wouldTake > 0 ? [`would take ${pluralize(wouldTake, 'field')}`] : []),
    ...(released > 0 ? [`releases ${pluralize(released, 'field')}`] : []),
    ...(isAdopted ? ['owns an existing object'] : []),
    ...object.sensitive(),
    ...(object.notJudged === undefined ? [] : ['not judged by the server']),
    ...(notCompared > 0 ? [`${pluralize(notCompared, 'field')} not compared`] : []),
  ];
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
  return {
    field: printable(field.field),
    change,
    ...(isQuietField(field) && change === 'same' ? { isQuiet: true } : {}),
    value: changedValue(field),
    ...(owners.length > 0 ? { owners: owners.map((owner) => printable(ownersText([owner]))) } : {}),
    ...(notes.length > 0 ? { notes: notes.map(printable) } : {}),
  };
}

function changedValue({ change, oldValue, newValue }: PlannedField): PageFieldChange['value'] {
  if (change === 'yield') return pageValue(oldValue, oldValue);
  const stays = change === 'kept' || change === 'same' || change === 'co-own';
  return pageValue(stays ? (oldValue ?? newValue) : oldValue, newValue);
}
