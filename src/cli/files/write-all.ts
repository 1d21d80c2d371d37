import * as files from 'node:fs/promises';
import { beginJournal, endJournal, halfOf, type JournaledDirectory, type NewText, undoTexts } from './write-journal.js';

/**
 * Writes all files of a directory, or none, also if the process is killed: a journal comes first, then the texts beside the files, which are renamed
 * then. If that fails, the files that were renamed get their old texts again; after a kill, `undoKilled` does it. Existing files keep their
 * permissions. A new file that appears meanwhile is not overwritten.
 *
 * @param signal ends the write when it is aborted: before the last file has its new text, all are undone.
 * @param rename that of `node:fs/promises`; for tests.
 * @throws an error of the file system, one for a file whose text is not `old` any more, or the reason of the signal.
 */
export async function writeAll(
  directory: JournaledDirectory,
  all: readonly NewText[],
  { signal, rename = files.rename }: { readonly signal?: AbortSignal; readonly rename?: typeof files.rename } = {},
): Promise<void> {
  for (const one of all) await requireOld(one); // before the journal, which the next run would undo as if this one had written
  const { pid } = await beginJournal(directory, all);
  const placed: NewText[] = [];
  try {
    for (const one of all) {
      signal?.throwIfAborted();
      await writeBeside(one, halfOf(one.file, pid));
    }
    for (const one of all) {
      signal?.throwIfAborted();
      if (one.old === undefined) await files.link(halfOf(one.file, pid), one.file);
      else await rename(halfOf(one.file, pid), one.file);
      placed.push(one);
    }
    for (const one of all) await files.rm(halfOf(one.file, pid), { force: true });
  } catch (error) {
    // Another process may have written the same texts before: only those of this one are undone. If this fails, too, the journal stays.
    await undoTexts(placed, pid);
    for (const { file } of all) await files.rm(halfOf(file, pid), { force: true });
    await endJournal(directory);
    throw error;
  }
  await endJournal(directory);
}

async function requireOld({ file, old }: NewText): Promise<void> {
  if (old !== undefined && (await files.readFile(file, 'utf8')) !== old) throw new Error(`${file} has changed meanwhile`);
}

async function writeBeside(one: NewText, half: string): Promise<void> {
  await requireOld(one);
  const { file, old, text } = one;
  await files.writeFile(half, text, { flag: 'wx' });
  if (old !== undefined) await files.chmod(half, (await files.stat(file)).mode & 0o777);
}
