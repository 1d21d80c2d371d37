import { link, rm, writeFile } from 'node:fs/promises';

/**
 * Writes a file that does not exist yet, so that nobody reads a half of it. Overwrites nothing, also if the file appears meanwhile.
 *
 * @returns false if the file exists.
 * @throws an error of the file system; nothing is left of the file then.
 */
export async function writeNew(file: string, text: string): Promise<boolean> {
  const half = `${file}.${process.pid}.part`;
  try {
    await writeFile(half, text);
    await link(half, file).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') throw error;
      await writeFile(file, text, { flag: 'wx' }); // a file system without links
    });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(half, { force: true }).catch(() => {});
  }
}
