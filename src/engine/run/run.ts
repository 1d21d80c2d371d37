import { identityKey } from '../../assembly/identity.js';
import type { ErrorKind } from '../../util/error.js';
import { exitCodeOf, FieldwiseError } from '../../util/error.js';
import type { Outcome } from '../../util/outcome.js';
import { fatalCodes } from '../report/error-scope.js';
import type { EventHost, ObjectReport, RunSummary, Waiting } from '../report/events.js';
import { explain } from '../report/explain.js';
import type { ForcedField } from '../report/forced-field.js';
import type { OverwrittenField, ReleasedField } from '../report/released-field.js';
import type { ReportedError, RunDiagnostic } from '../report/run-diagnostic.js';
import { ConfirmationNeededError } from './ask-all.js';
import type { Reconcile } from './options.js';

/** The parts of a run, in the order in which a refusal reports their objects. */
const runParts = ['declared', 'undeclared', 'undeclared-stacks'] as const;
type RunPart = (typeof runParts)[number];

/** A report whose outcome is open. */
type OpenReport = Omit<ObjectReport, 'result'>;

/** The changes that an earlier run has made to an object, or has perhaps made, and has not reported. */
export interface EarlierChanges {
  /** Of the object. */
  readonly uid: string | undefined;
  readonly forcedConflicts: readonly ForcedField[];
  readonly released: readonly ReleasedField[];
  readonly overwritten: readonly OverwrittenField[];
  readonly collateral: readonly ForcedField[];
}

function earlierKey(manager: string, key: string): string {
  return `${manager} ${key}`;
}

/** Collects the reports of all objects of a run and ends it with a summary. */
export class Run {
  readonly verb: 'deploy' | 'destroy';
  readonly #host: EventHost;
  readonly #signal: AbortSignal | undefined;
  /** By field manager. Only what the summary needs: the reports of a hundred thousand objects are large. */
  readonly #counts = new Map<string, Partial<Record<Outcome, number>>>();
  readonly #totals = { forcedConflicts: 0, perhapsForced: 0, adopted: 0, contended: 0, notReady: 0 };
  readonly #expected = new Map<RunPart, () => readonly OpenReport[]>();
  readonly #earlier = new Map<string, EarlierChanges>();
  readonly #reportedEarlier = new Set<string>();
  readonly #errors: ReportedError[] = [];
  readonly #kinds = new Set<ErrorKind>();
  #fatal: ReportedError | undefined;
  #reconciled: RunSummary['reconciled'];

  /** @param mode which intents a deploy sends; absent for a destroy. */
  constructor(verb: 'deploy' | 'destroy', host: EventHost, signal: AbortSignal | undefined, mode?: Reconcile) {
    this.verb = verb;
    this.#reconciled = mode && { mode, sent: 0, provedUnchanged: 0 };
    this.#host = host;
    this.#signal = signal;
  }

  /** Notes which objects a part of the run works on, as far as they are known: a refused run reports them as skipped. */
  expect(part: RunPart, objects: () => readonly OpenReport[]): void {
    this.#expected.set(part, objects);
  }

