import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
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
 * @throws FieldwiseError `cluster-data-locked` if another process has it open, `cluster-data-damaged` if it cannot be read.
 */
export function openDataDirectory(directory: string): DataDirectory {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const release = acquireDirectoryLock(directory);
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
