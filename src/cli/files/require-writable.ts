import { accessSync, constants, lstatSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Checks that a file can be written, before a run that cannot be repeated to get it.
 *
 * @param file an absolute path.
 * @throws an error that says why it cannot.
 */
export function requireWritable(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isDirectory()) throw new Error('it is a directory');
  // A pipe of a shell, such as /dev/stdout, has a reader; one with a name of its own waits for one.
  if (lstatSync(file, { throwIfNoEntry: false })?.isFIFO()) throw new Error('it is a named pipe');
  // A device is written to, and every other file replaced.
  accessSync(found === undefined || found.isFile() ? path.dirname(file) : file, constants.W_OK);
}
