import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ApplyInput, declaredObject } from '../controller/apply/resolve-intent.js';
import { readDocuments } from '../schema/read/read-documents.js';
import { FieldwiseError } from '../util/error.js';
import { parseExactJson, stringifyExactJson } from '../util/exact-json.js';
import { isJsonObject, type JsonObject } from '../util/json.js';
import { wrongUse } from './wrong-use.js';

/** The path of a file or a directory of YAML or JSON, or one object: a literal or a builder. */
export type ObjectSource = string | URL | object;

/** A file as it was when it was found. */
interface SourceFile {
  readonly file: string;
  /** Differs if the file was written since. */
  readonly version: string;
  /** True for a file of a directory, in which documents that are not objects may stand beside the objects. */
  readonly found: boolean;
}

/** A source whose files are known and not read yet, or an object as JSON: as it was when the caller passed it. */
export type LocatedSource = SourceFile | { readonly json: string };

/** An object with its origin, for errors. */
export interface SourceObject {
  readonly object: JsonObject;
  readonly origin: string;
  /** See `SourceFile`. */
  readonly found: boolean;
}

/**
 * Finds the files of sources, without reading them.
 *
 * @param option the name of the option, for errors.
 * @throws FieldwiseError `input-missing`, `option-invalid`, `intent-invalid`.
 */
export async function locateSources(sources: ObjectSource | readonly ObjectSource[], option: string): Promise<readonly LocatedSource[]> {
  const list = (Array.isArray(sources) ? sources : [sources]) as readonly ObjectSource[];
  return (await Promise.all(list.map((source) => locate(source, option)))).flat();
}

async function locate(source: ObjectSource, option: string): Promise<readonly LocatedSource[]> {
  if (typeof source === 'string' || source instanceof URL)
    return filesOf(source instanceof URL ? fileURLToPath(source) : path.resolve(source));
  if (isJsonObject(source)) return [{ json: stringifyExactJson(declaredObject(source as ApplyInput)) }];
  throw wrongUse(`The option \`${option}\``, source, 'paths of files and directories, and objects');
}

async function filesOf(root: string): Promise<readonly SourceFile[]> {
  const known = await stat(root).catch(() => undefined);
  if (known === undefined) {
    throw new FieldwiseError('input-missing', 'usage', 'The file or directory does not exist', {
      location: { file: root },
      next: `Correct the path; it is relative to the working directory, ${process.cwd()}. A URL is relative to a module: new URL('crds', import.meta.url).`,
    });
  }
  if (!known.isDirectory()) return [{ file: root, version: versionOf(known), found: false }];
  const names = (await readdir(root, { recursive: true })).filter((name) => /\.(?:ya?ml|json)$/i.test(name)).sort();
  const files = names.map((name) => path.join(root, name));
  const stats = await Promise.all(files.map((file) => stat(file).catch(() => undefined)));
  return files.flatMap((file, index) => {
    const found = stats[index];
    return found?.isFile() === true ? [{ file, version: versionOf(found), found: true }] : [];
  });
}

function versionOf({ mtimeMs, size, ino }: { readonly mtimeMs: number; readonly size: number; readonly ino: number }): string {
  return `${mtimeMs}/${size}/${ino}`;
}

/**
 * Reads the objects of sources; a List is replaced by its items.
 *
 * @throws FieldwiseError `input-missing`, `input-empty`, `yaml-invalid`, `source-too-large`, `option-invalid`.
 */
export async function readSources(sources: readonly LocatedSource[]): Promise<readonly SourceObject[]> {
  return (await Promise.all(sources.map(readSource))).flat();
}

async function readSource(source: LocatedSource): Promise<readonly SourceObject[]> {
  if ('json' in source) return [{ object: parseExactJson(source.json) as JsonObject, origin: 'an object', found: false }];
  const { file, found } = source;
  const text = await readFile(file, 'utf8');
  if (found && text.trim() === '') return [];
  const documents = await readDocuments(text, file);
  return documents.flatMap(({ document, location }) => {
    if (isJsonObject(document) && typeof document.apiVersion === 'string' && typeof document.kind === 'string')
      return [{ object: document, origin: location, found }];
    if (found) return [];
    throw new FieldwiseError('object-file-invalid', 'usage', 'A document has no apiVersion or no kind', {
      location: { file: location },
      next: 'Pass a YAML or JSON file of Kubernetes objects.',
    });
  });
}
