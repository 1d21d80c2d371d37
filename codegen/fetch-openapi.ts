import type { OpenApiDocument } from '../src/schema/index.js';
import { FieldwiseError } from '../src/util/error.js';
import { isJsonObject } from '../src/util/json.js';

/**
 * Reads the OpenAPI v3 documents of a running API server.
 *
 * @param fetchJson receives a path such as `/openapi/v3` and returns the parsed body, by any transport and as any user.
 * @param filter receives the path of a group-version, such as `apis/apps/v1`, and returns true if its document is wanted. Default: all.
 * @throws FieldwiseError `openapi-invalid` if the index is not an OpenAPI index.
 */
export async function fetchOpenApi(
  fetchJson: (path: string) => Promise<unknown>,
  filter: (groupVersion: string) => boolean = () => true,
): Promise<readonly OpenApiDocument[]> {
  const index = await fetchJson('/openapi/v3');
  const paths = isJsonObject(index) ? index.paths : undefined;
  if (!isJsonObject(paths)) {
    throw new FieldwiseError('openapi-invalid', 'usage', 'The server’s /openapi/v3 is not an index of OpenAPI documents', {
      next: 'The server must be a kube-apiserver of Kubernetes 1.27 or later',
    });
  }
  const documents: OpenApiDocument[] = [];
  for (const [name, entry] of Object.entries(paths)) {
    // `api` and `apis` alone are discovery; paths of group-versions end in a version.
    if (!/^apis?\//.test(name) || !/^v\d[a-z\d]*$/.test(name.split('/').at(-1) ?? '') || !filter(name)) continue;
    const url = isJsonObject(entry) && typeof entry.serverRelativeURL === 'string' ? entry.serverRelativeURL : `/openapi/v3/${name}`;
    documents.push({ name, document: await fetchJson(url) });
  }
  return documents.sort((a, b) => (a.name < b.name ? -1 : 1));
}
