import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** A build that no other process does at the same time. */
export interface BuildLock {
  /** Names a process of the build, which may live longer than this one: a build that is killed leaves its compiler at work. */
  note(child: number): void;
  release(): void;
}

/** What a lock says: the processes of its build, and which lock it is. */
interface Holder {
  readonly pids: readonly number[];
  readonly id: string;
}

const pause = 200;
/** Taking the lock of ended processes away is a moment's work. */
const maxTakeMilliseconds = 10_000;

/** Waits until no other process builds `target`. @param onWait is called once, with the processes that build it */
export async function lockBuild(target: string, onWait: (pids: readonly number[], file: string) => void): Promise<BuildLock> {
  const file = `${target}.lock`;
  mkdirSync(dirname(file), { recursive: true });
  const id = randomUUID();
  for (let waits = 0; !create(file, { pids: [process.pid], id }); ) {
    const holder = read(file);
    if (holder === undefined) continue;
    if (!holder.pids.some(isRunning)) {
      takeAway(file, holder);
      continue;
    }
    if (waits === 0) onWait(holder.pids, file);
    waits += 1;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  return {
    note: (child) => write(file, { pids: [process.pid, child], id }, renameSync),
    release: () => rmSync(file, { force: true }),
  };
}

/** Creates a lock, whole or not at all. @returns false if there is one */
function create(file: string, holder: Holder): boolean {
  try {
    write(file, holder, linkSync);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function write(file: string, holder: Holder, put: (from: string, to: string) => void): void {
  const written = `${file}-${randomUUID()}`;
  writeFileSync(written, JSON.stringify(holder));
  try {
    put(written, file);
  } finally {
    rmSync(written, { force: true });
  }
}

/** Returns undefined if the lock has been released meanwhile. */
function read(file: string): Holder | undefined {
  try {
    const holder = JSON.parse(readFileSync(file, 'utf8')) as Holder | number;
    // An older version wrote its process alone.
    return typeof holder === 'number' ? { pids: [holder], id: String(holder) } : { pids: holder.pids ?? [], id: holder.id ?? '' };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    // A lock that an older version was about to write when it ended.
    if (error instanceof SyntaxError) return { pids: [], id: '' };
    throw error;
  }
}

/** Removes the lock of ended processes. One process at a time does it, and looks again whose lock it is: the next one's must stay. */
function takeAway(file: string, ended: Holder): void {
  const taking = `${file}.taking`;
  try {
    writeFileSync(taking, '', { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const since = statSync(taking, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - since > maxTakeMilliseconds) rmSync(taking, { force: true });
    return;
  }
  try {
    if (read(file)?.id === ended.id) rmSync(file, { force: true });
  } finally {
    rmSync(taking, { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
