import { setTimeout } from 'node:timers/promises';

/** Something that is going to happen. */
export interface Event {
  /** The time at which it happens, in milliseconds since the beginning. */
  at: number;
  /** Events of one time happen in this order, unless a chooser says otherwise. */
  readonly order: number;
  /** What happens; for the chooser. */
  readonly label: Label;
  readonly happen: () => void;
}

/** What an event is about, for those who choose among events of one time. */
export interface Label {
  /** The name of the computer on which it happens, or whose request arrives. */
  readonly of: string;
  /** The object that a request reads or writes; absent for a timer, and for an answer. */
  readonly object?: string;
  readonly isWrite?: boolean;
}

/** Chooses which of several events of one time happens first. @returns its index. */
export type Chooser = (events: readonly Event[]) => number;

const inOrder: Chooser = () => 0;

/** The first run works until it waits. */
export const firstRunFirst: Chooser = (events) =>
  Math.max(
    0,
    events.findIndex(({ label }) => label.of === 'run 0'),
  );

/**
 * The one scheduler of a history: nothing happens at any computer, on the network or at the server but by an event of it. Between two events, all
 * work that needs no time is done.
 */
export class World {
  readonly #choose: Chooser;
  #events: Event[] = [];
  #count = 0;
  #now = 0;
  /** Work that waits for another process or thread, which has no time of its own. */
  readonly #elsewhere = new Set<Promise<unknown>>();

  /** The time at which it begins. */
  readonly beginning: number;
  /** Nothing happens earlier than it would by this clock. */
  readonly #pace: (() => number) | undefined;
  /** The most milliseconds that something has happened too late by that clock. */
  lag = 0;

  /** @param pace the milliseconds since the beginning, where a part of the world has a clock of its own. */
  constructor({
    choose = inOrder,
    beginning = Date.parse('2026-01-01T00:00:00Z'),
    pace,
  }: { readonly choose?: Chooser; readonly beginning?: number; readonly pace?: () => number } = {}) {
    this.#choose = choose;
    this.beginning = beginning;
    this.#pace = pace;
  }

  /** The milliseconds since the beginning. */
  get now(): number {
    return this.#now;
  }

  /** Lets something happen after a time. */
  schedule(milliseconds: number, label: Label, happen: () => void): Event {
    const event = { at: this.#now + Math.max(0, milliseconds), order: this.#count++, label, happen };
    this.#insert(event);
    return event;
  }

  cancel(event: Event): void {
    const index = this.#events.indexOf(event);
    if (index >= 0) this.#events.splice(index, 1);
  }

  /** Puts an event off. */
  delay(event: Event, milliseconds: number): void {
    this.cancel(event);
    event.at += milliseconds;
    this.#insert(event);
  }

  /** Lets nothing happen until some work is done that may wait for another process. */
  hold(work: Promise<unknown>): void {
    const held: Promise<unknown> = work.finally(() => this.#elsewhere.delete(held));
    this.#elsewhere.add(held);
  }

  /**
   * Lets events happen until a condition holds.
   *
   * @param latest the time at which it gives up.
   * @returns false if the condition does not hold then, or when nothing can happen any more.
   */
  async run(isDone: () => boolean, latest: number): Promise<boolean> {
    for (;;) {
      await settled();
      while (this.#elsewhere.size > 0) {
        await Promise.all(this.#elsewhere);
        await settled();
      }
      if (isDone()) return true;
      const first = this.#events[0];
      if (first === undefined || first.at > latest) {
        if (first === undefined) return false;
        this.#now = Math.max(this.#now, latest);
        return false;
      }
      const same = this.#events.filter(({ at }) => at === first.at);
      const chosen = same.length === 1 ? first : (same[this.#choose(same)] as Event);
      this.cancel(chosen);
      await this.#keepPace(chosen.at);
      this.#now = Math.max(this.#now, chosen.at);
      chosen.happen();
    }
  }

  async #keepPace(at: number): Promise<void> {
    if (this.#pace === undefined) return;
    const early = at - this.#pace();
    if (early > 0) await setTimeout(early);
    this.lag = Math.max(this.lag, -early);
  }

  #insert(event: Event): void {
    let index = this.#events.length;
    while (index > 0 && isBefore(event, this.#events[index - 1] as Event)) index--;
    this.#events.splice(index, 0, event);
  }
}

function isBefore(one: Event, other: Event): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

/** Resolves when all work is done that waits for nothing but other work. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
