import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Finding, RootType } from '../../schema/index.js';
import { isCrd, readCrd } from '../../schema/index.js';
import { FieldwiseError } from '../../util/error.js';
import { isJsonObject } from '../../util/json.js';

/** What the CRD sources of one import hold together. */
export interface ImportedCrds {
  readonly roots: readonly RootType[];
  readonly findings: readonly Finding[];
  /** Documents that were passed over, as sentences. */
  readonly skipped: readonly string[];
}

const extensions = /\.(ya?ml|json)$/i;

/**
 * Reads files and directories (with everything below them) of CRDs, several documents a file.
 *
 * @throws FieldwiseError of kind `usage`: `input-missing`, `input-empty`, `yaml-invalid` with line and column, `crd-invalid`,
 *   `crd-twice`.
 */
export async function readCrdSources(sources: readonly string[], cwd: string): Promise<ImportedCrds> {
  const roots: RootType[] = [];
  const findings: Finding[] = [];
  const skipped: string[] = [];
  const seen = new Map<string, string>();
  for (const source of sources) {
    const files = await filesOf(source, cwd);
    let crds = 0;
    for (const file of files) {
      for (const { document, place } of await documentsOf(file, cwd)) {
        if (!isCrd(document)) {
          skipped.push(`${place} is ${describe(document)}, not a CustomResourceDefinition; skipped.`);
          continue;
        }
        crds++;
        const result = readCrd(document, { file: place, docs: true });
        for (const root of result.roots) noteOnce(seen, root, place);
        roots.push(...result.roots);
        findings.push(...result.findings);
      }
    }
    if (crds === 0) throw noCrd(source, files.length, skipped);
  }
  return { roots, findings, skipped };
}

function noteOnce(seen: Map<string, string>, root: RootType, place: string): void {
  const kind = `${root.kind} ${root.apiVersion}`;
  const first = seen.get(kind);
  if (first !== undefined) {
    throw new FieldwiseError('crd-twice', 'usage', `${kind} is defined twice, in ${first} and in ${place}`, {
      place: { file: place },
      next: 'Pass one of the two files',
    });
  }
  seen.set(kind, place);
}

async function filesOf(source: string, cwd: string): Promise<readonly string[]> {
  if (/^(https?:\/\/|github:)/.test(source)) {
    throw new FieldwiseError('input-missing', 'usage', `${source} is an address; import reads files and directories`, {
      next: 'Download the CRD and pass its file',
    });
  }
  const found = await stat(resolve(cwd, source)).catch(() => undefined);
  if (found === undefined) {
    throw new FieldwiseError('input-missing', 'usage', 'There is no such file or directory', {
      place: { file: source },
      next: 'Pass a CRD file, a directory of CRD files, or k8s',
    });
  }
  if (!found.isDirectory()) return [source];
  const names = await readdir(resolve(cwd, source), { recursive: true });
  return names
    .filter((name) => extensions.test(name))
    .sort()
    .map((name) => join(source, name));
}

interface SourceDocument {
  readonly document: unknown;
  /** File, and the number of the document where there are several. */
  readonly place: string;
}

async function documentsOf(file: string, cwd: string): Promise<readonly SourceDocument[]> {
  const text = await readFile(resolve(cwd, file), 'utf8').catch((error: unknown) => {
    throw new FieldwiseError('input-missing', 'usage', 'The file cannot be read', {
      place: { file },
      cause: error,
      next: 'Check its permissions',
    });
  });
  if (text.trim() === '') {
    throw new FieldwiseError('input-empty', 'usage', 'The file is empty', { place: { file }, next: 'Pass a file that holds a CRD' });
  }
  const documents = (await parse(text, file)).filter((document) => document !== null && document !== undefined);
  if (documents.length === 0) {
    throw new FieldwiseError('input-empty', 'usage', 'The file holds no document, only comments or separators', {
      place: { file },
      next: 'Pass a file that holds a CRD',
    });
  }
  const single = documents.length === 1;
  return documents.flatMap((document, index) => {
    const place = single ? file : `${file} (document ${index + 1})`;
    // `kubectl get crd -o yaml` of several answers a List.
    const items = isJsonObject(document) && document.kind === 'List' && Array.isArray(document.items) ? document.items : undefined;
    return items === undefined
      ? [{ document, place }]
      : items.map((item: unknown, at) => ({ document: item, place: `${place} (item ${at + 1})` }));
  });
}

async function parse(text: string, file: string): Promise<unknown[]> {
  // JSON is YAML too, but its own parser is many times faster; a mistake is left to the YAML parser, which knows positions.
  if (/^\s*\{/.test(text)) {
    try {
      return [JSON.parse(text)];
    } catch {}
  }
  const { parseAllDocuments } = await import('yaml');
  return parseAllDocuments(text, { logLevel: 'silent', prettyErrors: true }).map((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw yamlError(file, error.message, error.linePos?.[0]);
    try {
      return document.toJS() as unknown;
    } catch (cause) {
      throw yamlError(file, cause instanceof Error ? cause.message : String(cause), undefined);
    }
  });
}

function yamlError(file: string, message: string, at: { line: number; col: number } | undefined): FieldwiseError {
  // The parser's message goes on with an excerpt of the file, several lines long.
  const what = (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '').replace(/:$/, '');
  return new FieldwiseError('yaml-invalid', 'usage', `The YAML does not parse: ${what}`, {
    place: { file: at === undefined ? file : `${file}:${at.line}:${at.col}` },
    next: 'Correct the file at that place',
  });
}

function noCrd(source: string, files: number, skipped: readonly string[]): FieldwiseError {
  const found =
    files === 0
      ? 'no YAML or JSON file'
      : `no CustomResourceDefinition${skipped.length > 0 ? ` (${skipped.at(-1)?.replace(/; skipped\.$/, '')})` : ''}`;
  return new FieldwiseError('crd-invalid', 'usage', `There is ${found}`, {
    place: { file: source },
    next: 'Pass a file that holds the CRD itself, as `kubectl get crd NAME -o yaml` prints it',
  });
}

function describe(document: unknown): string {
  if (!isJsonObject(document)) return Array.isArray(document) ? 'a list' : `a ${typeof document}`;
  return typeof document.kind === 'string' ? `of kind ${JSON.stringify(document.kind)}` : 'an object without a kind';
}
