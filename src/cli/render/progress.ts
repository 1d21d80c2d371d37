import type { DeployEvent } from '../../deploy/index.js';
import { pluralize } from '../../util/pluralize.js';
import { onOneLine } from './printable.js';

/** The progress of a run as one line, computed from its events. */
export class Progress {
  readonly #waiting = new Map<string, Wait>();
  #all = 0;
  #done = 0;

  /** True if the line changes with time alone. */
  get counts(): boolean {
    return [...this.#waiting.values()].some(({ until }) => until !== undefined);
  }

  /**
   * @param now milliseconds since 1970.
   * @returns the line after this event; empty if there is no progress to show.
   */
  update(event: DeployEvent, now: number): string {
    switch (event.event) {
      case 'started':
        this.#all = event.objects;
        break;
      case 'waiting':
        this.#waiting.set(event.object, { what: pendingText[event.for], until: now + event.timeoutSeconds * 1_000 });
        break;
      case 'readiness':
        this.#waiting.set(event.object, { what: event.readiness.message });
        break;
      case 'object':
        this.#waiting.delete(event.object);
        this.#done += 1;
        break;
      case 'summary':
        this.#waiting.clear();
        return '';
    }
    return this.lineAt(now);
  }

  /**
   * Returns the line at a moment.
   *
   * @param now milliseconds since 1970.
   */
  lineAt(now: number): string {
    if (this.#done === 0 && this.#waiting.size === 0) return '';
    const [first] = this.#waiting;
    const waiting = first ? `; waiting for ${pluralize(this.#waiting.size, 'object')}: ${first[0]}: ${waitText(first[1], now)}` : '';
    return onOneLine(`  ${this.#done} of ${Math.max(this.#all, this.#done)}${waiting}`);
  }
}

interface Wait {
  readonly what: string;
  /** The end of the wait in milliseconds since 1970, if it is known. */
  readonly until?: number;
}

function waitText({ what, until }: Wait, now: number): string {
  return until === undefined ? what : `${what}, ${Math.max(0, Math.ceil((until - now) / 1_000))} s left`;
}

const pendingText = {
  create: 'does not exist yet',
  established: 'not established yet',
  delete: 'not deleted yet',
  'late-write': 'may still be written by a run that was cut off',
} as const;
