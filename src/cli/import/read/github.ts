import { maxArchiveTexts, maxSourceBytes, megabytes } from '../../../schema/read/source-limits.js';
import { FieldwiseError } from '../../../util/error.js';
import { isGzip } from './gzip.js';
import type { FetchOptions } from './http.js';
import { fetchBytes } from './http.js';
import { isIgnoredPath, isSourceName, mentionsCrds } from './source-names.js';
import type { ImportSpec } from './spec.js';
import { shownUrl } from './url.js';

type GithubSpec = Extract<ImportSpec, { kind: 'github' }>;

/** A file of a repository that may contain CRDs. */
export interface RepositoryFile {
  /** `github:owner/repo@ref/path`. */
  readonly location: string;
  readonly content: Buffer;
}

/**
 * Reads one file of a repository, or all YAML and JSON files of the repository or of a directory.
 *
 * @param base address of GitHub or of an enterprise server, such as `https://github.com`; with user and token for private repositories.
 * @throws FieldwiseError `source-unreachable`, `redirect-private`, `input-missing`.
 */
export async function readGithub(spec: GithubSpec, base: string, options: FetchOptions): Promise<readonly RepositoryFile[]> {
  const { owner, repo, ref, path } = spec;
  const root = `${base.replace(/(?<!\/)\/+$/, '')}/${owner}/${repo}`;
  const escaped = (text: string) => text.split('/').map(encodeURIComponent).join('/');
  const locationOf = (file: string) => `github:${owner}/${repo}@${ref}/${file}`;
  if (isSourceName(path)) {
    const content = await fetchBytes(`${root}/raw/${escaped(ref)}/${escaped(path)}`, options);
    return [{ location: locationOf(path), content }];
  }
  const url = `${root}/archive/${escaped(ref)}.tar.gz`;
  const { found, files } = await filesBelow(await fetchBytes(url, options), path, url);
  if (!found) {
    throw new FieldwiseError('input-missing', 'usage', `${owner}/${repo} has no ${path === '' ? 'files' : path} at ${ref}`, {
      location: { file: spec.text },
      next: 'Pass the path of a file or directory in the repository.',
    });
  }
  return files
    .map(({ path: file, content }) => ({ location: locationOf(file), content }))
    .sort((a, b) => (a.location < b.location ? -1 : 1));
}

/** Returns the files at or below a path of an archive that may contain CRDs. */
async function filesBelow(archive: Buffer, path: string, url: string) {
  const { filesOfTarball } = await import('./archive.js');
  const files: { readonly path: string; readonly content: Buffer }[] = [];
  let found = false;
  let read = 0;
  const inside = (full: string) => full.slice(full.indexOf('/') + 1); // the archive has one directory at its top
  const isBelow = (file: string) => path === '' || file === path || file.startsWith(`${path}/`);
  const isWanted = (full: string, size: number) =>
    isBelow(inside(full)) && isSourceName(full) && !isIgnoredPath(inside(full).slice(path.length)) && size <= maxSourceBytes;
  try {
    for await (const file of filesOfTarball(archive, isWanted)) {
      found ||= isBelow(inside(file.path));
      // The repository may be larger than what is kept of it. Compressed files are looked into later.
      if (file.content === undefined || !(isGzip(file.content) || mentionsCrds(file.content.toString('utf8')))) continue;
      read += file.size;
      if (read > maxArchiveTexts) throw new Error(`its files with CRDs are larger than ${megabytes(maxArchiveTexts)}`);
      files.push({ path: inside(file.path), content: file.content });
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new FieldwiseError('source-unreachable', 'usage', `The source cannot be read: ${reason}`, {
      location: { server: shownUrl(url) },
      next: 'Try again, or download the CRDs and pass their files.',
      cause,
    });
  }
  return { found, files };
}
