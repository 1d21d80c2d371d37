import pc from 'picocolors';
import type { PlanEvent, PlannedObject, PlanSummary } from '../../deploy/index.js';
import { blockingJudgments, type Judgment } from '../../engine/report/judgment.js';
import { releasingChanges } from '../../engine/report/releasing-changes.js';
import { plannedSeenTexts, sensitiveChanges } from '../../engine/report/sensitive-changes.js';
import { sentence } from '../../util/error.js';
import { pluralize } from '../../util/pluralize.js';
import type { Host } from '../process/host.js';
import { changeLines } from './change-lines.js';
import { dangerPaint, isLoss, lossPaint } from './emphasis.js';
import { plannedExistingText } from './existing-text.js';
import { ownerName, ownersText } from './field-text.js';
import { isQuietCoOwnership, isQuietObject } from './formats/quiet.js';
import { forPeople, printLines } from './printable.js';
import { rejoinedText } from './rejoined-text.js';
import { fieldLines } from './shared-paths.js';
import { isRisky, type PlanSelection, shownFields } from './shown-fields.js';
import { warningRenderer } from './warning-renderer.js';

/** Returns a renderer that prints a plan for people: the plan on stdout, because it is data, and warnings on stderr. */
export function planRenderer(host: Host, options: PlanSelection = {}): (event: PlanEvent) => void {
  const colors = pc.createColors(host.color);
  const warning = warningRenderer(host);
  let [coOwned, leftOut, released] = [0, 0, 0];
  const losers = new Map<string, number>();
  const effects = new Set<string>();
  return forPeople((event) => {
    if (event.event === 'warning') return warning(event);
    if (event.event === 'plan') countLosers(event, losers);
    if (event.event === 'plan' && event.action !== 'blocked') {
      released += event.fields.filter(({ change }) => releasingChanges.has(change)).length;
      for (const effect of plannedSeenTexts(event)) effects.add(effect);
    }
    if (event.event === 'plan') coOwned += event.fields.filter(isQuietCoOwnership).length;
    if (event.event === 'plan' && !options.all && isQuietObject(event)) return;
    if (event.event === 'plan' && options.risky && !isRisky(event)) leftOut += 1;
    else
      printLines(host, event.event === 'plan' ? objectLines(event) : summaryLines(event, { coOwned, leftOut, released, losers, effects }));
  });

  function objectLines(object: PlannedObject): string[] {
    const notes = planNotes(object);
    const head = `${paint(object)(object.action.padEnd(9))} ${object.object}  [${object.stack}, ${object.source}]`;
    const { fields, folded } = shownFields(object, options);
    const rows = [...fieldLines(fields, (field) => changeLines(field, colors, 9), host.width !== undefined), ...folded];
    const lines = [`${head}${notes.length > 0 ? `  ${notes.join('; ')}` : ''}`, ...rows.map((line) => `    ${line}`)];
    const seen = plannedSeenTexts(object);
    for (const text of [...seen, ...warningTexts(object)]) lines.push(`    ${colors.yellow(text)}`);
    if (object.error) {
      const [declaration] = object.declaredBy;
      const blame = declaration ? ` Declared by ${declaration.construct}${declaration.source ? ` (${declaration.source})` : ''}.` : '';
      const { message, next, code } = object.error;
      lines.push(`    ${colors.red(sentence(message))}${blame}${next ? ` ${sentence(next)}` : ''} [${code}]`);
    }
    return lines;
  }

  function paint(object: PlannedObject): (text: string) => string {
    const { action, fields } = object;
    if (action === 'blocked' || action === 'delete' || action === 'recreate') return dangerPaint(colors);
    if (action === 'release' || fields.some(isLoss) || sensitiveChanges(object).length > 0) return lossPaint(colors);
    return action === 'create' || action === 'update' ? colors.green : colors.dim;
  }
}

/** Counts the fields of each owner that a plan would force. */
function countLosers({ fields }: PlannedObject, losers: Map<string, number>): void {
  for (const { change, owners = [] } of fields) {
    const names = change === 'force' ? new Set(owners.map(ownerName)) : [];
    for (const name of names) losers.set(name, (losers.get(name) ?? 0) + 1);
  }
}

