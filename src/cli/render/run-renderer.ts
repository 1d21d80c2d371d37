import pc from 'picocolors';
import type { DeployEvent, ObjectReport, ReportedError, RunRefused, RunStarted, RunSummary, WaitingForLock } from '../../deploy/index.js';
import { changesValue, isReleased } from '../../engine/field-changes/report-releases.js';
import type { Outcome } from '../../util/outcome.js';
import { pluralize } from '../../util/pluralize.js';
import type { Host } from '../process/host.js';
import { LiveLine } from './live-line.js';
import { isNotReady, objectLines } from './object-lines.js';
import { forPeople, linesText } from './printable.js';
import { Progress } from './progress.js';
import { refusalLines } from './refusal-lines.js';
import { sentInFullText } from './sent-in-full-text.js';
import { targetText } from './target-text.js';
import { warningText } from './warning-renderer.js';
import { wrapText } from './wrap.js';

const waitGoals = {
  create: 'until the shared object exists',
  successor: 'until the shared object, which is being deleted, is replaced by a new one',
  established: 'until it is established',
  delete: 'until it is deleted',
  'late-write': 'until the server carries out nothing more that a run before may have sent, which was cut off',
} as const;

type Colors = ReturnType<typeof pc.createColors>;

/**
 * Returns a renderer that prints the events of a deploy or destroy for people: the run, its objects and the summary on stdout, because they
 * are data; warnings, errors of the whole run and what it waits for on stderr.
 */
export function runRenderer(
  host: Host,
  options: { readonly quiet?: boolean; readonly problems?: boolean } = {},
): (event: DeployEvent) => void {
  const renderer = new RunRenderer(host);
  const follow = forPeople((event: DeployEvent) => renderer.render(event));
  return (event) => {
    renderer.count(event);
    if (options.quiet ? isFailure(event) : !options.problems || isProblem(event)) follow(event);
  };
}

