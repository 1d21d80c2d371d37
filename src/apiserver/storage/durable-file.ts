import fs from 'node:fs';
import path from 'node:path';

/** Name of a file that is not complete. */
export const temporaryName = /\.tmp$/;

/**
 * Creates a file in a directory, whole or not at all.
 *
 * @param sync true to return when it is on the disk.
 * @returns its descriptor, which the caller closes.
 */
export function createFile(directory: string, name: string, content: Uint8Array | string, sync: boolean): number {
  const file = path.join(directory, name);
  const temporary = `${file}.tmp`;
  const descriptor = fs.openSync(temporary, 'w+', 0o600);
  try {
    writeAt(descriptor, Buffer.from(content), 0);
    if (sync) fs.fsyncSync(descriptor);
    fs.renameSync(temporary, file);
    if (sync) syncDirectory(directory);
    return descriptor;
  } catch (error) {
    fs.closeSync(descriptor);
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}

/** Returns the text of a file; undefined if it does not exist. */
export function readIfPresent(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes all bytes at an offset. */
export function writeAt(descriptor: number, bytes: Uint8Array, offset: number): void {
  for (let written = 0; written < bytes.length; ) {
    written += fs.writeSync(descriptor, bytes, written, bytes.length - written, offset + written);
  }
}

/** Resolves when what was written to a file is on the disk. */
export function syncData(descriptor: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fs.fdatasync(descriptor, (error) => (error ? reject(error) : resolve()));
  });
}

/** Returns when what was written to a file is on the disk. */
export function syncFile(file: string): void {
  const descriptor = fs.openSync(file, 'r+');
  try {
    fs.fdatasyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Returns when the names in a directory are on the disk. Windows cannot do it, and does not need it. */
export function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return;
  const descriptor = fs.openSync(directory, 'r');
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}
