import { type Machine, machineOf } from '../../src/util/machine.js';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** A machine whose time passes only where a test lets it, and whose random numbers are those of a seed. */
export class VirtualMachine {
  readonly machine: Machine;
  readonly #timers = new Set<Timer>();
  #now = 0;
  #state: number;

  constructor(seed = 1, start = Date.parse('2026-11-28T00:00:00Z')) {
    this.#state = seed;
    const after = (milliseconds: number, callback: () => void) => this.#after(milliseconds, callback);
    this.machine = machineOf({
      monotonic: () => this.#now,
      wall: () => start + this.#now,
      after,
      soon: (callback) => after(0, callback),
      random: () => this.#random(),
      randomBytes: (length) => Buffer.from(Array.from({ length }, () => Math.floor(this.#random() * 256))),
      processName: () => ({ user: 'somebody', host: 'somewhere', pid: 1 }),
    });
  }

  /** The milliseconds that have passed. */
  get now(): number {
    return this.#now;
  }

  /** The number of timers that are set. */
  get timers(): number {
    return this.#timers.size;
  }

  /** Lets time pass, from timer to timer, until some work has ended. */
  async run<Result>(work: Promise<Result>): Promise<Result> {
    let hasEnded = false;
    const end = () => {
      hasEnded = true;
    };
    work.then(end, end);
    while (!hasEnded) {
      await new Promise((resolve) => setImmediate(resolve)); // all that needs no time happens before
      if (!hasEnded) this.next();
    }
    return work;
  }

  /** Calls back the next timer. */
  next(): void {
    const [first] = [...this.#timers].sort((left, right) => left.at - right.at);
    if (first === undefined) return;
    this.#timers.delete(first);
    this.#now = Math.max(this.#now, first.at);
    first.callback();
  }

  #after(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, milliseconds), callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** A linear congruential generator with the factors of "Numerical Recipes". */
  #random(): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#state / 2 ** 32;
  }
}
