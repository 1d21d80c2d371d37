import fs from 'node:fs';

/** Differs for each directory that comes to a path; undefined where none can be looked at. Numbers of inodes alone are used again. */
export function directoryIdentity(directory: string): string | undefined {
  try {
    const { dev, ino, birthtimeNs, ctimeNs } = fs.statSync(directory, { bigint: true });
    return `${dev} ${ino} ${birthtimeNs} ${ctimeNs}`;
  } catch {
    return undefined;
  }
}
