import { load, YAMLException } from 'js-yaml';
import type { Alteration } from '../../app/included-alterations.js';
import { escapeAsInGo } from '../../schema/read/escape-as-in-go.js';
import { objectsIn } from '../../schema/read/parse-json-documents.js';
import { hasTemplateAction, isTemplated } from '../../schema/read/template.js';
import { FieldwiseError } from '../../util/error.js';
import { parseExactJson } from '../../util/exact-json.js';
import type { Json } from '../../util/json.js';
import { maxJsonDepth } from '../../util/max-json-depth.js';
import { plainScalar } from '../../util/yaml-scalar.js';
import { yamlSchemaOf } from '../../util/yaml-schema.js';
import { YamlTextError } from '../../util/yaml-text-error.js';
import { templateInDocuments } from './not-rendered.js';
import type { DocumentText } from './split-documents.js';

/** The value of a document. */
export interface ParsedDocument extends DocumentText {
  readonly value: Json;
  readonly alterations: readonly Alteration[];
}

/** The longest part of a message of the parser. */
const maxReason = 160;
const options = { schema: yamlSchemaOf(plainScalar), maxDepth: maxJsonDepth } as const;

/**
 * Parses a document as kubectl does: words and numbers of YAML 1.1, whole numbers with all digits, and several JSON documents after each
 * other. The last of repeated keys counts, with a warning.
 *
 * @throws FieldwiseError `yaml-invalid` with line and column, `template-not-rendered`.
 */
export async function parseDocument(document: DocumentText, location: string): Promise<readonly ParsedDocument[]> {
  const { text } = document;
  if (/^(?:---)?\s*\{/.test(text)) {
    const parsed = parseJson(document);
    if (parsed !== undefined) return parsed;
  }
  try {
    const parsed = await parseYaml(document, location);
    if (hasTemplateAction(text) && isTemplated(parsed.value)) throw templateInDocuments(location);
    return [parsed];
  } catch (error) {
    throw asFieldwiseError(error, document, location);
  }
}

/** Returns undefined for a text that is not JSON, such as a map in the flow style of YAML. */
function parseJson(document: DocumentText): readonly ParsedDocument[] | undefined {
  const text = document.text.replace(/^---/, '   ');
  try {
    return [{ ...document, value: parseExactJson(text), alterations: [] }];
  } catch {}
  try {
    let { line } = document;
    return objectsIn(text)?.map((part) => {
      const before = /^\s*/.exec(part)?.[0] ?? '';
      const parsed = { text: part, line, contentLine: line + newlines(before), value: parseExactJson(part), alterations: [] };
      line += newlines(part);
      return parsed;
    });
  } catch {
    return undefined;
  }
}

async function parseYaml(document: DocumentText, location: string): Promise<ParsedDocument> {
  const { text } = document;
  try {
    return { ...document, value: yamlValue(text), alterations: [] };
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    if (error.reason === 'unknown escape sequence') return { ...document, value: yamlValue(await escapeAsInGo(text)), alterations: [] };
    if (error.reason !== 'duplicated mapping key') throw error;
    const line = document.line + (error.mark?.line ?? 0);
    const message = 'a key is repeated, and the last of its values counts';
    return { ...document, value: yamlValue(text, true), alterations: [{ document: 0, location: `${location}:${line}`, message }] };
  }
}

/** @param json the last of repeated keys counts; otherwise, a repeated key is an error. */
function yamlValue(text: string, json = false): Json {
  return (load(text, { ...options, json }) ?? null) as Json;
}

function asFieldwiseError(error: unknown, { text, line }: DocumentText, location: string): unknown {
  if (error instanceof FieldwiseError) return error;
  if (/^\s*<(?:!doctype|html)\b/i.test(text)) return yamlInvalid('it is an HTML page', location, 'Pass the document itself.');
  if (hasTemplateAction(text)) return templateInDocuments(location);
  if (error instanceof RangeError) return yamlInvalid(`it nests deeper than ${maxJsonDepth} levels`, `${location}:${line}`);
  if (error instanceof YamlTextError) return yamlInvalid(error.message, `${location}:${line}`);
  if (!(error instanceof YAMLException)) return error;
  const { reason, mark } = error;
  const position = mark === undefined ? line : `${line + mark.line}:${mark.column + 1}`;
  return yamlInvalid(reason, `${location}:${position}`);
}

function yamlInvalid(reason: string, file: string, next = 'Correct the document at this position.'): FieldwiseError {
  const line = reason.split('\n')[0] ?? '';
  const shown = line.length > maxReason ? `${line.slice(0, maxReason)}…` : line;
  return new FieldwiseError('yaml-invalid', 'usage', `The YAML does not parse: ${shown}`, { location: { file }, next });
}

function newlines(text: string): number {
  return text.split('\n').length - 1;
}
