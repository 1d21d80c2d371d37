import fs from 'node:fs';
import path from 'node:path';
import { FieldwiseError } from '../util/error.js';
import { directoryIdentity } from './directory-identity.js';
import { type ForeignContentFinder, foreignContentFinder } from './foreign-content.js';
import { makePrivateDirectory } from './private-directory.js';

/** An assembly that is being written: a directory that no other process sees before it is published. */
export interface Draft {
  /** Where the assembly is to be written; nothing is there yet. */
  readonly directory: string;
  /** Writes files there. @throws FieldwiseError `output-unwritable`. */
  write(files: ReadonlyMap<string, string>): void;
  /**
   * Swaps the assembly into its place: who reads there sees the old one or the new one, never a part. Of several processes the last
   * one wins.
   *
   * @throws FieldwiseError `output-not-an-assembly` where there is anything that no assembly put there, `output-unwritable`.
   */
  publish(): void;
  /** Removes what is left of the draft. Must be called in any case. */
  discard(): void;
}

/**
 * Begins an assembly that is to replace the one in `directory`. It lies beside it, so that it can be moved.
 *
 * @throws FieldwiseError `output-unwritable`.
 */
export function openDraft(directory: string): Draft {
  const { target, own } = explained(directory, () => {
    const resolved = targetOf(directory);
    return { target: resolved, own: makePrivateDirectory(resolved) };
  });
  const fresh = path.join(own, 'assembly');
  return {
    directory: fresh,
    write: (files) =>
      explained(directory, () => {
        fs.mkdirSync(fresh);
        for (const [name, content] of files) fs.writeFileSync(path.join(fresh, name), content);
      }),
    publish: () => explained(directory, () => swapIn(fresh, target, path.join(own, 'replaced'), directory)),
    discard: () => fs.rmSync(own, { recursive: true, force: true }),
  };
}

/** The directory itself where `directory` is a link to one, so that the link stays. */
function targetOf(directory: string): string {
  try {
    return fs.realpathSync(directory);
  } catch {
    const absolute = path.resolve(directory);
    const link = fs.lstatSync(absolute, { throwIfNoEntry: false })?.isSymbolicLink() ? fs.readlinkSync(absolute) : undefined;
    return link === undefined ? absolute : path.resolve(path.dirname(absolute), link);
  }
}

/** Each try fails only because another process has published meanwhile. */
const maxAttempts = 1000;

function swapIn(fresh: string, target: string, replaced: string, named: string): void {
  const foreignContent = foreignContentFinder();
  for (let tries = 1; ; tries++) {
    try {
      fs.renameSync(fresh, target); // onto nothing, or onto an empty directory
      return;
    } catch (error) {
      if (tries === maxAttempts || !wasOccupied(error, target)) throw error;
    }
    moveAway(target, replaced, named, foreignContent);
    try {
      fs.renameSync(fresh, target);
    } catch (error) {
      if (!wasOccupied(error, target)) {
        if (fs.existsSync(replaced)) fs.renameSync(replaced, target);
        throw error;
      }
      fs.rmSync(replaced, { recursive: true, force: true });
      continue;
    }
    return;
  }
}

/** Whether something stood in the way of a rename; another process may have moved it away by now. */
function wasOccupied(error: unknown, target: string): boolean {
  return ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '') || fs.existsSync(target);
}

/** Moves an assembly out of its place. What was moved is looked at again, because it may have come there in between. */
function moveAway(target: string, replaced: string, named: string, foreignContent: ForeignContentFinder): void {
  refuseForeign(target, named, foreignContent);
  try {
    fs.renameSync(target, replaced);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return; // another process moves it
    throw error;
  }
  const foreign = foreignContent(replaced);
  if (foreign === undefined) return;
  try {
    fs.renameSync(replaced, target);
  } catch {
    fs.renameSync(replaced, `${target}-${process.pid}`); // yet another assembly came there; nothing foreign is removed
  }
  throw notAnAssembly(foreign, named);
}

function refuseForeign(target: string, named: string, foreignContent: ForeignContentFinder): void {
  for (;;) {
    const before = directoryIdentity(target);
    const foreign = before === undefined ? undefined : foreignContent(target);
    if (foreign === undefined) return;
    // The names of one assembly and the manifest of the next do not fit.
    if (directoryIdentity(target) === before) throw notAnAssembly(foreign, named);
  }
}

function notAnAssembly(foreign: string, named: string): FieldwiseError {
  return new FieldwiseError('output-not-an-assembly', 'usage', `The output would replace what Fieldwise did not write: ${foreign}`, {
    location: { file: named },
    next: 'Remove it, or choose another directory with `--output`.',
  });
}

function explained<Result>(directory: string, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof FieldwiseError) throw cause;
    const { code, message } = cause as NodeJS.ErrnoException;
    const isMount = code === 'EBUSY' || code === 'EXDEV';
    throw new FieldwiseError('output-unwritable', 'usage', `The assembly cannot be written: ${message}`, {
      location: { file: directory },
      next: isMount
        ? 'An assembly replaces its whole directory, and a mount point cannot be replaced: choose a directory inside of it with `--output`.'
        : 'Choose another directory with `--output`.',
      cause,
    });
  }
}
