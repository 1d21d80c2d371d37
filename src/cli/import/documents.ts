import { FieldwiseError } from '../../util/error.js';
import { isJsonObject } from '../../util/json.js';
import { maxYamlCharacters, megabytes, requireBoundedDocument, sourceTooLarge } from './limits.js';

/** One document of a source. */
export interface SourceDocument {
  readonly document: unknown;
  /** File or address, and the number of the document where there are several. */
  readonly location: string;
}

/**
 * Reads text of YAML or JSON, several documents a text. A List counts as its items.
 *
 * @param file named in errors.
 * @throws FieldwiseError `input-empty`, `source-too-large`, `yaml-invalid` with line and column.
 */
export async function readDocuments(text: string, file: string): Promise<readonly SourceDocument[]> {
  if (text.trim() === '') {
    throw new FieldwiseError('input-empty', 'usage', 'The file is empty', { location: { file }, next: 'Pass a file that holds a CRD' });
  }
  const documents = (await parse(text, file)).filter((document) => document !== null && document !== undefined);
  for (const document of documents) requireBoundedDocument(document, file);
  if (documents.length === 0) {
    throw new FieldwiseError('input-empty', 'usage', 'The file holds no document, only comments or separators', {
      location: { file },
      next: 'Pass a file that holds a CRD',
    });
  }
  const single = documents.length === 1;
  return documents.flatMap((document, index) => {
    const location = single ? file : `${file} (document ${index + 1})`;
    // `kubectl get crd -o yaml` of several answers a List.
    const items = isJsonObject(document) && document.kind === 'List' && Array.isArray(document.items) ? document.items : undefined;
    return items === undefined
      ? [{ document, location }]
      : items.map((item: unknown, at) => ({ document: item, location: `${location} (item ${at + 1})` }));
  });
}

async function parse(text: string, file: string): Promise<unknown[]> {
  // JSON is YAML too, but its own parser is many times faster; a mistake is left to the YAML parser, which knows positions.
  if (/^\s*\{/.test(text)) {
    try {
      return [JSON.parse(text)];
    } catch {}
  }
  if (text.length > maxYamlCharacters) {
    throw sourceTooLarge(`The YAML holds more than ${megabytes(maxYamlCharacters)}`, file);
  }
  const { parseAllDocuments } = await import('yaml');
  try {
    return parseAllDocuments(text, { logLevel: 'silent', prettyErrors: true }).map((document) => {
      const [error] = document.errors;
      if (error !== undefined) throw yamlError(file, error.message, error.linePos?.[0]);
      return document.toJS() as unknown;
    });
  } catch (cause) {
    if (cause instanceof FieldwiseError) throw cause;
    // Aliases that unfold without end, and nesting that exhausts the stack of the parser.
    const message = cause instanceof RangeError ? 'it nests too deep' : cause instanceof Error ? cause.message : String(cause);
    throw yamlError(file, message, undefined);
  }
}

function yamlError(file: string, message: string, at: { line: number; col: number } | undefined): FieldwiseError {
  // The parser's message goes on with an excerpt of the file, several lines long.
  const what = (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '').replace(/:$/, '');
  return new FieldwiseError('yaml-invalid', 'usage', `The YAML does not parse: ${what}`, {
    location: { file: at === undefined ? file : `${file}:${at.line}:${at.col}` },
    next: 'Correct the file at that place',
  });
}
