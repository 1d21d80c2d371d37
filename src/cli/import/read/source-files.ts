import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { readBounded } from '../../../schema/read/source-limits.js';
import { FieldwiseError } from '../../../util/error.js';
import type { ClusterSchemas } from './cluster.js';
import { isIgnoredPath, isSourceName } from './source-names.js';
import type { ImportSpec } from './spec.js';
import { shownUrl } from './url.js';

/** The places that sources are read from. */
export interface SourceContext {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: () => Promise<Buffer>;
  readonly cluster: ClusterSchemas;
  readonly signal?: AbortSignal | undefined;
  /** Follow redirects into private networks. */
  readonly allowPrivateRedirects?: boolean;
}

/** A file of a source, as it is stored: compressed or not. */
export interface SourceFile {
  readonly location: string;
  readonly content: () => Promise<Buffer>;
  /** True for a file of a directory or repository, which nobody named. */
  readonly several: boolean;
}

/**
 * Returns the files that a spec names, except for `k8s` and clusters.
 *
 * @throws FieldwiseError `input-missing`, `source-unreachable`, `redirect-private`.
 */
export async function filesOf(
  spec: ImportSpec,
  { cwd, env, stdin, signal, allowPrivateRedirects = false }: SourceContext,
): Promise<readonly SourceFile[]> {
  const request = { signal, allowPrivateRedirects };
  switch (spec.kind) {
    case 'stdin':
      return [{ location: 'standard input', content: stdin, several: false }];
    case 'url': {
      const { fetchBytes } = await import('./http.js');
      return [{ location: shownUrl(spec.url), content: () => fetchBytes(spec.url, request), several: false }];
    }
    case 'github': {
      const { readGithub } = await import('./github.js');
      const files = await readGithub(spec, env.FIELDWISE_GITHUB_URL || 'https://github.com', request);
      const several = !isSourceName(spec.path);
      return files.map(({ location, content }) => ({ location, content: async () => content, several }));
    }
    case 'path':
      return filesBelow(spec.path, cwd);
    default:
      throw new Error(`A source of kind ${spec.kind} has no files.`);
  }
}

async function filesBelow(source: string, cwd: string): Promise<readonly SourceFile[]> {
  const found = await stat(resolve(cwd, source)).catch(() => undefined);
  if (found === undefined) {
    throw new FieldwiseError('input-missing', 'usage', 'The file or directory does not exist', {
      location: { file: source },
      next: 'Pass a CRD file, a directory of CRD files, a URL, - for standard input, or k8s.',
    });
  }
  if (!found.isDirectory()) return [{ location: source, content: () => readFile(source, cwd), several: false }];
  const names = await readdir(resolve(cwd, source), { recursive: true });
  const files = names
    .filter((name) => isSourceName(name) && !isIgnoredPath(name))
    .sort()
    .map((name) => join(source, name));
  // Directories and pipes can have such names, too, and reading a pipe might never end.
  const isFile = await Promise.all(files.map(async (file) => (await stat(resolve(cwd, file)).catch(() => undefined))?.isFile() !== false));
  return files.filter((_, index) => isFile[index]).map((file) => ({ location: file, content: () => readFile(file, cwd), several: true }));
}

async function readFile(file: string, cwd: string): Promise<Buffer> {
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
