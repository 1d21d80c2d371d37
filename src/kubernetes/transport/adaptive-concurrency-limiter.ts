/**
 * A response that takes this many times as long as the fastest recent one, and longer than `slowMs`, shows that the server is overloaded.
 */
const slowdownFactor = 8;
const slowMs = 2_000; // milliseconds

/**
 * Limits the requests in flight (AIMD). Halves the limit if the server reports overload or its responses become slow, once for all requests
 * that were in flight together. Raises the limit by one after as many good responses as the limit, up to the maximum.
 */
export class AdaptiveConcurrencyLimiter {
  readonly #maxLimit: number;
  #limit: number;
  #inFlight = 0;
  #successes = 0;
  /** The number of halvings: responses to requests that were sent before the last halving are ignored. */
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

  /** Waits until a request may start. Returns a function that the caller calls when the request has ended. */
  async acquire(): Promise<(end: { readonly overloaded: boolean; readonly milliseconds: number }) => void> {
    if (this.#inFlight >= this.#limit) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#inFlight += 1;
    const decreasesAtStart = this.#decreases;
    return ({ overloaded, milliseconds }) => {
      this.#inFlight -= 1;
      if (decreasesAtStart === this.#decreases) this.#adjust(overloaded, milliseconds);
      while (this.#inFlight < this.#limit && this.#waiting.length > 0) {
        this.#inFlight += 1;
        this.#waiting.shift()?.();
      }
    };
  }

  #adjust(overloaded: boolean, milliseconds: number): void {
    this.#fastestMs = Math.min(this.#fastestMs * 1.01, milliseconds); // Grows slowly, so that old measurements lose weight.
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
