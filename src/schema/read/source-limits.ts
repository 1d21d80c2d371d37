import { FieldwiseError } from '../../util/error.js';

const mega = 1024 * 1024;

/** Bytes of one response. */
export const maxDownloadBytes = 256 * mega;
/** Bytes of one file, or of standard input. */
export const maxSourceBytes = 64 * mega;
/** Characters of one YAML text, whose parser needs about a second for a million. JSON is limited by `maxSourceBytes`. */
export const maxYamlCharacters = 24 * mega;
/** Values of one document, and characters of its strings, with aliases expanded. */
export const maxDocumentValues = 2_000_000;
export const maxDocumentCharacters = 64 * mega;
/** Bytes of an unpacked archive; `maxArchiveTexts` limits the total size of the files that are read, `maxSourceBytes` each of them. */
export const maxArchiveBytes = 1024 * mega;
export const maxArchiveTexts = 256 * mega;
/** Files of an archive, those of archives inside it included. */
export const maxArchiveFiles = 100_000;
/** Compressed files and archives inside each other: `chart.yaml.gz` in `bundle.tar.gz` is 2. */
export const maxUnpackingDepth = 4;

/** Formats a number of bytes in megabytes. */
export function megabytes(bytes: number): string {
  return `${Math.floor(bytes / mega)} MB`;
}

/** Returns the error for a source beyond a limit. */
export function sourceTooLarge(what: string, file: string): FieldwiseError {
  return new FieldwiseError('source-too-large', 'usage', what, {
    location: { file },
    next: 'An API server accepts CRDs of up to 3 MB. Check that the source is neither damaged nor hostile, or import it in parts.',
  });
}

/**
 * Reads a file or standard input.
 *
 * @throws FieldwiseError `source-too-large`.
 */
export async function readBounded(stream: AsyncIterable<Uint8Array>, file: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.byteLength;
    if (size > maxSourceBytes) throw sourceTooLarge(`The source is larger than ${megabytes(maxSourceBytes)}`, file);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Rejects a document that is too large with its aliases expanded, or that contains itself. Visits shared nodes once.
 *
 * @throws FieldwiseError `source-too-large`, `yaml-invalid`.
 */
export function requireBoundedDocument(document: unknown, file: string): void {
  const size = sizeOf(document, { file, known: new Map() }, 0);
  if (size.values > maxDocumentValues) {
    throw sourceTooLarge(`The document contains more than ${maxDocumentValues.toLocaleString('en-US')} values`, file);
  }
  if (size.characters > maxDocumentCharacters) {
    throw sourceTooLarge(`The document contains more than ${megabytes(maxDocumentCharacters)} of text with its aliases expanded`, file);
  }
}

interface Size {
  readonly values: number;
  readonly characters: number;
}

// The readers reject deeper documents, with the path.
const maxDepth = 1000;

interface SizeCursor {
  readonly file: string;
  /** Undefined while a value is visited. */
  readonly known: Map<object, Size | undefined>;
}

function sizeOf(value: unknown, cursor: SizeCursor, depth: number): Size {
  if (typeof value === 'string') return { values: 1, characters: value.length };
  if (typeof value !== 'object' || value === null || depth > maxDepth) return { values: 1, characters: 0 };
  if (cursor.known.has(value)) return cursor.known.get(value) ?? containsItself(cursor.file);
  cursor.known.set(value, undefined);
  let values = 1;
  let characters = 0;
  for (const [name, member] of Object.entries(value)) {
    const size = sizeOf(member, cursor, depth + 1);
    values += size.values;
    characters += size.characters + name.length;
  }
  const size = { values, characters };
  cursor.known.set(value, size);
  return size;
}

function containsItself(file: string): never {
  throw new FieldwiseError('yaml-invalid', 'usage', 'The YAML contains a value that contains itself by an alias', {
    location: { file },
    next: 'Correct the file.',
  });
}
