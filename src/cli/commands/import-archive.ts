/** A regular file of an archive. */
export interface ArchivedFile {
  readonly path: string;
  readonly text: () => string;
}

const block = 512;

/**
 * The regular files of a tar archive in its order. Source: POSIX.1-2001, pax interchange format, and the older ustar it extends.
 *
 * @throws Error when the archive is cut off or is none.
 */
export function* filesOfTar(archive: Buffer): Generator<ArchivedFile> {
  let longPath: string | undefined;
  for (let offset = 0; offset + block <= archive.length; ) {
    const header = archive.subarray(offset, offset + block);
    if (header.every((byte) => byte === 0)) return;
    const size = Number.parseInt(text(header, 124, 12).trim() || '0', 8);
    const start = offset + block;
    if (!Number.isSafeInteger(size) || size < 0 || start + size > archive.length) throw new Error('the archive is damaged or cut off');
    const content = archive.subarray(start, start + size);
    const type = text(header, 156, 1);
    if (type === 'x') longPath = paxPath(content) ?? longPath;
    else if (type === 'L') longPath = text(content, 0, size);
    else {
      const prefix = text(header, 257, 5) === 'ustar' ? text(header, 345, 155) : '';
      const path = longPath ?? `${prefix === '' ? '' : `${prefix}/`}${text(header, 0, 100)}`;
      longPath = undefined;
      if (type === '0' || type === '') yield { path, text: () => content.toString('utf8') };
    }
    offset = start + Math.ceil(size / block) * block;
  }
}

// Records of the form `LENGTH path=VALUE\n`.
function paxPath(content: Buffer): string | undefined {
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(content.toString('utf8'))?.[1];
}

function text(bytes: Buffer, start: number, length: number): string {
  const part = bytes.subarray(start, start + length);
  const end = part.indexOf(0);
  return part.subarray(0, end < 0 ? part.length : end).toString('utf8');
}
