import { FieldwiseError } from '../../util/error.js';
import type { Json, JsonObject } from '../../util/json.js';
import { isJsonObject } from '../../util/json.js';
import { parseDocuments } from './parse-documents.js';
import { requireBoundedDocument } from './source-limits.js';

/** One document of a source. */
export interface SourceDocument {
  readonly document: unknown;
  /** File or address, and the number of the document if there are several. */
  readonly location: string;
}

/**
 * Reads the documents of a YAML or JSON text. A list of objects (`List`, `CustomResourceDefinitionList`, or a
 * plain list) is replaced by its items.
 *
 * @param file the name of the text in errors.
 * @throws FieldwiseError `input-empty`, `source-too-large`, `template-not-rendered`, `yaml-invalid` with line and column.
 */
export async function readDocuments(text: string, file: string): Promise<readonly SourceDocument[]> {
  if (text.trim() === '') {
    throw new FieldwiseError('input-empty', 'usage', 'The file is empty', { location: { file }, next: 'Pass a file that contains a CRD.' });
  }
  const documents = (await parseDocuments(text, file)).filter((document) => document !== null && document !== undefined);
  for (const document of documents) requireBoundedDocument(document, file);
  if (documents.length === 0) {
    throw new FieldwiseError('input-empty', 'usage', 'The file contains only comments or separators', {
      location: { file },
      next: 'Pass a file that contains a CRD.',
    });
  }
  const single = documents.length === 1;
  return documents.flatMap((document, index) => itemsOf(document, single ? file : `${file} (document ${index + 1})`, 0));
}

/** Lists of lists beyond this depth are documents themselves. */
const maxListDepth = 10;

function itemsOf(document: unknown, location: string, depth: number): SourceDocument[] {
  if (depth < maxListDepth && Array.isArray(document) && document.some((item) => isJsonObject(item) && typeof item.kind === 'string')) {
    return document.flatMap((item, at) => itemsOf(item, `${location} (item ${at + 1})`, depth + 1));
  }
  // `kubectl get crd -o yaml` prints a List if there are several; the API server and Go programs write lists of one kind.
  if (depth === maxListDepth || !isJsonObject(document) || !isList(document)) return [{ document, location }];
  const { apiVersion, kind } = document;
  const items = (document.items ?? []) as readonly Json[];
  const type = kind === 'List' ? {} : { apiVersion: apiVersion ?? null, kind: String(kind).slice(0, -'List'.length) };
  return items.flatMap((item, at) =>
    // Items of a list of one kind may omit apiVersion and kind.
    itemsOf(isJsonObject(item) ? { ...type, ...item } : item, `${location} (item ${at + 1})`, depth + 1),
  );
}

function isList({ kind, items }: JsonObject): boolean {
  return /^(?:CustomResourceDefinition)?List$/.test(String(kind)) && (Array.isArray(items) || items === undefined || items === null);
}
