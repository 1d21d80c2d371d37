import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { kubernetesVersion } from '../../../../codegen/index.js';
import type { OpenApiDocument, RootType, Table } from '../../../schema/index.js';
import { rootTypes } from '../../../schema/table/decode-table.js';
import { FieldwiseError } from '../../../util/error.js';
import { packageFile } from '../../../util/package-file.js';

/** Returns true for group-versions of Kubernetes itself. */
export function isBuiltInPath(groupVersion: string): boolean {
  return /^api\/v1$|^apis\/([a-z]+|[a-z.]+\.k8s\.io)\/v\d+$/.test(groupVersion);
}

/**
 * Rejects `k8s@VERSION` for a version that does not ship with Fieldwise.
 *
 * @throws FieldwiseError `kubernetes-version-unknown`.
 */
export function requireKnownVersion(version: string): void {
  if (version === kubernetesVersion || version.startsWith(`${kubernetesVersion}.`)) return;
  throw new FieldwiseError(
    'kubernetes-version-unknown',
    'usage',
    `The built-in API of Kubernetes ${version} does not ship with Fieldwise`,
    {
      next: `Use k8s@${kubernetesVersion}. For another version, pass its OpenAPI v3 documents with --openapi, or read a cluster of that version with --from-cluster.`,
    },
  );
}

/** Reads the built-in API that ships with Fieldwise from its tables. */
export async function shippedRoots(): Promise<readonly RootType[]> {
  const directory = packageFile('lib/generated');
  const names = (await readdir(directory, { recursive: true })).map((name) => /^([\w-]+)[\\/](v\w+)\.[jt]s$/.exec(name));
  const modules = names.flatMap((match) => (match === null ? [] : [`${match[1]}/${match[2]}`])).sort();
  const roots = await Promise.all(
    modules.map(async (module) => {
      const specifier = `fieldwise/k8s/${module}`;
      const { $table } = (await import(specifier)) as { readonly $table: Table };
      return rootTypes($table);
    }),
  );
  return roots.flat().filter((root) => root.subresource === undefined);
}

/**
 * Reads an OpenAPI v3 document, or a directory of them.
 *
 * @throws FieldwiseError `input-missing`, `openapi-invalid`.
 */
export async function openApiAt(source: string, cwd: string): Promise<readonly OpenApiDocument[]> {
  const path = resolve(cwd, source);
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) {
    throw new FieldwiseError('input-missing', 'usage', 'The file or directory does not exist', {
      location: { file: source },
      next: 'Pass an OpenAPI v3 document of a kube-apiserver, or a directory of them.',
    });
  }
  const names = found.isDirectory() ? (await readdir(path)).filter((name) => name.endsWith('.json')).sort() : [''];
  const documents: OpenApiDocument[] = [];
  for (const name of names) {
    const shown = name === '' ? source : join(source, name);
    const document = parseJson(await readFile(join(path, name), 'utf8'), shown);
    // A directory may contain an index beside the documents.
    if (name !== '' && (document as { openapi?: unknown } | null)?.openapi === undefined) continue;
    documents.push({ name: shown, document });
  }
  return documents;
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // The message quotes the text, which may have many lines.
    const reason = (cause instanceof Error ? cause.message : String(cause)).replace(/\s+/g, ' ').slice(0, 160);
    const what = `The document is not JSON: ${reason}`;
    throw new FieldwiseError('openapi-invalid', 'usage', what, {
      location: { file },
      next: 'Pass OpenAPI v3 documents exactly as the API server returns them.',
      cause,
    });
  }
}
