import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FieldwiseError } from '../../util/error.js';
import { isProcessAlive } from '../../util/process-alive.js';

/**
 * Takes the lock of a directory for this process. A lock whose process is gone is taken over.
 *
 * @returns what gives the lock back.
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

/** Removes a lock that was left behind, unless another process has put its own there meanwhile. */
function discard(lock: string): void {
  const aside = `${lock}.${process.pid}`;
  try {
    renameSync(lock, aside);
    if (isProcessAlive(ownerOf(aside))) linkSync(aside, lock);
  } catch {
    // Somebody else was faster; the next attempt sees who.
  } finally {
    rmSync(aside, { force: true });
  }
}

function locked(directory: string, owner: number): FieldwiseError {
  return new FieldwiseError('cluster-data-locked', 'usage', `Another process (${owner}) uses this embedded cluster`, {
    location: { file: directory },
    next: 'Wait for it to end, or run `fieldwise cluster stop` where it is a server that you started',
  });
}
