import { FieldwiseError } from '../util/error.js';

/** The words of an error that lists several. */
export interface DiagnosticSubject {
  /** A subject and its verb, such as `The program has`. */
  readonly several: string;
  /** The result, as a clause. */
  readonly result: string;
}

const ofProgram: DiagnosticSubject = { several: 'The program has', result: 'no assembly was written' };

/** Collects the errors of a program, so that one synth reports all of them. */
export class DiagnosticCollector {
  readonly #errors: FieldwiseError[] = [];
  readonly #subject: DiagnosticSubject;

  constructor(subject: DiagnosticSubject = ofProgram) {
    this.#subject = subject;
  }

  /** The number of collected errors. */
  get size(): number {
    return this.#errors.length;
  }

  add(error: FieldwiseError): void {
    this.#errors.push(error);
  }

  /** Runs a step. Collects its FieldwiseError and returns undefined; throws any other error, which is a defect. */
  attempt<Result>(step: () => Result): Result | undefined {
    try {
      return step();
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && 'location' in error)) throw error;
      this.add(error as FieldwiseError);
      return undefined;
    }
  }

  /**
   * Throws the collected errors.
   *
   * @throws FieldwiseError a single error unchanged; several as one `synth-failed`, which lists all and has an AggregateError as its cause.
   */
  throwIfAny(): void {
    const [first, ...others] = this.#errors;
    if (!first) return;
    if (others.length === 0) throw first;
    const list = this.#errors.map((error, index) => `  ${index + 1}. ${error.describe()}`).join('\n');
    const { several, result } = this.#subject;
    throw new FieldwiseError('synth-failed', 'usage', `${several} ${this.#errors.length} errors; ${result}:\n${list}`, {
      cause: new AggregateError(this.#errors),
    });
  }
}
