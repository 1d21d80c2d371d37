import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Document, LineCounter } from 'yaml';
import { FieldwiseError } from '../util/error.js';
import type { Json } from '../util/json.js';
import { ownModule } from '../util/own-module.js';
import { sourceOf } from './source-position.js';

/** The documents of an included file that are not empty, and their values. */
export interface IncludedYaml {
  readonly text: string;
  readonly documents: readonly Document.Parsed[];
  readonly values: Json[];
  readonly lines: LineCounter;
}

/**
 * Parses an included file as cdk8s does: YAML 1.1, the last of repeated keys, without empty documents. Undefined for an address that is not
 * a readable file, which is left to cdk8s.
 *
 * @throws FieldwiseError `yaml-invalid` with line and column.
 */
export function parseIncluded(url: string): IncludedYaml | undefined {
  const text = textAt(url);
  if (text === undefined) return undefined;
  const yaml = createRequire(ownModule)('yaml') as typeof import('yaml');
  const lines = new yaml.LineCounter();
  const options = { version: '1.1', lineCounter: lines, prettyErrors: false, logLevel: 'silent' } as const;
  const parsed = yaml.parseAllDocuments(text, options) as readonly Document.Parsed[];
  refuseErrors(url, parsed, lines);
  const documents = parsed
    .map((document) => ({ document, value: document.toJSON() as Json | undefined }))
    .filter(({ value }) => !isEmpty(value));
  return { text, documents: documents.map(({ document }) => document), values: documents.map(({ value }) => value as Json), lines };
}

function refuseErrors(url: string, documents: readonly Document.Parsed[], lines: LineCounter): void {
  // Many charts repeat a key, and kubectl takes the last one, too.
  const [first, ...others] = documents.flatMap(({ errors }) => errors).filter(({ code }) => code !== 'DUPLICATE_KEY');
  if (first === undefined) return;
  const { line, col } = lines.linePos(first.pos[0]);
  const more = others.length === 0 ? '' : ` (and ${others.length} more after it)`;
  throw new FieldwiseError('yaml-invalid', 'usage', `The included YAML does not parse: ${first.message}${more}`, {
    location: { file: `${url}:${line}:${col}`, ...sourceOf('Include') },
    next: 'Correct it there; render a template of a Helm chart first.',
  });
}

function textAt(url: string): string | undefined {
  if (/^https?:/i.test(url)) return undefined;
  try {
    return readFileSync(url.startsWith('file:') ? fileURLToPath(url) : url, 'utf8');
  } catch {
    return undefined;
  }
}

/** Returns true for values that cdk8s skips. */
function isEmpty(value: Json | undefined): boolean {
  return value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}
