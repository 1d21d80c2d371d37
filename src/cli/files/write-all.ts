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
  const { pid } = await beginJournal(directory, all);
  try {
    for (const one of all) {
      signal?.throwIfAborted();
      await writeBeside(one, halfOf(one.file, pid));
    }
    for (const one of all) {
      signal?.throwIfAborted();
      if (one.old === undefined) await files.link(halfOf(one.file, pid), one.file);
      else await rename(halfOf(one.file, pid), one.file);
    }
    for (const one of all) await files.rm(halfOf(one.file, pid), { force: true });
  } catch (error) {
    await undoTexts(all, pid); // If this fails, too, the journal stays.
    await endJournal(directory);
    throw error;
  }
  await endJournal(directory);
}

async function writeBeside({ file, old, text }: NewText, half: string): Promise<void> {
  if (old !== undefined && (await files.readFile(file, 'utf8')) !== old) throw new Error(`${file} has changed meanwhile`);
  await files.writeFile(half, text, { flag: 'wx' });
  if (old !== undefined) await files.chmod(half, (await files.stat(file)).mode & 0o777);
}
