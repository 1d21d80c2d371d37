import { lstatSync, realpathSync, statSync } from 'node:fs';
import { chmod, rename, rm, writeFile } from 'node:fs/promises';

/**
 * Writes a file so that nobody reads a half of it. A link stays a link, a device such as `/dev/null` stays a device, and a file that exists
 * keeps its permissions.
 *
 * @throws an error of the file system; nothing is left of the file then.
 */
export async function writeWhole(file: string, text: string, mode?: number): Promise<void> {
  const target = targetOf(file);
  if (!target.isReplaceable) return writeFile(target.path, text);
  const half = `${target.path}.${process.pid}.part`;
  try {
    await writeFile(half, text, { mode: mode ?? target.mode });
    if (mode === undefined && target.mode !== undefined) await chmod(half, target.mode); // the umask of the process applies to new files
    await rename(half, target.path);
  } catch (error) {
    await rm(half, { force: true }).catch(() => {});
    throw error;
  }
}

/** The file behind links; only an ordinary file, or one that is absent, can be replaced. */
function targetOf(file: string): { readonly path: string; readonly isReplaceable: boolean; readonly mode?: number } {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return { path: file, isReplaceable: true };
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isFile() !== true) return { path: file, isReplaceable: false };
  return { path: realpathSync(file), isReplaceable: true, mode: found.mode & 0o777 };
}
