import type { Machine } from '../../../util/machine.js';

/** The longest time until a key is looked at again, in milliseconds: the time of a server may be set, so that no wait can be computed. */
const longestWait = 1_000;
/** The first and the longest pause after a failure, in milliseconds. */
const [firstPause, longestPause] = [5, 1_000];

/** A queue of keys, each handled alone: a key that is added again while it waits is handled once. */
export class KeyQueue {
  readonly #machine: Machine;
  readonly #handle: (key: string) => Promise<void>;
  readonly #waiting = new Set<string>();
  readonly #timers = new Map<string, () => void>();
  readonly #failures = new Map<string, number>();
  #running = false;
  #stopped = false;

  constructor(machine: Machine, handle: (key: string) => Promise<void>) {
    this.#machine = machine;
    this.#handle = handle;
  }

  add(key: string): void {
    if (this.#stopped) return;
    this.#waiting.add(key);
    if (this.#running) return;
    this.#running = true;
    this.#machine.soon(() => void this.#run());
  }

  /** Adds a key after some milliseconds, or earlier. An earlier time replaces a later one. */
  addAfter(key: string, milliseconds: number): void {
    if (this.#stopped || this.#timers.has(key)) return;
    const wait = Math.min(Math.max(milliseconds, 1), longestWait);
    const again = () => {
      this.#timers.delete(key);
      this.add(key);
    };
    // A process that only waits for a simulated controller may end.
    this.#timers.set(key, this.#machine.after(wait, again, { unref: true }));
  }

  stop(): void {
    this.#stopped = true;
    this.#waiting.clear();
    for (const cancel of this.#timers.values()) cancel();
  }

  async #run(): Promise<void> {
    for (;;) {
      const [key] = this.#waiting;
      if (key === undefined) break;
      this.#waiting.delete(key);
      try {
        await this.#handle(key);
        this.#failures.delete(key);
      } catch {
        const failures = (this.#failures.get(key) ?? 0) + 1;
        this.#failures.set(key, failures);
        this.addAfter(key, Math.min(firstPause * 2 ** failures, longestPause));
      }
    }
    this.#running = false;
  }
}
