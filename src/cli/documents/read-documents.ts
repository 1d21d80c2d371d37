import { isUtf8 } from 'node:buffer';
import path from 'node:path';
import type { Alteration } from '../../app/included-alterations.js';
import { unwrapLists } from '../../app/unwrap-lists.js';
import { maxYamlCharacters, megabytes, requireBoundedDocument } from '../../schema/read/source-limits.js';
import { FieldwiseError } from '../../util/error.js';
import { isJsonObject, isList, type Json, type JsonObject } from '../../util/json.js';
import { nonText, textAdvice } from '../../util/non-text.js';
import { decodeText } from '../files/decode-text.js';
import { shellWord } from '../render/shell-word.js';
import { alteredKeys } from './altered-keys.js';
import { type DocumentFile, documentFiles, tooLarge } from './document-files.js';
import type { DocumentHost } from './document-host.js';
import { itemLines } from './item-lines.js';
import { notRendered } from './not-rendered.js';
import { type ParsedDocument, parseDocument } from './parse-document.js';
import { splitDocuments } from './split-documents.js';

/** An object of a document. */
export interface DocumentedObject {
  readonly object: JsonObject;
  /** Position such as `web.yaml:12`. */
  readonly source: string;
  readonly alterations: readonly Alteration[];
}

/**
 * Reads the objects of all documents that paths name; the items of a List are objects of their own.
 *
 * @param reject receives every error: of a file, a document or an object.
 * @param ifMissing what to do about a path that does not exist. @default the advice for `--file`
 */
export async function readDocuments(
  paths: readonly string[],
  host: DocumentHost,
  reject: (error: FieldwiseError) => void,
  ifMissing?: string,
): Promise<readonly DocumentedObject[]> {
  const objects: DocumentedObject[] = [];
  const step = async (read: () => Promise<void> | void) => {
    try {
      await read();
    } catch (error) {
      if (!(error instanceof FieldwiseError)) throw error;
      reject(error);
    }
  };
  for await (const file of documentFiles(paths, host, reject, ifMissing)) {
    await step(async () => {
      for (const document of splitDocuments(documentText(file))) {
        await step(async () => {
          for (const parsed of await parseDocument(document, file.location)) {
            for (const object of objectsOf(parsed, file.location)) await step(() => void objects.push(checked(object)));
          }
        });
      }
    });
  }
  return objects;
}

function documentText({ location, bytes }: DocumentFile): string {
  const text = decodeText(bytes, location, 'Pass YAML or JSON documents.');
  const isUtf16 = bytes[0] === 0xff || bytes[0] === 0xfe;
  if (!isUtf16 && !isUtf8(bytes)) {
    throw new FieldwiseError('yaml-invalid', 'usage', 'The file is not valid UTF-8', {
      location: { file: location },
      next: 'Save it as UTF-8.',
    });
  }
  if (text.length > maxYamlCharacters && !/^\s*\{/.test(text)) {
    throw tooLarge(`The YAML is larger than ${megabytes(maxYamlCharacters)}`, location);
  }
  return text;
}

interface FoundObject {
  readonly value: Json;
  readonly location: string;
  readonly line: number;
  readonly alterations: readonly Alteration[];
}

function objectsOf(document: ParsedDocument, location: string): readonly FoundObject[] {
  const { value, contentLine } = document;
  // Before anything walks the value: aliases may make it endless. Without them, it is no larger than its text.
  if (document.text.includes('&')) requireBounded(value, `${location}:${contentLine}`);
  const alterations = [...document.alterations, ...alteredKeys(document, value, location)];
  if (value === null) return [];
  const objects = unwrapped(value, `${location}:${contentLine}`);
  if (objects.length === 1 && objects[0] === value) return [{ value, location, line: contentLine, alterations }];
  const items = isJsonObject(value) && isList(value.items) ? value.items : [];
  const lines = itemLines(document, items.length);
  return items.flatMap((item, index) =>
    unwrapItem(item, value as JsonObject).map((object) => ({
      value: object,
      location,
      line: lines[index] as number,
      alterations: index === 0 ? alterations : [],
    })),
  );
}

/** Unfolds Lists, also those in Lists. */
function unwrapped(value: Json, file: string): readonly Json[] {
  try {
    return unwrapLists(value);
  } catch (error) {
    if (error instanceof RangeError) throw invalid('The document contains too many Lists inside each other', file);
    throw error;
  }
}

/** Returns the objects of one item, which get the kind of the List if they have none. */
function unwrapItem(item: Json, list: JsonObject): readonly Json[] {
  return unwrapLists({ ...list, items: [item] });
}

function requireBounded(value: Json, file: string): void {
  try {
    requireBoundedDocument(value, file);
  } catch (error) {
    if (!(error instanceof FieldwiseError) || error.code !== 'source-too-large') throw error;
    throw tooLarge(error.message, file);
  }
}

/** @throws FieldwiseError `document-invalid`, `document-not-rendered`. */
function checked({ value, location, line, alterations }: FoundObject): DocumentedObject {
  const source = `${location}:${line}`;
  if (!isJsonObject(value)) throw invalid(`The document is ${described(value)}, not an object`, source);
  const { apiVersion, kind } = value;
  const isKustomization = /^kustomization(?:\.ya?ml)?$/i.test(path.basename(location)) && kind === undefined;
  if (isKustomization || (typeof apiVersion === 'string' && apiVersion.startsWith('kustomize.config.k8s.io/'))) {
    throw notRendered('The document is the input of kustomize', source, `kustomize build ${directoryOf(location)}`);
  }
  for (const [name, text] of Object.entries({ apiVersion, kind })) {
    const found = nonText(text);
    if (found !== undefined) throw invalid(`The ${name} of the document is ${found}`, source, textAdvice(name, text));
  }
  const missing = Object.entries({ apiVersion, kind }).flatMap(([name, text]) => (typeof text === 'string' && text !== '' ? [] : [name]));
  if (missing.length === 0) return { object: value, source, alterations };
  if (kind === undefined && typeof value.version === 'string' && typeof value.name === 'string' && typeof apiVersion === 'string') {
    throw notRendered('The document describes a Helm chart', source, `helm template ${directoryOf(location)}`);
  }
  if (/(?:^|[\\/])values[^\\/]*$/i.test(location)) {
    throw notRendered('The document contains the values of a Helm chart', source, `helm template CHART -f ${shellWord(location)}`);
  }
  throw invalid(`The document has no ${missing.join(' and no ')}, so it is not an object of Kubernetes`, source);
}

/** Returns the directory of a file as a word of a shell, or a placeholder for standard input. */
function directoryOf(location: string): string {
  return location === 'stdin' ? 'DIRECTORY' : shellWord(path.dirname(location));
}

function described(value: Json): string {
  if (value === null) return 'empty';
  return isList(value) ? 'a list' : `a ${typeof value}`;
}

function invalid(what: string, file: string, next?: string): FieldwiseError {
  return new FieldwiseError('document-invalid', 'usage', what, {
    location: { file },
    next: next ?? 'All .yaml, .yml and .json files of a directory are read. Correct the document, or move it elsewhere.',
  });
}