class RunRenderer {
  readonly #host: Host;
  readonly #colors: Colors;
  readonly #colorsOfMessages: Colors;
  readonly #live: LiveLine | undefined;
  readonly #progress = new Progress();
  /** How many objects were skipped, by the reason. */
  readonly #unattempted = new Map<string, number>();
  /** The number of released fields. */
  #released = 0;
  #refusal: RunRefused['error'] | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(host: Host) {
    this.#host = host;
    this.#colors = pc.createColors(host.color);
    this.#colorsOfMessages = pc.createColors(host.colorsMessages);
    this.#live = host.columns === undefined ? undefined : new LiveLine(host.raw.stderr, host.columns);
  }

  /** Counts what the summary lacks, also of an object that is not printed. */
  count(event: DeployEvent): void {
    if (event.event !== 'object') return;
    this.#released += (event.released ?? []).filter(isReleased).length;
  }

  render(event: DeployEvent): void {
    const { stdout, stderr } = this.#host.raw;
    this.#write(this.#dataLines(event), stdout, this.#host.width);
    this.#write(this.#messageLines(event), stderr, this.#host.columns);
    const progress = this.#progress.update(event, Date.now());
    this.#live?.show(this.#refusal ? '' : progress); // a refused run has none
    this.#countDown();
  }

  #write(lines: readonly string[], write: (text: string) => void, width: number | undefined): void {
    if (lines.length === 0) return;
    const text = wrapText(linesText(lines), width);
    if (this.#live) this.#live.print(text, write);
    else write(text);
  }

  /** Updates the remaining seconds of a wait of known length. */
  #countDown(): void {
    const live = this.#live;
    if (live && this.#progress.counts) this.#timer ??= setInterval(() => live.show(this.#progress.lineAt(Date.now())), 1_000).unref();
    else {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  /** The lines of the report. */
  #dataLines(event: DeployEvent): readonly string[] {
    if (event.event === 'started') return [startText(event)];
    if (event.event === 'object') return this.#objectLines(event);
    return event.event === 'summary' ? [summaryLine(event, this.#released, this.#colors)] : [];
  }

  /** The lines beside the report. */
  #messageLines(event: DeployEvent): readonly string[] {
    switch (event.event) {
      case 'waiting':
        return [`  … ${event.object}: waiting up to ${event.timeoutSeconds} s ${waitGoals[event.terminating ? 'successor' : event.for]}`];
      case 'retrying':
        return [`  … ${event.method} ${event.path}: ${event.reason}; retrying in ${event.delaySeconds} s`];
      case 'sent-in-full':
        return [`  … ${sentInFullText(event)}`];
      case 'waiting-for-lock':
        return [`  … ${lockWaitText(event)}`];
      case 'readiness':
        return this.#live ? [] : [`  … ${event.object}: ${event.readiness.message}`]; // the live line shows it
      case 'warning':
        return [warningText(event, this.#colorsOfMessages)];
      case 'refused':
        this.#refusal = event.error;
        return this.#errorLines(event.error);
      case 'summary':
        return summaryErrors(event, this.#refusal).flatMap((error) => this.#errorLines(error));
      default:
        return [];
    }
  }

  #errorLines(error: ReportedError): readonly string[] {
    return refusalLines(error, this.#host.interactive).map((line) => this.#colorsOfMessages.red(line));
  }

  /** The summary counts the objects that are left out here. */
  #objectLines(report: ObjectReport): readonly string[] {
    if (report.result === 'skipped') {
      if (this.#refusal) return []; // the reason is already printed
      if (report.reason !== undefined && count(this.#unattempted, report.reason) > maxSkippedLines) return [];
    }
    return objectLines(report, this.#colors, this.#host.width !== undefined);
  }
}

const maxSkippedLines = 10;

/** Names the environment and the cluster that the run is about to change. */
function startText({ verb, app, instance, stacks, ...target }: RunStarted): string {
  return `${verb} ${app} (${instance}): ${stacks.join(', ') || 'no stack'} on ${targetText(target)}`;
}

function summaryLine(summary: RunSummary, released: number, colors: Colors): string {
  const counts = Object.entries(summary.counts).map(([result, number]) => `${number} ${result}`);
  const facts = [
    counts.join(', ') || (summary.ok ? 'nothing to do' : 'nothing was changed'),
    summary.forcedConflicts > 0 ? `${pluralize(summary.forcedConflicts, 'field')} forced` : '',
    summary.perhapsForced ? `${pluralize(summary.perhapsForced, 'field')} perhaps forced` : '',
    released > 0 ? `${pluralize(released, 'field')} released` : '',
    summary.contendedFields ? `${pluralize(summary.contendedFields, 'field')} fought over` : '',
    summary.notReady > 0 ? `${summary.notReady} not ready` : '',
    summary.adopted > 0 ? pluralize(summary.adopted, 'existing object') : '',
  ].filter((fact) => fact !== '');
  return `${summary.ok ? colors.green('done') : colors.red('not done')}: ${facts.join('; ')}`;
}

/** @param refusal the error that is already printed. */
function summaryErrors({ errors }: RunSummary, refusal: RunRefused['error'] | undefined): readonly ReportedError[] {
  return errors.filter(({ code, message }) => code !== refusal?.code || message !== refusal.message);
}

/** Says why and how long the run waits for a lock: no longer than the duration of the lease if the holder is dead. */
export function lockWaitText({ stack, holder, since, timeoutSeconds, leaseDurationSeconds }: WaitingForLock): string {
  if (holder === undefined)
    return `stack ${stack} has an inventory and had no Lease: waiting ${timeoutSeconds} s, until a run whose Lease was deleted must have noticed it`;
  const locked = `stack ${stack} is locked by ${holder} since ${since}`;
  if (timeoutSeconds <= leaseDurationSeconds)
    return `${locked}: waiting up to ${leaseDurationSeconds} s to see whether that run is still active`;
  return `${locked}: waiting up to ${timeoutSeconds} s until that run ends, or ${leaseDurationSeconds} s if it is no longer active`;
}

function isFailure(event: DeployEvent): boolean {
  if (event.event === 'refused') return true;
  return event.event === 'summary'
    ? !event.ok
    : event.event === 'object' && (event.result === 'failed' || event.result === 'conflict' || isNotReady(event));
}

/** Returns false for an object that is applied and ready, from which nobody else has lost anything, and of which nothing is sensitive. */
function isProblem(event: DeployEvent): boolean {
  if (event.event !== 'object' || isFailure(event) || isLosing.has(event.result)) return true;
  const { forcedConflicts, contendedFields = [], overwritten = [], collateral = [], released = [], sensitive = [], warnings } = event;
  const changed = released.filter((field) => field.change === 'rejected' || field.change === 'perhaps' || changesValue(field));
  return [forcedConflicts, contendedFields, overwritten, collateral, changed, sensitive, warnings].some((list) => list.length > 0);
}

const isLosing: ReadonlySet<Outcome> = new Set<Outcome>(['skipped', 'deleted', 'recreated', 'released', 'retained']);

/** Counts one more of a key, and returns their number. */
function count(map: Map<string, number>, key: string): number {
  const number = (map.get(key) ?? 0) + 1;
  map.set(key, number);
  return number;
}
