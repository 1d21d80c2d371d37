import { thisMachine } from '../util/machine.js';

const initialBackoffMs = 200; // milliseconds
const maxBackoffMs = 60_000;

/**
 * Runs the work for each key, one run at a time per key. A key that is added during its run is run once more afterwards, however often it
 * was added. A failed run is repeated after a pause that doubles each time.
 */
export class WorkQueue {
  readonly #work: (key: string) => Promise<void>;
  readonly #signal: AbortSignal;
  readonly #onError: (error: unknown, key: string) => void;
  readonly #due = new Set<string>();
  readonly #busy = new Map<string, Promise<void>>();

  constructor(work: (key: string) => Promise<void>, signal: AbortSignal, onError: (error: unknown, key: string) => void) {
    this.#work = work;
    this.#signal = signal;
    this.#onError = onError;
  }

  add(key: string): void {
    this.#due.add(key);
    if (!this.#busy.has(key))
      this.#busy.set(
        key,
        this.#serve(key).finally(() => this.#busy.delete(key)),
      );
  }

  /** Resolves when no run is in progress. */
  async settled(): Promise<void> {
    while (this.#busy.size > 0) await Promise.all(this.#busy.values());
  }

  async #serve(key: string): Promise<void> {
    let wait = initialBackoffMs;
    while (this.#due.delete(key) && !this.#signal.aborted) {
      try {
        await this.#work(key);
        wait = initialBackoffMs;
      } catch (error) {
        this.#onError(error, key);
        this.#due.add(key);
        await thisMachine.pause(wait, this.#signal).catch(() => undefined);
        wait = Math.min(wait * 2, maxBackoffMs);
      }
    }
  }
}
