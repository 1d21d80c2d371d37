import {
  maxArchiveFiles,
  maxArchiveTexts,
  maxSourceBytes,
  maxUnpackingDepth,
  megabytes,
  sourceTooLarge,
} from '../../../schema/read/source-limits.js';
import { FieldwiseError } from '../../../util/error.js';
import { filesOfTarball } from './archive.js';
import { gunzip, isGzip, UnpackedTooLarge, unpackedHead } from './gzip.js';
import { isIgnoredPath, isSourceName } from './source-names.js';

/** A file that was read, or unpacked from one. */
export interface UnpackedFile {
  /** Files of an archive are named `ARCHIVE!PATH`. */
  readonly location: string;
  readonly content: Buffer;
  /** True for a file of an archive, which a person did not name. */
  readonly archived: boolean;
}

/** The amounts that one source has unpacked to. */
interface Amounts {
  files: number;
  bytes: number;
}

/**
 * Yields a file, or the YAML and JSON files that it unpacks to: gzip, tar, and both inside each other.
 *
 * @throws FieldwiseError `archive-invalid`, `source-too-large`.
 */
export async function* unpack(content: Buffer, location: string): AsyncGenerator<UnpackedFile> {
  yield* unpackFile({ location, content, archived: false }, 0, { files: 0, bytes: 0 });
}

async function* unpackFile(file: UnpackedFile, depth: number, amounts: Amounts): AsyncGenerator<UnpackedFile> {
  const { content, location, archived } = file;
  const gzipped = isGzip(content);
  const head = gzipped ? attempt(() => unpackedHead(content), location) : content;
  const isArchive = isTar(head);
  if (!gzipped && !isArchive) {
    requireText(content, location);
    yield file;
    return;
  }
  if (depth === maxUnpackingDepth) {
    throw sourceTooLarge(`The source contains compressed files inside each other more than ${maxUnpackingDepth} deep`, location);
  }
  if (isArchive) yield* unpackArchive(content, location, depth, amounts);
  else yield* unpackFile({ location, content: await attemptAsync(gunzip(content), location), archived }, depth + 1, amounts);
}

async function* unpackArchive(archive: Buffer, location: string, depth: number, amounts: Amounts): AsyncGenerator<UnpackedFile> {
  const isWanted = (path: string, size: number) => isSourceName(path, true) && !isIgnoredPath(path) && size <= maxSourceBytes;
  const files = filesOfTarball(archive, isWanted);
  for (;;) {
    const { value: file, done } = await attemptAsync(files.next(), location);
    if (done) return;
    amounts.files += 1;
    if (amounts.files > maxArchiveFiles) {
      throw sourceTooLarge(`The archive contains more than ${maxArchiveFiles.toLocaleString('en-US')} files`, location);
    }
    if (file.content === undefined) continue;
    amounts.bytes += file.size;
    if (amounts.bytes > maxArchiveTexts)
      throw sourceTooLarge(`The archive's files are larger than ${megabytes(maxArchiveTexts)}`, location);
    yield* unpackFile({ location: `${location}!${file.path}`, content: file.content, archived: true }, depth + 1, amounts);
  }
}

/** Source: POSIX.1-2001, ustar header block. */
function isTar(content: Buffer): boolean {
  return content.length >= 512 && content.toString('latin1', 257, 262) === 'ustar';
}

const otherFormats: readonly (readonly [magic: string, name: string])[] = [
  ['504b0304', 'a ZIP archive'],
  ['28b52ffd', 'compressed with zstd'],
  ['fd377a585a', 'compressed with xz'],
  ['425a68', 'compressed with bzip2'],
];

function requireText(content: Buffer, location: string): void {
  const start = content.toString('hex', 0, 8);
  const format = otherFormats.find(([magic]) => start.startsWith(magic))?.[1];
  if (format === undefined) return;
  throw new FieldwiseError('archive-invalid', 'usage', `The source is ${format}, which import does not unpack`, {
    location: { file: location },
    next: 'Unpack it, and pass the directory or file; import reads gzip and tar.',
  });
}

function attempt<Result>(work: () => Result, location: string): Result {
  try {
    return work();
  } catch (cause) {
    throw damaged(cause, location);
  }
}

async function attemptAsync<Result>(work: Promise<Result>, location: string): Promise<Result> {
  return work.catch((cause: unknown) => {
    throw damaged(cause, location);
  });
}

function damaged(cause: unknown, location: string): FieldwiseError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (cause instanceof UnpackedTooLarge) return sourceTooLarge(`${reason.slice(0, 1).toUpperCase()}${reason.slice(1)}`, location);
  return new FieldwiseError('archive-invalid', 'usage', `The source cannot be unpacked: ${reason}`, {
    location: { file: location },
    next: 'Check that it was downloaded completely.',
    cause,
  });
}
