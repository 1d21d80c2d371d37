import fs from 'node:fs';

/**
 * Returns a text that identifies the directory or file at a path, and the version of a file; undefined if it cannot be read. The number of
 * the inode alone is not enough, because file systems use it again.
 */
export function directoryIdentity(directory: string): string | undefined {
  try {
    const { dev, ino, birthtimeNs, ctimeNs } = fs.statSync(directory, { bigint: true });
    return `${dev} ${ino} ${birthtimeNs} ${ctimeNs}`;
  } catch {
    return undefined;
  }
}
