import path from 'node:path';
import { pluralize } from '../../../util/pluralize.js';
import { blockedText } from './blocked-text.js';
import { diffBlock } from './code-block.js';
import { codeSpan, nameText } from './code-span.js';
import { fitSections, type Section, type SectionItem } from './fit-sections.js';
import { groupAlike } from './likeness.js';
import type { RiskyCode } from './object-finding.js';
import { joinPhrases, type Phrase, phraseText, wordsPhrase } from './phrase.js';
import { positionOf, type RecordedObject, type RecordedRun } from './recorded-run.js';
import { byReviewClass, reviewClassText } from './review-class.js';
import { type RunFigures, runFigures } from './run-figures.js';
import { errorPhrase } from './sentences.js';
import { verdictLine } from './verdict-line.js';
import { wordsText } from './words-text.js';

/** The longest document: GitHub accepts comments of 65,536 characters, and `fieldwise comment` adds lines above and below. */
export const markdownLimit = 64_000;

/** Room for the sentence about what is left out. */
const roomForRest = 200;

/** The most lines of one object. */
const maxLines = 50;

interface MarkdownOptions {
  /** Lists unchanged objects, too. */
  readonly all?: boolean;
}

/**
 * Formats plans or deploys as Markdown: the verdict first, what is risky open, changes of own fields alone folded, but those that a reviewer wants to see. All texts of programs, files and
 * clusters are code spans. Several runs each have a heading with their environment.
 */
export function markdown(runs: readonly RecordedRun[], options: MarkdownOptions = {}): string {
  const texts: string[] = [];
  const words = wordsText(runs);
  let room = markdownLimit - roomForRest - words.length;
  for (const [index, run] of runs.entries()) {
    const heading = runs.length > 1 ? `${index > 0 ? '\n' : ''}## Environment ${codeSpan(run.environment ?? '')}\n\n` : '';
    const text = `${heading}${runText(run, options, Math.floor(room / (runs.length - index)) - heading.length)}`;
    if (text.length > room) {
      texts.push(`\n${pluralize(runs.length - index, 'environment')} left out: this document would be too long.\n`);
      break;
    }
    texts.push(text);
    room -= text.length;
  }
  return `${texts.join('')}${words}`;
}

function runText(run: RecordedRun, options: MarkdownOptions, limit: number): string {
  const head = headText(run);
  const { text, leftOut } = fitSections(sectionsOf(run, options), limit - head.length - roomForRest);
  const command = run.verb === 'plan' ? 'fieldwise diff' : 'fieldwise deploy';
  const rest = `\n${pluralize(leftOut, 'item')} left out: this document would be too long. \`${command} -o text\` shows all.\n`;
  return `${head}${text}${leftOut > 0 ? rest : ''}`;
}

function headText(run: RecordedRun): string {
  const { verb, app, instance, environment, saved } = run;
  const figures = runFigures(run);
  const of = [
    ...(app === undefined ? [] : [` of ${codeSpan(app)}`, `instance ${codeSpan(instance ?? '')}`]),
    ...(environment === undefined ? [] : [`environment ${codeSpan(environment)}`]),
  ].join(', ');
  const lines = [`**${verdictLine(run, figures, nameText)}**`, '', `${verb === 'plan' ? 'Plan' : 'Deploy'}${of}: ${countsText(figures)}`];
  // The directory of another machine helps no reader.
  const file = saved && path.isAbsolute(saved.file) ? path.basename(saved.file) : saved?.file;
  if (saved && file && !isQuiet(run))
    lines.push('', `Saved as ${codeSpan(file)}, SHA-256 ${codeSpan(saved.sha256)}.${figures.blocked > 0 ? savedBlocked : ''}`);
  return `${lines.join('\n')}\n`;
}

/** Returns true if a deploy has nothing to do. */
function isQuiet({ objects, errors }: RecordedRun): boolean {
  return errors.length === 0 && objects.every(({ risk, notCompared }) => risk === 'unchanged' && notCompared === 0);
}

const savedBlocked = ' Change what is blocked first, then make a new plan.';

/** Formats what happens to the objects: `creates 2 objects, updates 1, leaves 5 unchanged`. */
function countsText({ actions, coOwned }: RunFigures): string {
  const [first, ...others] = actions;
  const counts = first && [actionText(first, true), ...others.map((one) => actionText(one, false))].join(', ');
  const isOne = coOwned === 1;
  const stays = ` ${pluralize(coOwned, 'field')} that others own, too, ${isOne ? 'stays' : 'stay'} as ${isOne ? 'it is' : 'they are'}.`;
  return `${counts ?? 'no object'}.${coOwned > 0 ? stays : ''}`;
}

/** The actions of a plan as verbs; every other action, and the results of a deploy, are adjectives. */
const verbs: Readonly<Partial<Record<string, string>>> = {
  create: 'creates',
  update: 'updates',
  recreate: 'recreates',
  delete: 'deletes',
  release: 'releases',
  retain: 'retains',
  wait: 'waits for',
};

function actionText([action, objects]: RunFigures['actions'][number], isNamed: boolean): string {
  const count = isNamed ? pluralize(objects, 'object') : String(objects);
  const verb = verbs[action];
  return verb === undefined ? `${count} ${action}` : `${verb} ${count}`;
}

