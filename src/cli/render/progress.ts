import type { DeployEvent } from '../../deploy/index.js';
import { pluralize } from '../../util/pluralize.js';
import { onOneLine } from './printable.js';

/** What a run is doing, in one line, told from its events. */
export class Progress {
  readonly #waiting = new Map<string, Wait>();
  #all = 0;
  #done = 0;

  /** Whether the line changes by time alone. */
  get counts(): boolean {
    return [...this.#waiting.values()].some(({ until }) => until !== undefined);
  }

  /**
   * @param now milliseconds since 1970.
   * @returns the line after this event; empty where nothing goes on.
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

  /** @returns the line at this moment. */
  lineAt(now: number): string {
    if (this.#done === 0 && this.#waiting.size === 0) return '';
    const [first] = this.#waiting;
    const waiting = first ? `; waiting for ${pluralize(this.#waiting.size, 'object')}: ${first[0]}: ${waitText(first[1], now)}` : '';
    return onOneLine(`  ${this.#done} of ${Math.max(this.#all, this.#done)}${waiting}`);
  }
}

interface Wait {
  readonly what: string;
  /** When the run gives up, in milliseconds since 1970, where it is known. */
  readonly until?: number;
}

function waitText({ what, until }: Wait, now: number): string {
  return until === undefined ? what : `${what}, ${Math.max(0, Math.ceil((until - now) / 1_000))} s left`;
}

const pendingText = { create: 'does not exist yet', established: 'not established yet', delete: 'not deleted yet' } as const;
