import fs from 'node:fs';

/**
 * Differs for each directory or file that comes to a path, and for a file also when it is written; undefined where there is none to look at.
 * Numbers of inodes alone are used again.
 */
export function directoryIdentity(directory: string): string | undefined {
  try {
    const { dev, ino, birthtimeNs, ctimeNs } = fs.statSync(directory, { bigint: true });
    return `${dev} ${ino} ${birthtimeNs} ${ctimeNs}`;
  } catch {
    return undefined;
  }
}