function sectionsOf(run: RecordedRun, { all = false }: MarkdownOptions): readonly Section[] {
  const { blocked, risky, seen, skipped, own, unchanged } = byReviewClass(run.objects);
  const items = (objects: readonly RecordedObject[]) => groupAlike(objects).map((alike) => objectItem(run, alike));
  const errors = run.errors.map((error) => {
    const { position } = error;
    return textItem(
      `${phraseText(errorPhrase(error), codeSpan)} [${error.code}]${position ? ` at ${codeSpan(`${position.file}:${position.line}`)}` : ''}`,
    );
  });
  const warnings = run.warnings.map(({ code, text, declaredBy }) =>
    textItem(`${phraseText(text, codeSpan)} [${code}]${declarationText(run, declaredBy)}`),
  );
  return [
    open('Errors', errors),
    run.verb === 'plan' ? open('Blocked', items(blocked), `${blockedText(blocked)}\n\n`) : open('Failed', items(blocked)),
    open('Risky', items([...risky.filter(isDeletion), ...risky.filter((object) => !isDeletion(object))])),
    open('Risky, in own fields only', items(seen)),
    open('Warnings', warnings),
    folded(reviewClassText('skipped', skipped.length), items(skipped)),
    folded(reviewClassText('own', own.length), items(own)),
    folded(reviewClassText('unchanged', unchanged.length), all ? items(unchanged) : []),
  ];
}

function open(title: string, items: readonly SectionItem[], introduction = ''): Section {
  return { open: `\n### ${title}\n\n${introduction}`, close: '', items };
}

function folded(summary: string, items: readonly SectionItem[]): Section {
  return { open: `\n<details><summary>${summary}</summary>\n\n`, close: '\n</details>\n', items };
}

function textItem(text: string): SectionItem {
  const line = () => `- ${text}\n`;
  return { full: line, brief: line };
}

/** Findings that say the same as the action of the object. */
const saidByAction: ReadonlySet<string> = new Set<RiskyCode>(['object-deleted', 'object-recreated']);

function isDeletion({ findings }: RecordedObject): boolean {
  return findings.some(({ code }) => saidByAction.has(code));
}

/** The objects with the same change that are named beside it. */
const namedAlike = 3;
/** The other ones that are listed below it. */
const listedAlike = 200;

/** Formats an object, or several with the same change, as an item of a list. If there are findings, the other changes are folded. */
function objectItem(run: RecordedRun, alike: readonly [RecordedObject, ...RecordedObject[]]): SectionItem {
  const [recorded, ...others] = alike;
  const { object, stack, action, declaredBy } = recorded;
  const place = `in stack ${codeSpan(stack)}${declarationText(run, declaredBy)}`;
  if (others.length === 0) {
    const brief = () => `- **${action}** ${codeSpan(object)} ${place}\n`;
    return { brief, full: () => `${brief()}${detailsText(recorded)}` };
  }
  const brief = () => `- **${action}** ${alike.length} objects ${place}, the same change in each: ${namesText(alike, namedAlike)}\n`;
  return { count: alike.length, brief, full: () => `${brief()}${detailsText(recorded)}${otherNamesText(alike.slice(namedAlike))}` };
}

function namesText(objects: readonly RecordedObject[], most: number): string {
  const more = objects.length > most ? ` and ${objects.length - most} more` : '';
  const names = objects.slice(0, most).map(({ object }) => codeSpan(object));
  return `${names.join(', ')}${more}`;
}

function otherNamesText(objects: readonly RecordedObject[]): string {
  if (objects.length === 0) return '';
  return `  <details><summary>${pluralize(objects.length, 'more object')}</summary>\n\n  ${namesText(objects, listedAlike)}\n\n  </details>\n`;
}

function detailsText({ findings, changes, seenChanges, notes: others, sensitive }: RecordedObject): string {
  const notes = [...sensitive().map(wordsPhrase), ...seenChanges(), ...others];
  if (findings.length === 0) return list([...notes, ...changes()]);
  const told = findings
    .filter(({ code }) => !saidByAction.has(code))
    .flatMap(({ text, code, risk, details = [] }) => [
      risk === 'blocked' ? joinPhrases([text(), wordsPhrase(` [${code}]`)], '') : text(),
      ...details,
    ]);
  const more = changes();
  const open = list([...told, ...notes]);
  if (more.length === 0) return open;
  return `${open}\n  <details><summary>${pluralize(more.length, 'more change')}</summary>\n\n${list(more)}\n  </details>\n`;
}

function markdownText(text: Phrase): string {
  return phraseText(text, codeSpan);
}

function list(phrases: readonly Phrase[]): string {
  const items = phrases.slice(0, maxLines).map(listItem);
  if (phrases.length > maxLines) items.push(`  - and ${phrases.length - maxLines} more\n`);
  return items.join('');
}

/** A text of several lines is a block below its sentence. */
function listItem(text: Phrase): string {
  const { diff } = text;
  return diff === undefined ? `  - ${markdownText(text)}\n` : `  - ${markdownText(diff.head)}:\n${diffBlock(diff.lines(), '    ')}`;
}

function declarationText(run: RecordedRun, declaredBy: RecordedObject['declaredBy']): string {
  const position = positionOf(run, declaredBy);
  if (position !== undefined) return `, ${codeSpan(`${position.file}:${position.line}`)}`;
  const [declaration] = declaredBy;
  return declaration === undefined ? '' : `, ${codeSpan(declaration.construct)}`;
}
