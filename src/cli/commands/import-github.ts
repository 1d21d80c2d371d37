import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { FieldwiseError } from '../../util/error.js';
import type { ArchivedFile } from './import-archive.js';
import { fetchBytes } from './import-http.js';
import type { ImportSpec } from './import-spec.js';

type GithubSpec = Extract<ImportSpec, { kind: 'github' }>;

/** A file of a repository that may hold CRDs. */
export interface RepositoryFile {
  /** `github:owner/repo@ref/path`. */
  readonly place: string;
  readonly text: string;
}

const extension = /\.(ya?ml|json)$/i;

/**
 * Reads one file of a repository, or every YAML and JSON file of it or of a directory that speaks of CRDs.
 *
 * @param base address of GitHub, or of an enterprise server: `https://github.com`.
 * @throws FieldwiseError `source-unreachable`, `input-missing`.
 */
export async function readGithub(spec: GithubSpec, base: string, signal?: AbortSignal): Promise<readonly RepositoryFile[]> {
  const { owner, repo, ref, path } = spec;
  const root = `${base.replace(/(?<!\/)\/+$/, '')}/${owner}/${repo}`;
  const escaped = (text: string) => text.split('/').map(encodeURIComponent).join('/');
  const placeOf = (file: string) => `github:${owner}/${repo}@${ref}/${file}`;
  if (extension.test(path)) {
    const content = await fetchBytes(`${root}/raw/${escaped(ref)}/${escaped(path)}`, signal);
    return [{ place: placeOf(path), text: content.toString('utf8') }];
  }
  const url = `${root}/archive/${escaped(ref)}.tar.gz`;
  const files = await filesOfArchive(await fetchBytes(url, signal), url);
  const below = files
    .map((file) => ({ path: file.path.slice(file.path.indexOf('/') + 1), text: file.text })) // the archive has one directory at its top
    .filter((file) => path === '' || file.path === path || file.path.startsWith(`${path}/`));
  if (below.length === 0) {
    throw new FieldwiseError('input-missing', 'usage', `${owner}/${repo} has no ${path === '' ? 'files' : path} at ${ref}`, {
      place: { file: spec.text },
      next: 'Check the path; it is a file or a directory of the repository',
    });
  }
  // A repository holds much besides: only what speaks of a CRD is looked at.
  return below
    .filter((file) => extension.test(file.path))
    .map((file) => ({ place: placeOf(file.path), text: file.text() }))
    .filter((file) => /kind["']?\s*:\s*["']?CustomResourceDefinition\b/.test(file.text))
    .sort((a, b) => (a.place < b.place ? -1 : 1));
}

async function filesOfArchive(bytes: Buffer, url: string): Promise<readonly ArchivedFile[]> {
  const { filesOfTar } = await import('./import-archive.js');
  try {
    const unpacked = await promisify(gunzip)(bytes, { maxOutputLength: 1024 * 1024 * 1024 });
    return [...filesOfTar(unpacked)];
  } catch (cause) {
    throw new FieldwiseError(
      'source-unreachable',
      'usage',
      `The source cannot be read: ${cause instanceof Error ? cause.message : cause}`,
      {
        place: { server: url },
        next: 'Try again; or download the CRDs and pass their files',
        cause,
      },
    );
  }
}
