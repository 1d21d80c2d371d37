import type { DeployEvent, EventHost, ObjectReport, RunStarted, RunSummary } from '../../engine/report/events.js';
import { withIntegersAsText } from '../../util/integers-as-text.js';

/**
 * What became of a deploy or destroy: what it returns, and what `--report` writes. Values of Secrets are masked; everything else that
 * was taken from others stands there with its old value, so that it can be undone.
 */
export interface RunReport {
  /** Version of this format. */
  readonly fieldwise: 1;
  readonly verb: 'deploy' | 'destroy';
  readonly app: string;
  readonly instance: string;
  readonly stacks: readonly string[];
  readonly server: string;
  /** RFC 3339. */
  readonly startedAt: string;
  readonly finishedAt: string;
  /** Each object that was declared or went, exactly once, in the order in which they ended. */
  readonly objects: readonly ObjectReport[];
  readonly summary: RunSummary;
}

/** Gathers a report from the events of a run, and hands them on. */
export class ReportCollector {
  readonly #objects: ObjectReport[] = [];
  readonly #startedAt = new Date().toISOString();
  #started: RunStarted | undefined;

  /** The host to give to the run. */
  readonly tee =
    (host: EventHost): EventHost =>
    (event: DeployEvent) => {
      if (event.event === 'started') this.#started = event;
      if (event.event === 'object') this.#objects.push(event);
      host(event);
    };

  /** The report of a run that ended with this summary. */
  finish(summary: RunSummary, of: { readonly app: string; readonly instance: string; readonly server: string }): RunReport {
    return {
      fieldwise: 1,
      verb: summary.verb,
      app: of.app,
      instance: of.instance,
      stacks: this.#started?.stacks ?? [],
      server: of.server,
      startedAt: this.#startedAt,
      finishedAt: new Date().toISOString(),
      objects: this.#objects.map(withIntegersAsText),
      summary,
    };
  }
}
