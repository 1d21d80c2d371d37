import { statSync } from 'node:fs';
import path from 'node:path';
import { FieldwiseError } from '../../util/error.js';
import { requireWritable } from '../files/require-writable.js';
import { writeWhole } from '../files/write-whole.js';
import type { Host } from '../process/host.js';

/** A file for a page, whose directory was checked before the cluster is asked. */
export interface PageFile {
  write(html: string): Promise<void>;
}

/**
 * Checks the path that `--output-file html=FILE` names.
 *
 * @throws FieldwiseError `flag-invalid` for a directory; `file-unwritable`, also by `write`.
 */
export function pageFile(name: string, host: Pick<Host, 'cwd' | 'stderr'>): PageFile {
  const file = path.resolve(host.cwd, name);
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    throw new FieldwiseError('flag-invalid', 'usage', `\`--output-file html=${name}\` is a directory`, {
      next: 'Name the file of the page, such as page.html.',
    });
  }
  try {
    requireWritable(file);
  } catch (cause) {
    throw unwritable(name, cause);
  }
  return {
    async write(html) {
      try {
        await writeWhole(file, html);
        host.stderr(`page written to ${name}\n`);
      } catch (cause) {
        throw unwritable(name, cause);
      }
    },
  };
}

function unwritable(file: string, cause: unknown): FieldwiseError {
  return new FieldwiseError('file-unwritable', 'usage', `The page cannot be written: ${(cause as Error).message}`, {
    location: { file },
    next: 'Pass a file in a directory that exists and is writable.',
    cause,
  });
}
