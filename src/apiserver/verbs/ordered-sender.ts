import type { Json } from '../../util/json.js';
import { StatusError } from '../api/status-error.js';
import { withConversions } from '../conversion/conversions.js';
import type { Backend } from '../registry/backend.js';

/** How long a watch waits before it asks a webhook again that could not convert an object. */
const retryMs = 1_000;

/**
 * Sends the events of a watch in their order. Those of an object that a webhook converts wait for it: a watch goes on once the webhook
 * succeeds. Source: observed.
 */
export class OrderedSender {
  readonly #backend: Backend;
  readonly #send: (event: Json) => void;
  readonly #end: () => void;
  readonly #waiting: (() => readonly Json[])[] = [];
  #isStopped = false;

  constructor(backend: Backend, send: (event: Json) => void, end: () => void) {
    this.#backend = backend;
    this.#send = send;
    this.#end = end;
  }

  /** Sends the events that a computation returns, at once if it needs no webhook and no others wait. */
  send(compute: () => readonly Json[]): void {
    if (!this.#isStopped && this.#waiting.push(compute) === 1) this.#sendNext();
  }

  stop(): void {
    this.#isStopped = true;
    this.#waiting.length = 0;
  }

  #sendNext(): void {
    for (let compute = this.#waiting[0]; compute !== undefined; compute = this.#waiting[0]) {
      const events = this.#computed(compute);
      if (events instanceof Promise) {
        void this.#sendLater(events, compute);
        return;
      }
      this.#sendAll(events);
    }
  }

  async #sendLater(first: Promise<readonly Json[]>, compute: () => readonly Json[]): Promise<void> {
    let events = await this.#readable(first);
    while (events === undefined && !this.#isStopped) {
      await this.#backend.machine.pause(retryMs);
      if (!this.#isStopped) events = await this.#readable(this.#computed(compute));
    }
    if (events === undefined || this.#isStopped) return;
    this.#sendAll(events);
    this.#sendNext();
  }

  #computed(compute: () => readonly Json[]): readonly Json[] | Promise<readonly Json[]> {
    return withConversions(this.#backend, { warnings: [] }, compute);
  }

  /** Returns the events; undefined if a webhook fails. */
  async #readable(events: readonly Json[] | Promise<readonly Json[]>): Promise<readonly Json[] | undefined> {
    try {
      return await events;
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      if (!this.#backend.webhooks) this.#fail(error);
      return undefined;
    }
  }

  #sendAll(events: readonly Json[]): void {
    events.forEach(this.#send);
    this.#waiting.shift();
  }

  #fail({ status }: StatusError): void {
    this.stop();
    this.#send({ type: 'ERROR', object: status });
    this.#end();
  }
}
