import type { DeployEvent } from '../../deploy/index.js';
import { counted } from './values.js';

/** What a run is doing, in one line, told from its events. */
export class Progress {
  readonly #waiting = new Map<string, string>();
  #all = 0;
  #done = 0;

  /** @returns the line after this event; empty where nothing goes on. */
  after(event: DeployEvent): string {
    switch (event.event) {
      case 'started':
        this.#all = event.objects;
        break;
      case 'waiting':
        this.#waiting.set(event.object, stillMissing[event.for]);
        break;
      case 'readiness':
        this.#waiting.set(event.object, event.readiness.message);
        break;
      case 'object':
        this.#waiting.delete(event.object);
        this.#done += 1;
        break;
      case 'summary':
        return '';
    }
    if (this.#done === 0 && this.#waiting.size === 0) return '';
    const [first] = this.#waiting;
    const waiting = first ? `; waiting for ${counted(this.#waiting.size, 'object')}: ${first[0]}: ${first[1]}` : '';
    return `  ${this.#done} of ${Math.max(this.#all, this.#done)}${waiting}`;
  }
}

const stillMissing = { object: 'not there yet', established: 'not established yet', gone: 'not gone yet' } as const;
