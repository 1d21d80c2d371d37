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
  const startFile = path.join(directory, startFileName(process.pid, processStart(process.pid) ?? 'unknown'));
  for (let attempt = 1; ; attempt++) {
    const { pid, isAlive } = ownerOf(directory, lock);
    if (attempt > 5 || isAlive) throw locked(directory, pid);
    discard(directory, lock);
    writeFileSync(startFile, String(process.pid), { mode: 0o600 });
    if (create(lock, startFile)) break;
    rmSync(startFile, { force: true });
  }
  for (const name of startFiles(directory)) {
    const file = path.join(directory, name);
    if (file !== startFile) rmSync(file, { force: true });
  }
  return {
    confirm() {
      const { pid } = ownerOf(directory, lock);
      if (pid !== process.pid) throw locked(directory, pid);
    },
    release() {
      if (ownerOf(directory, lock).pid !== process.pid) return;
      rmSync(lock, { force: true });
      rmSync(startFile, { force: true });
    },
  };
}

/** Creates the lock with its content, as a second name of the start file. Returns false where another process has the lock. */
function create(lock: string, startFile: string): boolean {
  try {
    linkSync(startFile, lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
  }
  // A file system without second names.
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
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
  const isOwn = owner === process.pid;
  const who = isOwn ? 'Another server of this process' : `Another process (${owner})`;
  return new FieldwiseError('cluster-data-locked', 'usage', `${who} uses the data of this embedded API server`, {
    location: { file: directory },
    next: isOwn ? 'Stop that server first.' : 'Wait for the process to end, or run `fieldwise cluster stop` if you started the server.',
  });
}
