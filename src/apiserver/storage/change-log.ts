import fs from 'node:fs';
import { dataUnwritable } from './data-unwritable.js';
import { writeAt } from './durable-file.js';
import { type Recovered, removeFilesBefore } from './recover.js';
import { createSegment, encodeGroup, type Segment } from './segment.js';
import { writeSnapshot } from './snapshot.js';
import type { Journal, Store, StoreContent, StoreEvent } from './store.js';

export interface ChangeLogOptions {
  /** Waits for the disk. Without it, changes survive the end of the process, but not that of the machine. */
  readonly fsync: boolean;
  /** The least size in bytes of a log that a snapshot replaces. */
  readonly compactionSize: number;
}

/** Changes that are written together, and wait for the disk. */
interface Group {
  readonly descriptor: number;
  readonly revision: number;
  readonly size: number;
  /** The objects at that version, if a snapshot of them replaces the log. */
  readonly content: StoreContent | undefined;
}

/**
 * The write-ahead log of a store. Changes that are made while the disk is busy are written together and wait for one fsync. A log that
 * is larger than the objects is replaced by a snapshot of them. A change that cannot be stored is undone.
 */
export class ChangeLog implements Journal {
  readonly #directory: string;
  readonly #options: ChangeLogOptions;
  readonly #store: Store;
  #segment: Segment;
  /** The size of the segment in bytes, as far as it is stored. */
  #size: number;
  /** The size of the log after the newest snapshot in bytes. */
  #logSize: number;
  #compactAt: number;
  #pending: StoreEvent[] = [];
  /** True while a group is to be written, or is written. */
  #isBusy = false;
  /** The size of the group that waits for the disk. */
  #syncing = 0;
  #isCompacting = false;
  #isClosed = false;
  /** Why no more is stored. */
  #refusal: Error | undefined;

  constructor(directory: string, { store, segment, snapshotSize, logSize }: Recovered, options: ChangeLogOptions) {
    this.#directory = directory;
    this.#options = options;
    this.#store = store;
    this.#segment = segment;
    this.#size = segment.size;
    this.#logSize = logSize;
    this.#compactAt = Math.max(options.compactionSize, snapshotSize);
    store.attach(this);
  }

  append(event: StoreEvent): void {
    this.#pending.push(event);
    if (this.#isBusy) return;
    this.#isBusy = true;
    // After the other requests that have arrived, which are stored with it.
    setImmediate(() => this.#storePending());
  }

  /** Stores what is not stored yet, and closes the log, before it returns. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { descriptor, salt } = this.#segment;
    try {
      if (this.#refusal === undefined && !this.#store.isCommitted) {
        if (this.#pending.length > 0) writeAt(descriptor, encodeGroup(salt, this.#pending), this.#size + this.#syncing);
        if (this.#options.fsync) fs.fdatasyncSync(descriptor);
        this.#store.commit(this.#store.revision);
        this.#pending = [];
      }
    } catch (error) {
      this.#undo(error, 'restart');
    }
    this.#refusal ??= dataUnwritable(this.#directory, new Error('the server is stopped'), 'restart');
    if (this.#syncing === 0) fs.closeSync(descriptor);
  }

  /** Stores what is pending; goes on when the disk has stored the group before. */
  #storePending(): void {
    let isSyncing = false;
    while (this.#pending.length > 0 && !isSyncing) isSyncing = this.#storeGroup();
    this.#isBusy = isSyncing;
  }

  /** Writes all pending changes as one group. Returns true if the group waits for the disk. */
  #storeGroup(): boolean {
    if (this.#refusal !== undefined) {
      this.#refuse(this.#refusal);
      return false;
    }
    const { descriptor, salt } = this.#segment;
    const isDue = !this.#isCompacting && this.#logSize > this.#compactAt;
    const content = isDue ? this.#store.content() : undefined;
    const revision = this.#store.revision;
    let size: number;
    try {
      const bytes = encodeGroup(salt, this.#pending);
      writeAt(descriptor, bytes, this.#size);
      size = bytes.length;
    } catch (error) {
      this.#undo(error, 'retry');
      return false;
    }
    this.#pending = [];
    const finish = (error: Error | null) => this.#finishGroup({ descriptor, revision, size, content }, error);
    if (!this.#options.fsync) {
      finish(null);
      return false;
    }
    this.#syncing = size;
    fs.fdatasync(descriptor, (error) => {
      finish(error);
      this.#storePending();
    });
    return true;
  }

  /** Without a pause, so that `close` finds the group either under way or stored. */
  #finishGroup({ descriptor, revision, size, content }: Group, error: Error | null): void {
    this.#syncing = 0;
    if (this.#isClosed) {
      fs.closeSync(descriptor);
    } else if (error) {
      // The system may have dropped what it could not write, so nothing can be trusted that is written after it.
      this.#undo(error, 'restart');
    } else {
      this.#size += size;
      this.#logSize += size;
      this.#store.commit(revision);
      if (content !== undefined) this.#compact(content);
    }
  }

  /**
   * Removes what was written of the changes that are not committed, and undoes them.
   *
   * @param next what helps: `retry` later, or `restart` of the server, which until then refuses changes.
   */
  #undo(cause: unknown, next: 'retry' | 'restart'): void {
    let error = dataUnwritable(this.#directory, cause, next);
    try {
      fs.ftruncateSync(this.#segment.descriptor, this.#size);
    } catch (failure) {
      error = dataUnwritable(this.#directory, failure, 'restart');
      this.#refusal ??= error;
    }
    if (next === 'restart') this.#refusal ??= error;
    this.#refuse(error);
  }

  #refuse(error: Error): void {
    this.#pending = [];
    this.#store.undo(error);
  }

  /** Goes on in a new segment, and replaces the ones before by a snapshot. */
  #compact(content: StoreContent): void {
    try {
      const segment = createSegment(this.#directory, content.revision, this.#options.fsync);
      fs.closeSync(this.#segment.descriptor);
      this.#segment = segment;
      this.#size = segment.size;
    } catch {
      // The log goes on in the same segment.
      this.#compactAt = this.#logSize * 2;
      return;
    }
    void this.#snapshot(content);
  }

  async #snapshot(content: StoreContent): Promise<void> {
    const replaced = this.#logSize;
    this.#isCompacting = true;
    try {
      const size = await writeSnapshot(this.#directory, content, this.#options.fsync, () => this.#isClosed);
      if (size === undefined) return;
      this.#logSize -= replaced;
      this.#compactAt = Math.max(this.#options.compactionSize, size);
      removeFilesBefore(this.#directory, content.revision);
    } catch {
      // The log has everything; the next attempt comes when it has grown.
      this.#compactAt = this.#logSize * 2;
    } finally {
      this.#isCompacting = false;
    }
  }
}
