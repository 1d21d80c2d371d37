import { existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { FieldwiseError } from '../../util/error.js';
import { ChangeLog, type ChangeLogOptions } from './change-log.js';
import { dataUnwritable } from './data-unwritable.js';
import { acquireDirectoryLock, type DirectoryLock } from './directory-lock.js';
import { syncDirectory, syncFile } from './durable-file.js';
import { isMarkedChanged, markChanged, markLogged, migrate } from './migrate.js';
import { type Recovered, recover } from './recover.js';
import { Store } from './store.js';

/** The objects of a server on disk. */
export interface DataDirectory {
  /** The objects; their changes are stored in the directory. */
  readonly store: Store;
  /** Stores what is not stored yet and releases the lock, both before it returns. */
  close(): void;
}

const defaults: ChangeLogOptions = { fsync: true, compactionSize: 16 * 1024 * 1024 };

/**
 * Opens a directory for one writer.
 *
 * @throws FieldwiseError `cluster-data-locked` if another process has it open, `cluster-data-damaged` if it cannot be read,
 *   `cluster-data-unwritable` if it cannot be created or written.
 */
export async function openDataDirectory(directory: string, options: Partial<ChangeLogOptions> = {}): Promise<DataDirectory> {
  const settings = { ...defaults, ...options };
  const lock = lockDirectory(directory);
  try {
    await migrate(directory);
    const recovered = recover(directory, settings.fsync);
    lock.confirm();
    markLogged(directory);
    noteChanges(directory, recovered);
    const log = new ChangeLog(directory, recovered, settings);
    return {
      store: recovered.store,
      close() {
        log.close();
        noteChanges(directory, recovered);
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw isSystemError(error) ? dataUnwritable(directory, error, 'choose') : error;
  }
}

/** Marks a directory whose store has changes. A disk that takes no mark now takes it at the next end or start. */
function noteChanges(directory: string, { store, segment }: Recovered): void {
  if (store.revision === new Store().revision || isMarkedChanged(directory)) return;
  try {
    // A process may have ended before its changes were on the disk.
    syncFile(segment.file);
    markChanged(directory);
  } catch {
    // See above.
  }
}

/**
 * Creates a directory, and its parents where they are missing.
 *
 * @throws FieldwiseError `cluster-data-unwritable`.
 */
export function createDataDirectory(directory: string): void {
  try {
    makeDirectory(path.resolve(directory));
  } catch (error) {
    throw dataUnwritable(directory, error, 'choose');
  }
}

/** `mkdirSync` with `recursive` never returns where a file system reports ENOENT for a new directory, as /proc does. */
function makeDirectory(directory: string): void {
  const parent = path.dirname(directory);
  if (parent !== directory && !existsSync(parent)) makeDirectory(parent);
  try {
    mkdirSync(directory, { mode: 0o700 });
    syncDirectory(parent);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !statSync(directory).isDirectory()) throw error;
  }
}

function lockDirectory(directory: string): DirectoryLock {
  createDataDirectory(directory);
  try {
    return acquireDirectoryLock(directory);
  } catch (error) {
    throw isSystemError(error) ? dataUnwritable(directory, error, 'choose') : error;
  }
}

function isSystemError(error: unknown): boolean {
  return !(error instanceof FieldwiseError) && (error as NodeJS.ErrnoException).syscall !== undefined;
}
