/** Answers that took this many times as long as the quickest of late, and this long at all, mean that the server cannot keep up. */
const slower = 8;
const slow = 2_000; // milliseconds

/**
 * Bounds the requests in flight. Where the server says that it is overloaded, or its answers take ever longer, the bound is halved, once
 * for the requests that were in flight together; each bound's worth of good answers raises it by one again, up to the maximum.
 */
export class Flow {
  readonly #most: number;
  #bound: number;
  #inFlight = 0;
  #good = 0;
  /** Answers to requests that were sent before the last halving say nothing new. */
  #halvings = 0;
  #quickest = Number.POSITIVE_INFINITY;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#most = most;
    this.#bound = most;
  }

  get bound(): number {
    return this.#bound;
  }

  /** Waits for a place; the caller leaves it by the function that it gets. */
  async enter(): Promise<(end: { readonly overloaded: boolean; readonly milliseconds: number }) => void> {
    if (this.#inFlight >= this.#bound) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#inFlight += 1;
    const halvings = this.#halvings;
    return ({ overloaded, milliseconds }) => {
      this.#inFlight -= 1;
      if (halvings === this.#halvings) this.#learn(overloaded, milliseconds);
      while (this.#inFlight < this.#bound && this.#waiting.length > 0) {
        this.#inFlight += 1;
        this.#waiting.shift()?.();
      }
    };
  }

  #learn(overloaded: boolean, milliseconds: number): void {
    this.#quickest = Math.min(this.#quickest * 1.01, milliseconds); // what was quick long ago is forgotten
    if (overloaded || (milliseconds > slow && milliseconds > this.#quickest * slower)) {
      this.#bound = Math.max(1, Math.floor(this.#bound / 2));
      this.#halvings += 1;
      this.#good = 0;
    } else if (++this.#good >= this.#bound) {
      this.#bound = Math.min(this.#most, this.#bound + 1);
      this.#good = 0;
    }
  }
}
