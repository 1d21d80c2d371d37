import * as files from 'node:fs/promises';

/** A file with its new text; `old` is absent for a new file. */
export interface NewText {
  readonly file: string;
  readonly old?: string;
  readonly text: string;
}

/**
 * Writes all files, or none: the texts are written beside the files first, then renamed. If that fails, the files that were renamed get their
 * old texts again. Existing files keep their permissions. A new file that appears meanwhile is not overwritten.
 *
 * @param rename that of `node:fs/promises`; for tests.
 * @throws an error of the file system, or one for a file whose text is not `old` any more.
 */
export async function writeAll(all: readonly NewText[], rename: typeof files.rename = files.rename): Promise<void> {
  const halfOf = ({ file }: NewText) => `${file}.${process.pid}.part`;
  const done: NewText[] = [];
  try {
    for (const one of all) await writeBeside(one, halfOf(one));
    for (const one of all) {
      if (one.old === undefined) await files.link(halfOf(one), one.file);
      else await rename(halfOf(one), one.file);
      done.push(one);
    }
  } catch (error) {
    for (const one of done) {
      if (one.old === undefined) await files.rm(one.file, { force: true });
      else await files.writeFile(one.file, one.old);
    }
    throw error;
  } finally {
    for (const one of all) await files.rm(halfOf(one), { force: true }).catch(() => {});
  }
}

async function writeBeside({ file, old, text }: NewText, half: string): Promise<void> {
  if (old !== undefined && (await files.readFile(file, 'utf8')) !== old) throw new Error(`${file} has changed meanwhile`);
  await files.writeFile(half, text, { flag: 'wx' });
  if (old !== undefined) await files.chmod(half, (await files.stat(file)).mode & 0o777);
}
