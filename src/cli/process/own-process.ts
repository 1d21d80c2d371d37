import type { FieldwiseError } from '../../util/error.js';

/** The process of the command line, which belongs to the command alone, and ends with it. */
export class OwnProcess {
  #failure: FieldwiseError | undefined;
  #isShown = false;
  #failed!: (error: FieldwiseError) => void;
  readonly #failing = new Promise<never>((_, reject) => {
    this.#failed = reject;
  });

  /** True if code of the user has run, which may leave something behind that keeps the process alive. */
  hasRunModule = false;

  /** @param interrupt ends the command between two requests. */
  constructor(readonly interrupt: AbortController) {
    this.#failing.catch(() => {}); // most commands do not wait for it
  }

  /**
   * Stops the command, which then fails with this error: a program that was over, or a module of rules, has declared something, called
   * `process.exit` or left an error unhandled.
   */
  failedLate(error: FieldwiseError): void {
    if (this.#failure) return;
    this.#failure = error;
    this.#failed(error);
    this.interrupt.abort(error);
  }

  /** The first such error. */
  get failure(): FieldwiseError | undefined {
    return this.#failure;
  }

  /** Notes that the summary of a run has told the failure. */
  failureIsShown(): void {
    this.#isShown = this.#failure !== undefined;
  }

  get isFailureShown(): boolean {
    return this.#isShown;
  }

  /** Returns what some work returns. The work only reads: it is given up where the program fails late. */
  orFailLate<Result>(reading: Promise<Result>): Promise<Result> {
    return Promise.race([reading, this.#failing]);
  }
}
