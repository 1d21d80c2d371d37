import fs from 'node:fs';
import path from 'node:path';
import { FieldwiseError } from '../util/error.js';
import { directoryIdentity } from './directory-identity.js';
import { assembliesIn, type ForeignContentFinder, foreignContentFinder } from './foreign-content.js';
import { makePrivateDirectory } from './private-directory.js';

/** An unpublished assembly, in a private directory. */
export interface Draft {
  /** The directory for the assembly, which does not exist yet. */
  readonly directory: string;
  /**
   * Creates the directory and writes files to it.
   *
   * @throws FieldwiseError `output-unwritable`.
   */
  write(files: ReadonlyMap<string, string>): void;
  /**
   * Moves the assembly to its target directory: a reader sees the old assembly or the new one, never a part. If several processes publish,
   * the last one wins. Subdirectories of the target that are assemblies stay there.
   *
   * @throws FieldwiseError `output-not-an-assembly` if the target directory contains files that are not part of an assembly;
   *   `output-unwritable`.
   */
  publish(): void;
  /** Removes the remaining files of the draft; must always be called. */
  discard(): void;
}

/**
 * Opens a draft that replaces the assembly in `directory`. It is created beside `directory`, on the same file system, so that it can be
 * renamed.
 *
 * @param findForeign finds what is not part of the output in the directory, and makes it refuse; absent: what is not part of an assembly.
 * @throws FieldwiseError `output-unwritable`.
 */
export function openDraft(directory: string, findForeign: () => ForeignContentFinder = foreignContentFinder): Draft {
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
        for (const [name, content] of files) {
          const file = path.join(fresh, name);
          if (name.includes('/')) fs.mkdirSync(path.dirname(file), { recursive: true });
          fs.writeFileSync(file, content);
        }
      }),
    publish: () =>
      explained(directory, () =>
        publish({ fresh, target, replaced: path.join(own, 'replaced'), named: directory, foreignContent: findForeign() }),
      ),
    discard: () => fs.rmSync(own, { recursive: true, force: true }),
  };
}

/** Returns the target of `directory` if it is a symbolic link, so that the link is kept. */
function targetOf(directory: string): string {
  try {
    return fs.realpathSync(directory);
  } catch {
    const absolute = path.resolve(directory);
    const link = fs.lstatSync(absolute, { throwIfNoEntry: false })?.isSymbolicLink() ? fs.readlinkSync(absolute) : undefined;
    return link === undefined ? absolute : path.resolve(path.dirname(absolute), link);
  }
}

interface Publication {
  readonly fresh: string;
  readonly target: string;
  readonly replaced: string;
  /** The target as the user named it. */
  readonly named: string;
  readonly foreignContent: ForeignContentFinder;
}

/** After a failure, the target is as it was. */
function publish(publication: Publication): void {
  const { fresh, target, replaced } = publication;
  try {
    swapIn(publication);
  } catch (error) {
    if (fs.existsSync(replaced) && !fs.existsSync(target)) fs.renameSync(replaced, target);
    for (const place of [replaced, fresh]) moveAssemblies(place, target, false);
    throw error;
  }
}

/** Moves the assemblies inside a directory into another one. One of the same name there is replaced, or is a later one of another process and stays. */
function moveAssemblies(from: string, to: string, isReplaced: boolean): void {
  for (const name of assembliesIn(from)) {
    const place = path.join(to, name);
    const existing = fs.lstatSync(place, { throwIfNoEntry: false });
    if (existing && !isReplaced) continue;
    if (existing?.isDirectory()) fs.rmSync(place, { recursive: true });
    fs.mkdirSync(to, { recursive: true });
    fs.renameSync(path.join(from, name), place);
  }
}

/** The limit of attempts; an attempt fails only if another process publishes at the same time. */
const maxAttempts = 1000;

function swapIn({ fresh, target, replaced, named, foreignContent }: Publication): void {
  for (let tries = 1; ; tries++) {
    try {
      fs.renameSync(fresh, target); // succeeds if the target is absent or an empty directory
      return;
    } catch (error) {
      if (tries === maxAttempts || !wasOccupied(error, target)) throw error;
    }
    moveAway(target, replaced, named, foreignContent);
    moveAssemblies(replaced, fresh, true);
    try {
      fs.renameSync(fresh, target);
    } catch (error) {
      if (!wasOccupied(error, target)) throw error;
      fs.rmSync(replaced, { recursive: true, force: true });
      continue;
    }
    return;
  }
}

/** Returns true if a rename failed because the target exists; another process may have moved it away since. */
function wasOccupied(error: unknown, target: string): boolean {
  return ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '') || fs.existsSync(target);
}

/** Moves the assembly of the target away, and checks it again afterwards, because another process may have replaced it after the first check. */
function moveAway(target: string, replaced: string, named: string, foreignContent: ForeignContentFinder): void {
  refuseForeign(target, named, foreignContent);
  try {
    fs.renameSync(target, replaced);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return; // another process has moved it
    throw error;
  }
  const foreign = foreignContent(replaced);
  if (foreign === undefined) return;
  try {
    fs.renameSync(replaced, target);
  } catch {
    fs.renameSync(replaced, `${target}-${process.pid}`); // a third process has published; foreign files are never deleted
  }
  throw notAnAssembly(foreign, named);
}

function refuseForeign(target: string, named: string, foreignContent: ForeignContentFinder): void {
  for (;;) {
    const before = directoryIdentity(target);
    const foreign = before === undefined ? undefined : foreignContent(target);
    if (foreign === undefined) return;
    // If the directory was replaced in between, the file names are of one assembly and the manifest of the next: check again.
    if (directoryIdentity(target) === before) throw notAnAssembly(foreign, named);
  }
}

function notAnAssembly(foreign: string, named: string): FieldwiseError {
  return new FieldwiseError(
    'output-not-an-assembly',
    'usage',
    `The output would overwrite files that Fieldwise did not write: ${foreign}`,
    {
      location: { file: named },
      next: 'Remove them, or choose another directory with `--outdir`.',
    },
  );
}

function explained<Result>(directory: string, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof FieldwiseError) throw cause;
    const { code, message } = cause as NodeJS.ErrnoException;
    const isMount = code === 'EBUSY' || code === 'EXDEV';
    throw new FieldwiseError('output-unwritable', 'usage', `The output cannot be written: ${message}`, {
      location: { file: directory },
      next: isMount
        ? 'The output replaces its whole directory, and a mount point cannot be replaced. Choose a directory inside it with `--outdir`.'
        : 'Choose another directory with `--outdir`.',
      cause,
    });
  }
}
