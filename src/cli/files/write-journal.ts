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

/** The journal of a directory: the texts that one process writes there, until all of them are written. */
const journalName = path.join('.fieldwise', 'migration.json');

const journalSchema = v.object({
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
export async function beginJournal(root: string, all: readonly NewText[]): Promise<{ readonly pid: number }> {
  const start = processStart(process.pid);
  const entries = all.map(({ file, ...texts }) => ({ name: slashPath(root, file), ...texts }));
  const journal: Journal = { pid: process.pid, ...(start === undefined ? {} : { start }), files: entries };
  const file = path.join(root, journalName);
  await files.mkdir(path.dirname(file), { recursive: true });
  if (!(await writeNew(file, JSON.stringify(journal)))) throw new Error(`another process writes here, because ${journalName} exists`);
  return journal;
}

/** Removes the journal of a directory, the halves of it, and its directory if nothing else is there. */
export async function endJournal(root: string): Promise<void> {
  const directory = path.join(root, path.dirname(journalName));
  const isHalf = (name: string) => {
    const pid = /^migration\.json\.(?<pid>\d+)\.part$/.exec(name)?.groups?.pid;
    return pid !== undefined && (Number(pid) === process.pid || !isProcessAlive(Number(pid)));
  };
  const halves = (await files.readdir(directory).catch(() => [])).filter(isHalf);
  for (const name of [...halves, path.basename(journalName)]) await files.rm(path.join(directory, name), { force: true });
  await files.rmdir(directory).catch(() => {}); // It contains something else, or never was.
}

/**
 * Undoes what a process that was killed has written in a directory by `writeAll`.
 *
 * @returns undefined if nothing was begun, or all was written.
 * @throws FieldwiseError `migrate-refused` if that process still runs, or for a journal that is damaged or names files elsewhere.
 */
export async function undoKilled(root: string): Promise<UndoneWrite | undefined> {
  const journal = await readJournal(root);
  if (journal === undefined) {
    await endJournal(root);
    return undefined;
  }
  if (isProcessAlive(journal.pid, journal.start)) {
    throw refused(root, `The process ${journal.pid} edits this project now`, 'Run the command again when it has ended.');
  }
  const all = journal.files.map(({ name, ...texts }) => ({ file: path.join(root, name), ...texts }));
  const found = await Promise.all(all.map(stateOf));
  const namesOf = (state: FileState) => journal.files.filter((_, index) => found[index] === state).map(({ name }) => name);
  const isWhole = found.every((state) => state === 'new');
  if (isWhole) for (const { file } of all) await files.rm(halfOf(file, journal.pid), { force: true });
  else await undoTexts(all, journal.pid);
  await endJournal(root);
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

async function readJournal(root: string): Promise<Journal | undefined> {
  const text = await files.readFile(path.join(root, journalName), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), journalSchema), text);
  const areInside = await Promise.all(result.success ? result.output.files.map(({ name }) => isOrdinaryInside(root, name)) : []);
  if (!result.success || areInside.includes(false)) {
    const what = `${slashPath(root, path.join(root, journalName))} is not what an interrupted run leaves, or names files elsewhere`;
    throw refused(root, what, 'Nothing was written. Remove the file and run the command again.');
  }
  return result.output;
}

/** Returns true for a file of a directory, there or not, that no link leads out of it. */
async function isOrdinaryInside(root: string, name: string): Promise<boolean> {
  const file = path.join(root, name);
  if (path.isAbsolute(name) || slashPath(root, file).startsWith('..')) return false;
  const isLink = (await files.lstat(file).catch(() => undefined))?.isSymbolicLink() === true;
  const directory = path.dirname(file);
  return (
    !isLink && (await files.realpath(directory).catch(() => '')) === path.join(await files.realpath(root), path.relative(root, directory))
  );
}

function refused(root: string, what: string, next: string): FieldwiseError {
  return new FieldwiseError('migrate-refused', 'usage', what, { location: { file: path.join(root, journalName) }, next });
}
