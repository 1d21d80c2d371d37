import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { isProcessAlive } from '../util/process-alive.js';

/** The age at which directories of another host are removed: whether their process still runs is not known. */
const foreignLifetimeMs = 24 * 60 * 60 * 1000;

/**
 * Creates a directory beside `target`, on the same file system, that only this process uses. First removes the directories of killed
 * processes.
 */
export function makePrivateDirectory(target: string): string {
  const parent = path.dirname(target);
  fs.mkdirSync(parent, { recursive: true });
  removeAbandoned(parent, prefixOf(target));
  const made = path.join(parent, `${prefixOf(target)}${host()}-${process.pid}-${randomBytes(4).toString('hex')}`);
  fs.mkdirSync(made, { mode: 0o700 });
  return made;
}

function prefixOf(target: string): string {
  return `.${path.basename(target)}.synth-`;
}

/** Returns a short name of this host: a process is identified by its host and its number. */
function host(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
}

function removeAbandoned(parent: string, prefix: string): void {
  for (const name of fs.readdirSync(parent)) {
    if (!name.startsWith(prefix)) continue;
    const [owner, pid] = name.slice(prefix.length).split('-');
    const directory = path.join(parent, name);
    try {
      if (owner === host() ? !isProcessAlive(Number(pid)) : isOld(directory)) fs.rmSync(directory, { recursive: true, force: true });
    } catch {
      // Another process has removed it, or it belongs to another user.
    }
  }
}

function isOld(directory: string): boolean {
  return Date.now() - fs.statSync(directory).mtimeMs > foreignLifetimeMs;
}
