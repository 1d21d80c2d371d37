import type { Step } from '../../graph/waves.js';
import type { ObjectsSeen } from '../../report/events.js';

/** Counts the objects that are sent because admission sees them, by kind and by what sees them. */
export class SentInFull {
  readonly #seen = new Map<string, { apiVersion: string; kind: string; seenBy: string; objects: number }>();

  add({ intent: { apiVersion, kind } }: Pick<Step, 'intent'>, seenBy: string): void {
    const key = `${apiVersion} ${kind} ${seenBy}`;
    const known = this.#seen.get(key) ?? { apiVersion, kind, seenBy, objects: 0 };
    known.objects += 1;
    this.#seen.set(key, known);
  }

  /** Returns the event that tells them, in an order that does not depend on that of the responses; undefined if there are none. */
  event(): ObjectsSeen | undefined {
    if (this.#seen.size === 0) return undefined;
    return { event: 'sent-in-full', seen: [...this.#seen.keys()].sort().map((key) => this.#seen.get(key) as SeenObjects) };
  }
}

type SeenObjects = ObjectsSeen['seen'][number];
