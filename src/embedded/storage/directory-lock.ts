import { linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FieldwiseError } from '../../util/error.js';
import { isProcessAlive, processStart } from '../../util/process-alive.js';

export interface DirectoryLock {
  /** @throws FieldwiseError `cluster-data-locked` if another process has taken the lock. */
  confirm(): void;
  release(): void;
}

/** The process that has a lock. */
interface Owner {
  readonly pid: number;
  readonly isAlive: boolean;
}

/**
 * Acquires the lock of a directory for this process. The lock of a process that has ended is replaced, even if its id belongs to another
 * process now: beside the lock, with the id alone, is a file whose name also has the start of the process.
 *
 * @throws FieldwiseError `cluster-data-locked`
 */
export function acquireDirectoryLock(directory: string): DirectoryLock {
  const lock = path.join(directory, 'lock');
  const start = processStart(process.pid);
  const startFile = start === undefined ? undefined : path.join(directory, startFileName(process.pid, start));
  // Before the lock, so that no lock is without it.
  if (startFile !== undefined) writeFileSync(startFile, '', { mode: 0o600 });
  for (let attempt = 1; ; attempt++) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx', mode: 0o600 });
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const { pid, isAlive } = ownerOf(directory, lock);
    if (attempt === 5 || isAlive) {
      if (startFile !== undefined && pid !== process.pid) rmSync(startFile, { force: true });
      throw locked(directory, pid);
    }
    discard(directory, lock);
  }
  for (const name of startFiles(directory))
    if (path.join(directory, name) !== startFile) rmSync(path.join(directory, name), { force: true });
  return {
    confirm() {
      const { pid } = ownerOf(directory, lock);
      if (pid !== process.pid) throw locked(directory, pid);
    },
    release() {
      if (ownerOf(directory, lock).pid !== process.pid) return;
      rmSync(lock, { force: true });
      if (startFile !== undefined) rmSync(startFile, { force: true });
    },
  };
}

function startFileName(pid: number, start: string): string {
  return `lock-${pid}-${start}`;
}

function startFiles(directory: string): readonly string[] {
  return readdirSync(directory).filter((name) => name.startsWith('lock-'));
}

function ownerOf(directory: string, lock: string): Owner {
  let pid: number;
  try {
    pid = Number(readFileSync(lock, 'utf8'));
  } catch {
    return { pid: 0, isAlive: false };
  }
  const known = startFiles(directory).filter((name) => name.startsWith(startFileName(pid, '')));
  const isAlive =
    known.length === 0 ? isProcessAlive(pid) : known.some((name) => isProcessAlive(pid, name.slice(startFileName(pid, '').length)));
  return { pid, isAlive };
}

/** Removes a stale lock, unless another process has replaced it meanwhile. */
function discard(directory: string, lock: string): void {
  const aside = `${lock}.${process.pid}`;
  try {
    renameSync(lock, aside);
    if (ownerOf(directory, aside).isAlive) linkSync(aside, lock);
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
