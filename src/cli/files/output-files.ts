import path from 'node:path';
import { FieldwiseError } from '../../util/error.js';
import type { OutputFile } from '../config/flags.js';
import { requireWritable } from './require-writable.js';
import { writeWhole } from './write-whole.js';

/**
 * Checks that files can be written, before a run that cannot be repeated to get them.
 *
 * @throws FieldwiseError `report-not-written` (usage).
 */
export function checkOutputFiles(files: readonly OutputFile[], cwd: string): void {
  for (const { format, file } of files) {
    try {
      requireWritable(path.resolve(cwd, file));
    } catch (cause) {
      throw notWritten('usage', { format, file }, cause, 'Nothing was done. Pass a file in a directory that exists and is writable.');
    }
  }
}

/**
 * Writes a file of a format, whole.
 *
 * @throws FieldwiseError `report-not-written` (resource).
 */
export async function writeOutputFile({ format, file }: OutputFile, cwd: string, text: string): Promise<void> {
  try {
    await writeWhole(path.resolve(cwd, file), text);
  } catch (cause) {
    throw notWritten('resource', { format, file }, cause, 'The run itself was completed. Pass another file.');
  }
}

function notWritten(kind: 'usage' | 'resource', { format, file }: OutputFile, cause: unknown, next: string): FieldwiseError {
  const what = `The file of \`--output-file ${format}=${file}\` cannot be written: ${(cause as Error).message}`;
  return new FieldwiseError('report-not-written', kind, what, { location: { file }, next, cause });
}
