import { FieldwiseError } from '../../util/error.js';
import type { Json } from '../../util/json.js';
import { plainScalar } from '../../util/yaml-scalar.js';
import { parseJsonDocuments } from './parse-json-documents.js';
import { maxYamlCharacters, megabytes, sourceTooLarge } from './source-limits.js';
import { hasTemplateAction, isTemplated, templateNotRendered } from './template.js';

const maxDepth = 1000;
/** Characters of what a parser quotes. */
const maxReason = 160;

/**
 * Parses a YAML or JSON text as tools written in Go read it: words and numbers of YAML 1.1, repeated keys in
 * documents of other kinds (charts repeat labels), several JSON documents after each other.
 *
 * @returns the documents; null for an empty one.
 * @throws FieldwiseError `source-too-large`, `template-not-rendered`, `yaml-invalid` with line and column.
 */
export async function parseDocuments(text: string, file: string): Promise<readonly unknown[]> {
  // JSON is YAML, but its own parser is faster. Invalid JSON is left to the YAML parser, which reports positions.
  const json = /^\s*\{/.test(text) ? parseJsonDocuments(text) : undefined;
  if (json !== undefined) return json;
  if (text.length > maxYamlCharacters) throw sourceTooLarge(`The YAML is larger than ${megabytes(maxYamlCharacters)}`, file);
  requireContent(text, file);
  const { YAMLException } = await import('js-yaml');
  let documents: readonly unknown[];
  try {
    documents = await parseYaml(text);
  } catch (error) {
    if (hasTemplateAction(text)) throw templateNotRendered(file);
    // A RangeError comes from nesting that exhausts the stack of the parser.
    if (error instanceof RangeError) throw yamlError(file, 'it is nested too deeply');
    if (!(error instanceof YAMLException)) throw yamlError(file, error instanceof Error ? error.message : String(error));
    const { reason, mark } = error;
    throw yamlError(file, reason, mark === undefined ? undefined : `${mark.line + 1}:${mark.column + 1}`);
  }
  if (hasTemplateAction(text) && documents.some(isTemplated)) throw templateNotRendered(file);
  return documents;
}

async function parseYaml(text: string): Promise<readonly unknown[]> {
  const [{ loadAll, YAMLException }, { yamlSchemaOf }] = await Promise.all([import('js-yaml'), import('../../util/yaml-schema.js')]);
  const options = { schema: yamlSchemaOf(roundedScalar), maxDepth };
  // With `json`, the last of repeated keys counts.
  const parse = (source: string, json = false) => loadAll(source, undefined, { ...options, json });
  try {
    return parse(text);
  } catch (error) {
    const reason = error instanceof YAMLException ? error.reason : '';
    if (reason === 'duplicated mapping key') {
      for (const document of documentsWithCrds(text)) parse(document);
      return parse(text, true);
    }
    if (reason !== 'unknown escape sequence') throw error;
    const { escapeAsInGo } = await import('./escape-as-in-go.js');
    return parse(await escapeAsInGo(text));
  }
}

/** Returns the documents that may be CRDs, each after so many empty lines that it keeps its line numbers. */
function documentsWithCrds(text: string): readonly string[] {
  const documents: string[] = [];
  let line = 0;
  for (const document of text.split(/^(?=---)/m)) {
    if (document.includes('CustomResourceDefinition')) documents.push(`${'\n'.repeat(line)}${document}`);
    line += document.split('\n').length - 1;
  }
  // A single document must not repeat a key, whatever it is.
  return documents.length === 0 && !/^---/m.test(text) ? [text] : documents;
}

/** Numbers of schemas are compared and never written, so they are rounded as `JSON.parse` rounds them. */
function roundedScalar(text: string): Json {
  const value = plainScalar(text);
  return typeof value === 'bigint' ? Number(value) : value;
}

/** Rejects what stands in the place of a file, and may be YAML nevertheless: a text. */
function requireContent(text: string, file: string): void {
  if (/^\s*<(?:!doctype|html)\b/i.test(text)) throw htmlPage(file);
  if (!text.startsWith('version https://git-lfs.github.com/spec/')) return;
  throw new FieldwiseError('yaml-invalid', 'usage', 'The file is a pointer of Git LFS, not the content that it stands for', {
    location: { file },
    next: 'Run `git lfs pull` in its repository.',
  });
}

function htmlPage(file: string): FieldwiseError {
  return new FieldwiseError('yaml-invalid', 'usage', 'The source is an HTML page, not YAML or JSON', {
    location: { file },
    next: 'Pass the URL of the file itself; for a file on GitHub write github:OWNER/REPO@REF/PATH.',
  });
}

function yamlError(file: string, reason: string, position?: string): FieldwiseError {
  const line = reason.split('\n')[0] ?? '';
  const shown = line.length > maxReason ? `${line.slice(0, maxReason)}…` : line;
  return new FieldwiseError('yaml-invalid', 'usage', `The YAML does not parse: ${shown}`, {
    location: { file: position === undefined ? file : `${file}:${position}` },
    next: position === undefined ? 'Correct the file.' : 'Correct the file at this position.',
  });
}
