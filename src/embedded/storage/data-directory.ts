import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FieldwiseError } from '../../util/error.js';
import { acquireDirectoryLock } from './directory-lock.js';
import type { StoreContent } from './store.js';

/** The objects of a server on disk. */
export interface DataDirectory {
  /** The stored content; undefined in a new directory. */
  readonly content: StoreContent | undefined;
  /** Schedules a write of the content after a short delay, unless one is already scheduled. */
  scheduleWrite(content: () => StoreContent): void;
  /** Writes the content, if given, and releases the lock, both before it returns. */
  close(content: StoreContent | undefined): void;
}

const fileName = 'objects.json';
const writeDelayMs = 200;

/**
 * Opens a directory for one writer.
 *
 * @throws FieldwiseError `cluster-data-locked` if another process has it open, `cluster-data-damaged` if it cannot be read,
 *   `cluster-data-unwritable` if it cannot be created or written.
 */
export function openDataDirectory(directory: string): DataDirectory {
  const release = lockDirectory(directory);
  const file = path.join(directory, fileName);
  let content: StoreContent | undefined;
  try {
    content = readContent(file);
  } catch (error) {
    release();
    throw error;
  }
  let timer: NodeJS.Timeout | undefined;
  return {
    content,
    scheduleWrite(current) {
      timer ??= setTimeout(() => {
        timer = undefined;
        writeAtomically(file, current());
      }, writeDelayMs);
    },
    close(last) {
      clearTimeout(timer);
      try {
        if (last !== undefined) writeAtomically(file, last);
      } finally {
        release();
      }
    },
  };
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
    throw unwritable(directory, error);
  }
}

/** `mkdirSync` with `recursive` never returns where a file system reports ENOENT for a new directory, as /proc does. */
function makeDirectory(directory: string): void {
  const parent = path.dirname(directory);
  if (parent !== directory && !existsSync(parent)) makeDirectory(parent);
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function lockDirectory(directory: string): () => void {
  createDataDirectory(directory);
  try {
    return acquireDirectoryLock(directory);
  } catch (error) {
    if (error instanceof FieldwiseError) throw error;
    throw unwritable(directory, error);
  }
}

function unwritable(directory: string, cause: unknown): FieldwiseError {
  const { code } = cause as NodeJS.ErrnoException;
  const what = `The data directory of the embedded API server cannot be created or written (${code})`;
  return new FieldwiseError('cluster-data-unwritable', 'usage', what, {
    location: { file: directory },
    next: 'Choose a directory that you may write, with `data` (`--data`).',
    cause,
  });
}

function readContent(file: string): StoreContent | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const content = JSON.parse(text) as StoreContent & { version?: number };
    if (content.version === 1 && Array.isArray(content.objects)) return content;
  } catch {
    // Reported below, like content of another version.
  }
  throw new FieldwiseError('cluster-data-damaged', 'usage', 'The data of the embedded API server cannot be read', {
    location: { file },
    next: 'Remove the directory to start with an empty server',
  });
}

function writeAtomically(file: string, content: StoreContent): void {
  const next = `${file}.${process.pid}`;
  writeFileSync(next, `${JSON.stringify({ version: 1, ...content })}\n`, { mode: 0o600 });
  renameSync(next, file);
}
