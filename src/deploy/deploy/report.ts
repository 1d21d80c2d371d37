import type { DeployEvent, EventHost, ObjectReport, RunStarted, RunSummary } from '../../engine/report/events.js';
import { Run } from '../../engine/run/run.js';
import { withIntegersAsText } from '../../util/integers-as-text.js';
import { type Machine, timeText } from '../../util/machine.js';

/**
 * The report of a deploy or destroy, which the functions return and `--output-file report=FILE` writes. Values of Secrets are masked. Forced conflicts have
 * their old values, so that they can be undone.
 */
export interface RunReport {
  /** Version of this format. */
  readonly fieldwise: 1;
  /** The command. */
  readonly verb: 'deploy' | 'destroy';
  /** The name of the app; empty if only the program names it, and failed before the run. */
  readonly app: string;
  /** The name of the instance. */
  readonly instance: string;
  /** The names of the selected stacks; empty if the run ended before they were known. */
  readonly stacks: readonly string[];
  /** The URL of the API server; `embedded` for an embedded one in the same process; empty if the program or its rules failed before the run. */
  readonly server: string;
  /** The start of the run (RFC 3339). */
  readonly startedAt: string;
  /** The end of the run (RFC 3339). */
  readonly finishedAt: string;
  /** Each declared or removed object exactly once, in the order in which they were finished. */
  readonly objects: readonly ObjectReport[];
  /** The last event of the run: counts, errors and the exit code. */
  readonly summary: RunSummary;
}

/** Returns the report of a run that an error prevented, such as a failed program. */
export function preventedReport(
  machine: Machine,
  verb: RunReport['verb'],
  error: unknown,
  of: Pick<RunReport, 'app' | 'instance' | 'server'>,
): RunReport {
  const run = new Run(verb, () => {}, undefined);
  run.refuse(error);
  return new ReportCollector(machine).finish(run.finish(), of);
}

/** Collects a report from the events of a run, and passes the events on. */
export class ReportCollector {
  readonly #objects: ObjectReport[] = [];
  readonly #machine: Machine;
  readonly #startedAt: string;
  #started: RunStarted | undefined;

  constructor(machine: Machine) {
    this.#machine = machine;
    this.#startedAt = timeText(machine);
  }

  /** Returns the host for the run: it collects events and passes them to `host`. */
  readonly tee =
    (host: EventHost): EventHost =>
    (event: DeployEvent) => {
      if (event.event === 'started') this.#started = event;
      if (event.event === 'object') this.#objects.push(event);
      host(event);
    };

  /** Returns the report of a run that ended with this summary. */
  finish(summary: RunSummary, of: { readonly app: string; readonly instance: string; readonly server: string }): RunReport {
    return {
      fieldwise: 1,
      verb: summary.verb,
      app: of.app,
      instance: of.instance,
      stacks: this.#started?.stacks ?? [],
      server: of.server,
      startedAt: this.#startedAt,
      finishedAt: timeText(this.#machine),
      objects: this.#objects.map(withIntegersAsText),
      summary,
    };
  }
}
