import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { OpenApiDocument } from '../../../schema/index.js';
import { isCrdDocument } from '../../../schema/index.js';
import type { SourceDocument } from '../../../schema/read/read-documents.js';
import { readDocuments } from '../../../schema/read/read-documents.js';
import { readBounded } from '../../../schema/read/source-limits.js';
import { FieldwiseError } from '../../../util/error.js';
import { isJsonObject } from '../../../util/json.js';
import type { ClusterCrd, ClusterSchemas } from './cluster.js';
import type { ImportSpec } from './spec.js';
import { shownUrl } from './url.js';

/** The content of the source that one spec names. */
export interface ImportSource {
  readonly spec: ImportSpec;
  readonly crds: readonly ClusterCrd[];
  readonly openApi: readonly OpenApiDocument[];
  /** The skipped documents, as sentences. */
  readonly skipped: readonly string[];
}

export interface SourceContext {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: () => Promise<string>;
  readonly cluster: ClusterSchemas;
  readonly signal?: AbortSignal | undefined;
  /** Follow redirects into private networks. */
  readonly allowPrivateRedirects?: boolean;
}

const extensions = /\.(ya?ml|json)$/i;
/** The number of skipped documents per file that are listed; more are only counted. */
const listed = 3;

/**
 * Reads the CRDs that a spec names, except for `k8s`.
 *
 * @throws FieldwiseError of kind `usage`: `input-missing`, `input-empty`, `yaml-invalid` with line and column, `crd-invalid`,
 *   `source-unreachable`, `api-not-served`.
 */
export async function readSource(spec: ImportSpec, context: SourceContext): Promise<ImportSource> {
  if (spec.kind === 'cluster') return { spec, skipped: [], ...(await context.cluster.read(spec.wanted)) };
  const crds: SourceDocument[] = [];
  const skipped: string[] = [];
  const texts = await textsOf(spec, context);
  for (const { location, text } of texts) {
    const others: SourceDocument[] = [];
    for (const found of await documentsOf(await text(), location, spec, skipped))
      (isCrdDocument(found.document) ? crds : others).push(found);
    skipped.push(...describeSkipped(location, others));
  }
  if (crds.length === 0) throw noCrd(spec, texts.length, skipped);
  return { spec, crds, openApi: [], skipped };
}

async function documentsOf(text: string, location: string, spec: ImportSpec, skipped: string[]): Promise<readonly SourceDocument[]> {
  if (spec.kind !== 'github') return readDocuments(text, location);
  try {
    return await readDocuments(text, location);
  } catch (error) {
    // A repository may also contain templates and test data that are not valid YAML.
    if (!(error instanceof FieldwiseError)) throw error;
    skipped.push(`${location} cannot be read: ${error.message}; skipped.`);
    return [];
  }
}

interface NamedText {
  readonly location: string;
  readonly text: () => Promise<string>;
}

async function textsOf(
  spec: ImportSpec,
  { cwd, env, stdin, signal, allowPrivateRedirects = false }: SourceContext,
): Promise<readonly NamedText[]> {
  const request = { signal, allowPrivateRedirects };
  switch (spec.kind) {
    case 'stdin':
      return [{ location: 'standard input', text: stdin }];
    case 'url': {
      const { fetchBytes } = await import('./http.js');
      return [{ location: shownUrl(spec.url), text: async () => (await fetchBytes(spec.url, request)).toString('utf8') }];
    }
    case 'github': {
      const { readGithub } = await import('./github.js');
      const files = await readGithub(spec, env.FIELDWISE_GITHUB_URL || 'https://github.com', request);
      return files.map(({ location, text }) => ({ location, text: async () => text }));
    }
    case 'path': {
      const files = await filesOf(spec.path, cwd);
      return files.map((file) => ({ location: file, text: () => readText(file, cwd) }));
    }
    default:
      throw new Error(`A source of kind ${spec.kind} has no text.`);
  }
}

async function filesOf(source: string, cwd: string): Promise<readonly string[]> {
  const found = await stat(resolve(cwd, source)).catch(() => undefined);
  if (found === undefined) {
    throw new FieldwiseError('input-missing', 'usage', 'The file or directory does not exist', {
      location: { file: source },
      next: 'Pass a CRD file, a directory of CRD files, a URL, - for standard input, or k8s.',
    });
  }
  if (!found.isDirectory()) return [source];
  const names = await readdir(resolve(cwd, source), { recursive: true });
  const files = names
    .filter((name) => extensions.test(name))
    .sort()
    .map((name) => join(source, name));
  // Directories and pipes can have such names, too, and reading a pipe might never end.
  const isFile = await Promise.all(files.map(async (file) => (await stat(resolve(cwd, file)).catch(() => undefined))?.isFile() !== false));
  return files.filter((_, index) => isFile[index]);
}

async function readText(file: string, cwd: string): Promise<string> {
  try {
    return await readBounded(createReadStream(resolve(cwd, file)), file);
  } catch (error) {
    if (error instanceof FieldwiseError) throw error;
    throw new FieldwiseError('input-missing', 'usage', 'The file cannot be read', {
      location: { file },
      cause: error,
      next: 'Check its permissions.',
    });
  }
}

function describeSkipped(file: string, others: readonly SourceDocument[]): string[] {
  if (others.length <= listed) {
    return others.map(({ document, location }) => `${location} is ${describe(document)}, not a CustomResourceDefinition; skipped.`);
  }
  const counts = new Map<string, number>();
  for (const { document } of others) {
    const kind = isJsonObject(document) && typeof document.kind === 'string' ? document.kind : 'without a kind';
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const kinds = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([kind, count]) => `${count} ${kind}`);
  return [`${file} contains ${others.length} documents that are not CustomResourceDefinitions (${kinds.join(', ')}); skipped.`];
}

function noCrd(spec: ImportSpec, files: number, skipped: readonly string[]): FieldwiseError {
  const found =
    files === 0
      ? spec.kind === 'github'
        ? 'no file with a CustomResourceDefinition'
        : 'no YAML or JSON file'
      : `no CustomResourceDefinition${skipped.length > 0 ? ` (${skipped.at(-1)?.replace(/; skipped\.$|\.$/, '')})` : ''}`;
  return new FieldwiseError('crd-invalid', 'usage', `There is ${found}`, {
    location: { file: spec.kind === 'path' ? spec.path : spec.kind === 'stdin' ? 'standard input' : spec.text },
    next: 'Pass a file that contains the CRD itself, as `kubectl get crd NAME -o yaml` prints it.',
  });
}

function describe(document: unknown): string {
  if (!isJsonObject(document)) return Array.isArray(document) ? 'a list' : `a ${typeof document}`;
  return typeof document.kind === 'string' ? `of kind ${JSON.stringify(document.kind)}` : 'an object without a kind';
}