  /** The objects that the run was to work on when it was refused. */
  get expected(): readonly OpenReport[] {
    return runParts.flatMap((part) => this.#expected.get(part)?.() ?? []);
  }

  /**
   * Notes what an earlier run has done to an object and has not reported: the report of the object says it.
   *
   * @param key the identity key of the object.
   */
  expectEarlier(manager: string, key: string, earlier: EarlierChanges): void {
    this.#earlier.set(earlierKey(manager, key), earlier);
  }

  /** Returns true if a report has said what an earlier run has done to an object. */
  hasReportedEarlier(manager: string, key: string): boolean {
    return this.#reportedEarlier.has(earlierKey(manager, key));
  }

  report(outcome: ObjectReport): void {
    const report = this.#withEarlier(outcome);
    const { result, manager } = report;
    const contended = contentionWithAppliers(report);
    if (result === 'failed' || notReady(report)) this.#kinds.add('resource');
    if (result === 'conflict' || contended > 0) this.#kinds.add('conflict');
    const counts = this.#counts.get(manager) ?? {};
    this.#counts.set(manager, counts);
    counts[result] = (counts[result] ?? 0) + 1;
    const perhaps = report.forcedConflicts.filter((conflict) => conflict.perhaps).length;
    this.#totals.forcedConflicts += report.forcedConflicts.length - perhaps;
    this.#totals.perhapsForced += perhaps;
    this.#totals.contended += contended;
    if (report.adopted) this.#totals.adopted += 1;
    if (notReady(report)) this.#totals.notReady += 1;
    this.#host(report);
  }

  #withEarlier(report: ObjectReport): ObjectReport {
    if (this.#earlier.size === 0) return report; // as in almost every run
    const key = earlierKey(report.manager, identityKey(report));
    const earlier = this.#earlier.get(key);
    if (earlier === undefined || this.#reportedEarlier.has(key)) return report;
    this.#reportedEarlier.add(key);
    const { uid: earlierUid, forcedConflicts, ...others } = earlier;
    if ([forcedConflicts, ...Object.values(others)].every((fields) => fields.length === 0)) return report;
    const uid = report.uid ?? earlierUid;
    const told = {
      released: [...others.released, ...(report.released ?? [])],
      overwritten: [...others.overwritten, ...(report.overwritten ?? [])],
      collateral: [...others.collateral, ...(report.collateral ?? [])],
    };
    const some = Object.fromEntries(Object.entries(told).filter(([, fields]) => fields.length > 0));
    return { ...report, ...(uid === undefined ? {} : { uid }), forcedConflicts: [...forcedConflicts, ...report.forcedConflicts], ...some };
  }

  /** Counts an intent that is about to be sent, or that needs no request. */
  countIntent(how: 'sent' | 'provedUnchanged'): void {
    if (this.#reconciled) this.#reconciled = { ...this.#reconciled, [how]: this.#reconciled[how] + 1 };
  }

  /** Reports that an object of a stack takes time. */
  wait(wait: Omit<Waiting, 'event'>): void {
    this.#host({ event: 'waiting', ...wait });
  }

  /** Reports a warning about the whole run. */
  warn(warning: RunDiagnostic): void {
    this.#host(warning);
  }

  /** Records the kind of an error and explains it for a report. An error that every further request would meet ends the run. */
  note(error: unknown): ReportedError {
    const reported = explain(error);
    if (!(error instanceof FieldwiseError)) return reported;
    if (error.code === 'outcome-unknown') this.note(error.cause); // such as the loss of the lock
    const fatal = error.kind === 'authentication' || fatalCodes.has(error.code);
    if (fatal || (error.kind === 'interrupted' && !this.#stopReason)) this.#kinds.add(error.kind);
    if (fatal) this.#fatal ??= reported;
    return reported;
  }

  /** Records an error that belongs to no single object. */
  fail(error: unknown): ReportedError {
    const reported = this.note(error);
    this.#kinds.add('resource');
    if (!this.#errors.some((known) => known.code === reported.code && known.message === reported.message)) this.#errors.push(reported);
    return reported;
  }

  /** Reports why the run ends before its first change; the summary repeats it. */
  refuse(refused: unknown): ReportedError {
    const stopped = refused instanceof FieldwiseError && refused.kind === 'interrupted';
    const error = stopped ? (this.#stopReason ?? refused) : refused;
    const refusal = error instanceof FieldwiseError && error.kind === 'usage' ? this.#misused(error) : this.fail(error);
    this.#host({ event: 'refused', error: refusal });
    return refusal;
  }

  #misused(error: FieldwiseError): ReportedError {
    const { code, message, next, locationText } = error;
    const refusal = {
      code,
      message: locationText === undefined ? message : `${message} (${locationText})`,
      ...(next ? { next } : {}),
      ...(error instanceof ConfirmationNeededError ? { questions: error.questions } : {}),
    };
    this.#kinds.add(error.kind);
    if (!this.#errors.some(({ code, message }) => code === refusal.code && message === refusal.message)) this.#errors.push(refusal);
    return refusal;
  }

  /** Returns the number of objects of a stack by outcome, as far as they are reported. */
  countsOf(manager: string): Readonly<Partial<Record<Outcome, number>>> {
    return { ...this.#counts.get(manager) };
  }

  /** The error that stopped the run, where that is the reason of the signal: one of the program, while its objects were deployed. */
  get #stopReason(): FieldwiseError | undefined {
    const { aborted = false, reason } = this.#signal ?? {};
    return aborted && reason instanceof FieldwiseError ? reason : undefined;
  }

  /** The reason why nothing more is to be attempted, if so. */
  get stopped(): string | undefined {
    return this.#signal?.aborted ? 'interrupted' : this.#fatal?.message;
  }

  /** Reports the summary. A run whose signal is aborted by then is interrupted, or fails with the error that is the signal's reason. */
  finish(): RunSummary {
    const reason = this.#stopReason;
    if (reason) this.#misused(reason);
    else if (this.#signal?.aborted) this.#kinds.add('interrupted');
    const worst = (['interrupted', 'authentication', 'usage', 'resource', 'conflict'] as const).find((kind) => this.#kinds.has(kind));
    const { forcedConflicts, perhapsForced, adopted, contended, notReady: waitedInVain } = this.#totals;
    const summary: RunSummary = {
      event: 'summary',
      verb: this.verb,
      counts: sumOf([...this.#counts.values()]),
      ...(this.#reconciled ? { reconciled: this.#reconciled } : {}),
      forcedConflicts,
      ...(perhapsForced > 0 ? { perhapsForced } : {}),
      adopted,
      ...(contended > 0 ? { contendedFields: contended } : {}),
      notReady: waitedInVain,
      ok: worst === undefined,
      exitCode: worst === undefined ? 0 : exitCodeOf(worst),
      errors: [...(this.#fatal && !this.#errors.some(({ code }) => code === this.#fatal?.code) ? [this.#fatal] : []), ...this.#errors],
    };
    this.#host(summary);
    return summary;
  }
}

function sumOf(all: readonly Readonly<Partial<Record<Outcome, number>>>[]): Readonly<Partial<Record<Outcome, number>>> {
  const sum: Partial<Record<Outcome, number>> = {};
  for (const counts of all) {
    for (const [outcome, count] of Object.entries(counts) as [Outcome, number][]) sum[outcome] = (sum[outcome] ?? 0) + count;
  }
  return sum;
}

function notReady({ readiness }: ObjectReport): boolean {
  return readiness !== undefined && readiness.state !== 'current';
}

/** Counts contended fields of appliers only: an applier declares the field for good; an updater may have written it by hand. */
function contentionWithAppliers({ contendedFields: contended = [], forcedConflicts }: ObjectReport): number {
  return contended.filter((fight) =>
    forcedConflicts.some(({ field, from, operation }) => operation === 'Apply' && field === fight.field && from === fight.from),
  ).length;
}
