import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { FieldwiseError } from '../../util/error.js';

/**
 * Refuses a path below the output directory that leads through a symbolic link, or to anything but a regular file: a link in a checked-out
 * project must not decide what is read or written outside of it. The output directory itself is as the user named it, and may be a link.
 *
 * @param path relative, with forward slashes.
 * @param shown the output directory as the user named it.
 * @throws FieldwiseError `output-is-link`, `output-not-generated`, `output-not-written`.
 */
export async function requirePlainPath(output: string, path: string, shown: string): Promise<void> {
  const steps = path.split('/');
  for (let length = 1; length <= steps.length; length++) {
    const below = join(...steps.slice(0, length));
    const found = await statsOf(join(output, below), join(shown, below));
    if (found === undefined) return;
    if (found.isSymbolicLink()) {
      throw new FieldwiseError('output-is-link', 'usage', 'A symbolic link is in the way: the builders would be written where it leads', {
        location: { file: join(shown, below) },
        next: 'Remove the link, or name another directory with --output',
      });
    }
    const isLast = length === steps.length;
    if (isLast ? found.isFile() : found.isDirectory()) continue;
    throw new FieldwiseError(
      'output-not-generated',
      'usage',
      `Something that is not a ${isLast ? 'regular file' : 'directory'} is in the way`,
      {
        location: { file: join(shown, below) },
        next: 'Move it away, or name another directory with --output',
      },
    );
  }
}

async function statsOf(path: string, shown: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new FieldwiseError('output-not-written', 'usage', `The builders cannot be written: ${code ?? String(error)}`, {
      location: { file: shown },
      next: 'Check the directory and its permissions, or name another with --output',
      cause: error,
    });
  }
}
