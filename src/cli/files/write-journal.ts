import * as files from 'node:fs/promises';
import path from 'node:path';
import * as v from 'valibot';
import { FieldwiseError } from '../../util/error.js';
import { isProcessAlive, processStart } from '../../util/process-alive.js';
import { slashPath } from '../../util/slash-path.js';
import { writeNew } from './write-new.js';

/** A file with its new text; `old` is absent for a new file. */
export interface NewText {
  readonly file: string;
  readonly old?: string;
  readonly text: string;
}

/**
 * The name of a journal: the texts that one process writes in a directory, until all of them are written. It is in the directory of Git, which nobody
 * gets with a clone: a journal in the project could come from somebody else.
 */
const journalName = 'fieldwise-migration.json';

/** The directory in which files are written, and that of its journal. */
export interface JournaledDirectory {
  readonly root: string;
  readonly journalDirectory: string;
}

const journalSchema = v.object({
  root: v.string(),
  pid: v.pipe(v.number(), v.integer(), v.minValue(1)),
  start: v.exactOptional(v.string()),
  files: v.array(v.object({ name: v.string(), old: v.exactOptional(v.string()), text: v.string() })),
});
type Journal = v.InferOutput<typeof journalSchema>;

/** The result of an undone write, with the names of files relative to the directory. */
export interface UndoneWrite {
  readonly undone: readonly string[];
  /** Files that have been changed since; they stay as they are. */
  readonly changed: readonly string[];
}

/** Returns the name under which a process writes the text of a file before it renames it. */
export function halfOf(file: string, pid: number): string {
  return `${file}.${pid}.part`;
}

/** Writes down what this process is about to write in a directory. @throws Error if another one writes there. */
export async function beginJournal(
  { root, journalDirectory }: JournaledDirectory,
  all: readonly NewText[],
): Promise<{ readonly pid: number }> {
  const start = processStart(process.pid);
  const entries = all.map(({ file, ...texts }) => ({ name: slashPath(root, file), ...texts }));
  const journal: Journal = {
    root: await files.realpath(root),
    pid: process.pid,
    ...(start === undefined ? {} : { start }),
    files: entries,
  };
  const file = path.join(journalDirectory, journalName);
  if (!(await writeNew(file, JSON.stringify(journal)))) throw new Error(`another process writes here, because ${file} exists`);
  return journal;
}

/** Removes a journal, and the halves of it. */
export async function endJournal({ journalDirectory }: JournaledDirectory): Promise<void> {
  const isHalf = (name: string) => {
    const pid = /^fieldwise-migration\.json\.(?<pid>\d+)\.part$/.exec(name)?.groups?.pid;
    return pid !== undefined && (Number(pid) === process.pid || !isProcessAlive(Number(pid)));
  };
  const halves = (await files.readdir(journalDirectory)).filter(isHalf);
  for (const name of [...halves, journalName]) await files.rm(path.join(journalDirectory, name), { force: true });
}

/**
 * Undoes what a process that was killed has written in a directory by `writeAll`.
 *
 * @returns undefined if nothing was begun, or all was written.
 * @throws FieldwiseError `migrate-refused` if that process still runs, or for a journal that is damaged or names files elsewhere.
 */
export async function undoKilled(directory: JournaledDirectory): Promise<UndoneWrite | undefined> {
  const { root } = directory;
  const journal = await readJournal(directory);
  if (journal === undefined) {
    await endJournal(directory);
    return undefined;
  }
  if (isProcessAlive(journal.pid, journal.start)) {
    throw refused(directory, `The process ${journal.pid} edits this project now`, 'Run the command again when it has ended.');
  }
  const all = journal.files.map(({ name, ...texts }) => ({ file: path.join(root, name), ...texts }));
  const found = await Promise.all(all.map(stateOf));
  const namesOf = (state: FileState) => journal.files.filter((_, index) => found[index] === state).map(({ name }) => name);
  const isWhole = found.every((state) => state === 'new');
  if (isWhole) for (const { file } of all) await files.rm(halfOf(file, journal.pid), { force: true });
  else await undoTexts(all, journal.pid);
  await endJournal(directory);
  return isWhole ? undefined : { undone: namesOf('new'), changed: namesOf('other') };
}

/** Gives files their old texts again where they have the new ones, and removes the halves that a process left. */
export async function undoTexts(all: readonly NewText[], pid: number): Promise<void> {
  for (const one of all) {
    const { file, old } = one;
    const half = halfOf(file, pid);
    await files.rm(half, { force: true });
    if ((await stateOf(one)) !== 'new') continue;
    if (old === undefined) {
      await files.rm(file);
      continue;
    }
    await files.writeFile(half, old);
    await files.chmod(half, (await files.stat(file)).mode & 0o777);
    await files.rename(half, file);
  }
}

type FileState = 'old' | 'new' | 'other';

async function stateOf({ file, old, text }: NewText): Promise<FileState> {
  const found = await files.readFile(file, 'utf8').catch(() => undefined);
  return found === text ? 'new' : found === old ? 'old' : 'other';
}

async function readJournal(directory: JournaledDirectory): Promise<Journal | undefined> {
  const { root, journalDirectory } = directory;
  const text = await files.readFile(path.join(journalDirectory, journalName), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), journalSchema), text);
  const areInside = await Promise.all(result.success ? result.output.files.map(({ name }) => isOrdinaryInside(root, name)) : []);
  if (!result.success || areInside.includes(false)) {
    const what = 'The journal is not what an interrupted run leaves, or names files elsewhere';
    throw refused(directory, what, 'Nothing was written. Remove the file and run the command again.');
  }
  if (result.output.root !== (await files.realpath(root))) {
    const what = `A migration of another directory of this repository was interrupted: ${result.output.root}`;
    throw refused(directory, what, 'Nothing was written. Run `init --migrate` there first, or remove the file.');
  }
  return result.output;
}

/** Returns true for a file of a directory, there or not, that no link leads out of it. */
async function isOrdinaryInside(root: string, name: string): Promise<boolean> {
  const file = path.join(root, name);
  if (path.isAbsolute(name) || slashPath(root, file).startsWith('..') || name.toLowerCase().split(/[\\/]/).includes('.git')) return false;
  const isLink = (await files.lstat(file).catch(() => undefined))?.isSymbolicLink() === true;
  const directory = path.dirname(file);
  return (
    !isLink && (await files.realpath(directory).catch(() => '')) === path.join(await files.realpath(root), path.relative(root, directory))
  );
}

function refused({ journalDirectory }: JournaledDirectory, what: string, next: string): FieldwiseError {
  return new FieldwiseError('migrate-refused', 'usage', what, { location: { file: path.join(journalDirectory, journalName) }, next });
}
