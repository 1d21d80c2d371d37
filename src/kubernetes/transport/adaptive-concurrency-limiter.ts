/** Answers that took this many times as long as the quickest of late, and this long at all, mean that the server cannot keep up. */
const slowdownFactor = 8;
const slowMs = 2_000; // milliseconds

/**
 * Bounds the requests in flight. Where the server says that it is overloaded, or its answers take ever longer, the bound is halved, once
 * for the requests that were in flight together; each bound's worth of good answers raises it by one again, up to the maximum.
 */
export class AdaptiveConcurrencyLimiter {
  readonly #maxLimit: number;
  #limit: number;
  #inFlight = 0;
  #successes = 0;
  /** Answers to requests that were sent before the last halving say nothing new. */
  #decreases = 0;
  #fastestMs = Number.POSITIVE_INFINITY;
  readonly #waiting: (() => void)[] = [];

  constructor(maxLimit: number) {
    this.#maxLimit = maxLimit;
    this.#limit = maxLimit;
  }

  get limit(): number {
    return this.#limit;
  }

  /** Waits for a place; the caller leaves it by the function that it gets. */
  async acquire(): Promise<(end: { readonly overloaded: boolean; readonly milliseconds: number }) => void> {
    if (this.#inFlight >= this.#limit) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#inFlight += 1;
    const halvings = this.#decreases;
    return ({ overloaded, milliseconds }) => {
      this.#inFlight -= 1;
      if (halvings === this.#decreases) this.#adjust(overloaded, milliseconds);
      while (this.#inFlight < this.#limit && this.#waiting.length > 0) {
        this.#inFlight += 1;
        this.#waiting.shift()?.();
      }
    };
  }

  #adjust(overloaded: boolean, milliseconds: number): void {
    this.#fastestMs = Math.min(this.#fastestMs * 1.01, milliseconds); // what was quick long ago is forgotten
    if (overloaded || (milliseconds > slowMs && milliseconds > this.#fastestMs * slowdownFactor)) {
      this.#limit = Math.max(1, Math.floor(this.#limit / 2));
      this.#decreases += 1;
      this.#successes = 0;
    } else if (++this.#successes >= this.#limit) {
      this.#limit = Math.min(this.#maxLimit, this.#limit + 1);
      this.#successes = 0;
    }
  }
}
