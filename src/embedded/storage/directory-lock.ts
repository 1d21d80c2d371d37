import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FieldwiseError } from '../../util/error.js';
import { isProcessAlive } from '../../util/process-alive.js';

/**
 * Acquires the lock of a directory for this process. The lock of a process that has ended is replaced.
 *
 * @returns a function that releases the lock.
 * @throws FieldwiseError `cluster-data-locked`
 */
export function acquireDirectoryLock(directory: string): () => void {
  const lock = path.join(directory, 'lock');
  for (let attempt = 1; ; attempt++) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx', mode: 0o600 });
      return () => rmSync(lock, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const owner = ownerOf(lock);
    if (attempt === 5 || isProcessAlive(owner)) throw locked(directory, owner);
    discard(lock);
  }
}

function ownerOf(lock: string): number {
  try {
    return Number(readFileSync(lock, 'utf8'));
  } catch {
    return 0;
  }
}

/** Removes a stale lock, unless another process has replaced it meanwhile. */
function discard(lock: string): void {
  const aside = `${lock}.${process.pid}`;
  try {
    renameSync(lock, aside);
    if (isProcessAlive(ownerOf(aside))) linkSync(aside, lock);
  } catch {
    // Another process was faster; the next attempt finds its lock.
  } finally {
    rmSync(aside, { force: true });
  }
}

function locked(directory: string, owner: number): FieldwiseError {
  return new FieldwiseError('cluster-data-locked', 'usage', `Another process (${owner}) uses the data of this embedded API server`, {
    location: { file: directory },
    next: 'Wait for the process to end, or run `fieldwise cluster stop` if you started the server',
  });
}
