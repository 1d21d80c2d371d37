import { wrongUse } from './wrong-use.js';

/** The clock of a test server: that of the system, or one that stands still between the calls of a test. */
export class TestClock {
  #milliseconds: number | undefined;

  /** @throws FieldwiseError `option-invalid`. */
  constructor(time: Date | string | undefined) {
    if (time !== undefined) this.set(time, 'The option `time`');
  }

  readonly now = (): Date => new Date(this.#milliseconds ?? Date.now());

  /** Undefined for the clock of the system. */
  get fixed(): Date | undefined {
    return this.#milliseconds === undefined ? undefined : this.now();
  }

  /** Sets the time; from then on the clock stands still. @throws FieldwiseError `option-invalid`. */
  set(time: Date | string, argument = 'The argument `time`'): void {
    const milliseconds = typeof time === 'string' || time instanceof Date ? new Date(time).getTime() : Number.NaN;
    if (Number.isNaN(milliseconds)) throw wrongUse(argument, time, "a Date, or a time such as '2030-01-01T00:00:00Z'");
    this.#milliseconds = milliseconds;
  }

  /** Moves the time; from then on the clock stands still. @throws FieldwiseError `option-invalid`. */
  advance(seconds: number): void {
    if (!Number.isFinite(seconds) || seconds < 0) throw wrongUse('The argument `seconds`', seconds, 'a number of seconds, at least 0');
    this.#milliseconds = this.now().getTime() + seconds * 1_000;
  }
}
