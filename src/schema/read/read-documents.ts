import { FieldwiseError } from '../../util/error.js';
import { isJsonObject } from '../../util/json.js';
import { maxYamlCharacters, megabytes, requireBoundedDocument, sourceTooLarge } from './source-limits.js';

/** One document of a source. */
export interface SourceDocument {
  readonly document: unknown;
  /** File or address, and the number of the document if there are several. */
  readonly location: string;
}

/**
 * Reads the documents of a YAML or JSON text. A List is replaced by its items.
 *
 * @param file the name of the text in errors.
 * @throws FieldwiseError `input-empty`, `source-too-large`, `yaml-invalid` with line and column.
 */
export async function readDocuments(text: string, file: string): Promise<readonly SourceDocument[]> {
  if (text.trim() === '') {
    throw new FieldwiseError('input-empty', 'usage', 'The file is empty', { location: { file }, next: 'Pass a file that contains a CRD.' });
  }
  const documents = (await parse(text, file)).filter((document) => document !== null && document !== undefined);
  for (const document of documents) requireBoundedDocument(document, file);
  if (documents.length === 0) {
    throw new FieldwiseError('input-empty', 'usage', 'The file contains only comments or separators', {
      location: { file },
      next: 'Pass a file that contains a CRD.',
    });
  }
  const single = documents.length === 1;
  return documents.flatMap((document, index) => {
    const location = single ? file : `${file} (document ${index + 1})`;
    // `kubectl get crd -o yaml` prints a List if there are several.
    const items = isJsonObject(document) && document.kind === 'List' && Array.isArray(document.items) ? document.items : undefined;
    return items === undefined
      ? [{ document, location }]
      : items.map((item: unknown, at) => ({ document: item, location: `${location} (item ${at + 1})` }));
  });
}

async function parse(text: string, file: string): Promise<unknown[]> {
  // JSON is YAML, but its own parser is many times faster. Invalid JSON is left to the YAML parser, which reports positions.
  if (/^\s*\{/.test(text)) {
    try {
      return [JSON.parse(text)];
    } catch {}
  }
  if (text.length > maxYamlCharacters) {
    throw sourceTooLarge(`The YAML is larger than ${megabytes(maxYamlCharacters)}`, file);
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
    // A RangeError comes from endless aliases, or from nesting that exhausts the stack of the parser.
    const message = cause instanceof RangeError ? 'it is nested too deeply' : cause instanceof Error ? cause.message : String(cause);
    throw yamlError(file, message, undefined);
  }
}

function yamlError(file: string, message: string, at: { line: number; col: number } | undefined): FieldwiseError {
  // The first line is the message of the parser; an excerpt of the file follows.
  const what = (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '').replace(/:$/, '');
  return new FieldwiseError('yaml-invalid', 'usage', `The YAML does not parse: ${what}`, {
    location: { file: at === undefined ? file : `${file}:${at.line}:${at.col}` },
    next: 'Correct the file at this position.',
  });
}
