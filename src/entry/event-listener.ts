import type { RunReport } from '../deploy/index.js';
import { FieldwiseError } from '../util/error.js';

/** An error that `onEvent` threw during a run. The run was carried out nevertheless; `cause` is the thrown error. */
export class CallbackError extends FieldwiseError {
  /** By a member: the brand of `FieldwiseError` tells no class from another. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof FieldwiseError && value.code === 'callback-failed' && 'report' in value;
  }

  /** The report of the run, as the function returns it otherwise. */
  readonly report: RunReport;

  constructor(cause: unknown, report: RunReport) {
    const next = 'Correct the function; `cause` is the error, and `report` the report of the run, which is complete.';
    super('callback-failed', 'usage', callbackText(cause), { next, cause });
    this.report = report;
  }
}

/** Passes events to `onEvent`, and keeps the first error that it throws, so that it cannot change or end a run. */
export class EventListener<Event> {
  readonly #onEvent: ((event: Event) => void) | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(onEvent: ((event: Event) => void) | undefined) {
    this.#onEvent = onEvent;
  }

  readonly pass = (event: Event): void => {
    try {
      const returned: unknown = this.#onEvent?.(event);
      if (returned instanceof Promise) returned.catch(this.#note);
    } catch (error) {
      this.#note(error);
    }
  };

  readonly #note = (error: unknown): void => {
    this.#failure ??= { error };
  };

  /** @throws CallbackError if `onEvent` threw an error; without a report, a FieldwiseError of the same code. */
  requireNoError(report?: RunReport): void {
    if (this.#failure === undefined) return;
    const { error } = this.#failure;
    if (report) throw new CallbackError(error, report);
    throw new FieldwiseError('callback-failed', 'usage', callbackText(error), {
      next: 'Correct the function; `cause` is the error.',
      cause: error,
    });
  }
}

function callbackText(error: unknown): string {
  return `The function \`onEvent\` threw an error: ${error instanceof Error ? error.message : String(error)}`;
}
