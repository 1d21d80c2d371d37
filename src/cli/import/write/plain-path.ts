import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { FieldwiseError } from '../../../util/error.js';

/**
 * Rejects a path below the output directory that leads through a symbolic link or not to a regular file: a link in a checked-out project
 * must not decide which files outside of the project are read or written. The output directory itself may be a link.
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
      throw new FieldwiseError(
        'output-is-link',
        'usage',
        'The output path is a symbolic link, so the builders would be written to its target',
        {
          location: { file: join(shown, below) },
          next: 'Remove the link, or pass another directory with --outdir.',
        },
      );
    }
    const isLast = length === steps.length;
    if (isLast ? found.isFile() : found.isDirectory()) continue;
    throw new FieldwiseError(
      'output-not-generated',
      'usage',
      `The output path exists and is not a ${isLast ? 'regular file' : 'directory'}`,
      {
        location: { file: join(shown, below) },
        next: 'Move it away, or pass another directory with --outdir.',
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
      next: 'Check the directory and its permissions, or pass another directory with --outdir.',
      cause: error,
    });
  }
}
