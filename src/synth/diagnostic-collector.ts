import { FieldwiseError } from '../util/error.js';

/** Gathers what is wrong with a program, so that one synth reports all of it. */
export class DiagnosticCollector {
  readonly #errors: FieldwiseError[] = [];

  add(error: FieldwiseError): void {
    this.#errors.push(error);
  }

  /** Runs a step; its FieldwiseError is kept and undefined returned, any other error is a fault and passes through. */
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
   * @throws the only error as it is; several as one `synth-failed` that tells each and has them, as an AggregateError, for its cause.
   */
  throwIfAny(): void {
    const [first, ...others] = this.#errors;
    if (!first) return;
    if (others.length === 0) throw first;
    const list = this.#errors.map((error, index) => `  ${index + 1}. ${error.describe()}`).join('\n');
    throw new FieldwiseError(
      'synth-failed',
      'usage',
      `The program has ${this.#errors.length} mistakes; no assembly was written:\n${list}`,
      {
        cause: new AggregateError(this.#errors),
      },
    );
  }
}