/** The facts of the objects of a plan that its summary lacks. */
interface SeenOfPlan {
  /** The number of unchanged fields that others own, too. */
  readonly coOwned: number;
  /** The number of objects that change and are not shown. */
  readonly leftOut: number;
  /** The number of fields that would be released. */
  readonly released: number;
  /** The effects that a reviewer wants to see beside the fields; see `seenTexts`. */
  readonly effects: ReadonlySet<string>;
  /** The number of fields that would be forced, by the name of the owner. */
  readonly losers: ReadonlyMap<string, number>;
}

function summaryLines(summary: PlanSummary, { coOwned, leftOut, released, losers, effects }: SeenOfPlan): string[] {
  const counts = Object.entries(summary.counts).map(([action, number]) => `${number} ${action}`);
  const byOwner = [...losers].map(([name, number]) => `${number} from ${name}`);
  const facts = [
    counts.join(', ') || 'nothing declared',
    coOwned > 0 ? `${pluralize(coOwned, 'unchanged field')} also owned by others` : '',
    summary.notJudged > 0 ? `${summary.notJudged} not judged by the server` : '',
    summary.adopts > 0 ? pluralize(summary.adopts, 'existing object') : '',
    summary.forcedConflicts > 0 ? `forces ${pluralize(summary.forcedConflicts, 'field')}: ${byOwner.join(', ')}` : '',
    released > 0 ? `releases ${pluralize(released, 'field')}` : '',
    leftOut > 0 ? `${pluralize(leftOut, 'object')} by which nobody loses anything not shown` : '',
  ];
  const also = effects.size > 0 ? [`look at: ${[...effects].join(' · ')}`] : [];
  return [...also, `plan: ${facts.filter((fact) => fact !== '').join('; ')}`];
}

/** Returns the remarks about an object: that it existed before, renames, transfers, and the reason of its action. */
export function planNotes(object: PlannedObject): readonly string[] {
  const notes = [adoptsText(object), renameText(object), transferFromText(object), movedText(object), newObjectText(object), object.reason];
  return notes.filter((note): note is string => note !== undefined && note !== '');
}

function adoptsText({ adopts }: PlannedObject): string | undefined {
  if (adopts === undefined) return undefined;
  const { owners, prunedBy = [] } = adopts;
  const others = owners.length > 0 ? `, and ${ownersText(owners)} own${owners.length === 1 ? 's' : ''} fields of it` : '';
  const pruned =
    prunedBy.length > 0
      ? `; it also belongs to ${prunedBy.join(' and ')}, whose tool deletes it once its files no longer contain it (docs/adopt.md)`
      : '';
  return `${plannedExistingText(adopts)}${others}${pruned}`;
}

function movedText({ action, movedFrom }: PlannedObject): string | undefined {
  const moves = action === 'blocked' ? 'would move' : 'moves';
  return movedFrom && `${moves} here from stack ${movedFrom}, with the right to delete it`;
}

function newObjectText(object: PlannedObject): string | undefined {
  return object.rejoined && `${object.action === 'blocked' ? 'would be ' : ''}${rejoinedText(object)}`;
}

function transferFromText({ action, transferred }: PlannedObject): string | undefined {
  const transfers = action === 'blocked' ? 'would transfer fields' : 'transfers fields';
  return transferred && `${transfers} from ${transferred.from}: ${transferred.fields.join(', ')}`;
}

function renameText({ action, renamedFrom }: PlannedObject): string | undefined {
  return renamedFrom && `${action === 'blocked' ? 'would be renamed' : 'renamed'} from ${renamedFrom.join(', ')}`;
}

/** Returns the warnings about an object: what the server says before the deploy changes other objects, its warnings, and objections that do not block it; those that do are its error. */
export function warningTexts({ judgments = [], warnings = [], notJudged }: PlannedObject): readonly string[] {
  const untilThen = notJudged === undefined ? [] : [`until then, the server refuses it: ${sentence(notJudged.refusal.message)}`];
  const blocking = blockingJudgments(judgments);
  const ofServer = warnings.map((warning) => `warning of the server: ${sentence(warning)}`);
  return [
    ...untilThen,
    ...ofServer,
    ...judgments.filter((judgment) => judgment.verdict !== 'deny' && !blocking.includes(judgment)).map(judgmentText),
  ];
}

function judgmentText({ rule, verdict, message, source }: Judgment): string {
  const named = source === undefined ? `rule ${rule}` : `${source === 'policy' ? 'admission policy' : 'definition'} ${rule}`;
  const what = { warn: `warning of ${named}`, audit: `${named} audits`, 'not-evaluated': `${named} is not evaluated` };
  return `${what[verdict as keyof typeof what]}: ${sentence(message)}`;
}
