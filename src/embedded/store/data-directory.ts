import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { FieldwiseError } from '../../util/error.js';
import type { StoreContent } from './store.js';

/** The objects of a cluster on disk. */
export interface Data {
  /** What was there; undefined in a new directory. */
  readonly content: StoreContent | undefined;
  /** Says that there is something to write; it is written soon. */
  changed(content: () => StoreContent): void;
  /** Writes what is given, and lets the next one in. */
  close(content: StoreContent | undefined): Promise<void>;
}

const fileName = 'objects.json';
const lockName = 'lock';
const delay = 200; // milliseconds

/**
 * Opens a directory for one writer.
 *
 * @throws FieldwiseError `cluster-data-locked` where another process has it open, `cluster-data-damaged` where it cannot be read.
 */
export async function openData(directory: string): Promise<Data> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const lock = path.join(directory, lockName);
  await acquire(directory, lock);
  let content: StoreContent | undefined;
  try {
    content = await readContent(path.join(directory, fileName));
  } catch (error) {
    await rm(lock, { force: true });
    throw error;
  }
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  const write = (content: StoreContent) => {
    writing = writing.then(() => writeAtomically(path.join(directory, fileName), `${JSON.stringify({ version: 1, ...content })}\n`));
    return writing;
  };
  return {
    content,
    changed(current) {
      timer ??= setTimeout(() => {
        timer = undefined;
        void write(current());
      }, delay);
      timer.unref();
    },
    async close(last) {
      clearTimeout(timer);
      try {
        if (last !== undefined) await write(last);
        else await writing;
      } finally {
        await rm(lock, { force: true });
      }
    },
  };
}

async function acquire(directory: string, lock: string): Promise<void> {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      const file = await open(lock, 'wx', 0o600);
      await file.writeFile(String(process.pid));
      await file.close();
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const owner = Number(await readFile(lock, 'utf8').catch(() => ''));
      if (attempt === 0 && !isAlive(owner)) await rm(lock, { force: true });
      else {
        throw new FieldwiseError('cluster-data-locked', 'usage', `Another process (${owner}) uses this embedded cluster`, {
          place: { file: directory },
          next: 'Wait for it to end; or, where it is `fieldwise cluster start`, use its kubeconfig or run `fieldwise cluster stop`',
        });
      }
    }
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function readContent(file: string): Promise<StoreContent | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const content = JSON.parse(text) as StoreContent & { version?: number };
    if (content.version === 1 && Array.isArray(content.objects)) return content;
  } catch {
    // said below
  }
  throw new FieldwiseError('cluster-data-damaged', 'usage', 'The data of the embedded cluster cannot be read', {
    place: { file },
    next: 'Remove its directory to begin anew',
  });
}

async function writeAtomically(file: string, text: string): Promise<void> {
  const next = `${file}.${process.pid}`;
  await writeFile(next, text, { mode: 0o600 });
  await rename(next, file);
}
