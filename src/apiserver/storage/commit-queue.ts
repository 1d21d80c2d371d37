import type { StoreEvent } from './store-event.js';

/** Follows the committed changes of a store. */
export interface Follower {
  /** Called once: the state at the time of the call of `follow` is committed. Later changes follow. */
  ready(): void;
  /** A change is committed. */
  changed(event: StoreEvent): void;
  /** Called instead of `ready`: the state is undone. */
  undone(): void;
}

/** Waits for the commit of all changes before it. */
interface Waiting {
  done(): void;
  failed(error: Error): void;
}

/** The changes that are not committed, and those who wait for them, in the order of the changes. */
export class CommitQueue {
  #entries: (StoreEvent | Waiting)[] = [];
  readonly #followers = new Set<Follower>();

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  push(event: StoreEvent, isCommitted: boolean): void {
    if (isCommitted) this.#publish(event);
    else this.#entries.push(event);
  }

  follow(follower: Follower): () => void {
    let stopped = false;
    this.#wait({
      done: () => {
        if (stopped) return;
        this.#followers.add(follower);
        follower.ready();
      },
      failed: () => {
        if (!stopped) follower.undone();
      },
    });
    return () => {
      stopped = true;
      this.#followers.delete(follower);
    };
  }

  committed(): Promise<void> {
    return new Promise((done, failed) => this.#wait({ done, failed }));
  }

  commit(revision: number): void {
    const next = this.#entries.findIndex((entry) => 'revision' in entry && entry.revision > revision);
    for (const entry of this.#entries.splice(0, next < 0 ? this.#entries.length : next)) {
      if ('revision' in entry) this.#publish(entry);
      else entry.done();
    }
  }

  /** Empties the queue; `fail` tells those who wait. */
  takeAll(): { readonly events: readonly StoreEvent[]; fail(error: Error): void } {
    const entries = this.#entries.splice(0);
    return {
      events: entries.filter((entry) => 'revision' in entry),
      fail(error) {
        for (const entry of entries) if (!('revision' in entry)) entry.failed(error);
      },
    };
  }

  #wait(waiting: Waiting): void {
    if (this.isEmpty) waiting.done();
    else this.#entries.push(waiting);
  }

  #publish(event: StoreEvent): void {
    for (const follower of [...this.#followers]) follower.changed(event);
  }
}
