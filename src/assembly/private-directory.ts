import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { isProcessAlive } from '../util/process-alive.js';

/** What a process of another host left: it is not known whether that still runs. */
const foreignLifetime = 24 * 60 * 60 * 1000;

/**
 * Makes a directory beside `target` that only this process uses, on the same file system. First removes those that killed processes
 * left there.
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

/** Processes are known by their host and number. */
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
      // Another process removes it, or it is another user's.
    }
  }
}

function isOld(directory: string): boolean {
  return Date.now() - fs.statSync(directory).mtimeMs > foreignLifetime;
}
