import type { JsonObject } from '../../util/json.js';
import { isJsonObject } from '../../util/json.js';

/** A kind as the paths of an OpenAPI document serve it. */
export interface ServedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly resource: string;
  /** Subresources that take a PATCH of the same kind, such as `status`; sorted. */
  readonly subresources: readonly string[];
  /** True if the object itself accepts a PATCH, and so a server-side apply. */
  readonly patch: boolean;
}

/** Reads `paths`: which kinds a document serves, where, and what can be applied. */
export function servedKinds(document: JsonObject): ServedKind[] {
  const kinds = new Map<string, ServedKind>();
  const paths = isJsonObject(document.paths) ? document.paths : {};
  for (const [path, item] of Object.entries(paths)) {
    if (!isJsonObject(item)) continue;
    const resourcePath = parsePath(path);
    if (resourcePath === undefined) continue;
    const patched = kindOf(item.patch);
    const kind = patched ?? kindOf(item.post);
    if (kind === undefined) continue;
    const key = `${kind.kind} ${kind.apiVersion}`;
    const scope = resourcePath.namespaced ? 'Namespaced' : 'Cluster';
    const known = kinds.get(key) ?? { ...kind, scope, resource: resourcePath.resource, subresources: [], patch: false };
    if (resourcePath.subresource !== undefined) {
      // A subresource of another kind (Scale of a Deployment) and one without PATCH (Binding) are not roots.
      if (patched === undefined || !kinds.has(key)) continue;
      kinds.set(key, { ...known, subresources: [...known.subresources, resourcePath.subresource].toSorted() });
    } else {
      kinds.set(key, { ...known, scope: known.scope === 'Namespaced' ? 'Namespaced' : scope, patch: known.patch || patched !== undefined });
    }
  }
  return [...kinds.values()];
}

interface ResourcePath {
  readonly resource: string;
  readonly namespaced: boolean;
  readonly subresource?: string;
}

function parsePath(path: string): ResourcePath | undefined {
  const match = /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)\/(namespaces\/\{namespace\}\/)?([^/{}]+)(?:\/\{name\}(?:\/([^/{}]+))?)?\/?$/.exec(
    path,
  );
  if (match === null || match[2] === undefined) return undefined;
  const resourcePath = { resource: match[2], namespaced: match[1] !== undefined };
  return match[3] === undefined ? resourcePath : { ...resourcePath, subresource: match[3] };
}

function kindOf(operation: unknown): { apiVersion: string; kind: string } | undefined {
  const gvk = isJsonObject(operation) ? operation['x-kubernetes-group-version-kind'] : undefined;
  if (!isJsonObject(gvk)) return undefined;
  const { group = '', version, kind } = gvk;
  // These become names of files and types: names that no API server would serve are skipped.
  if (typeof kind !== 'string' || !/^[A-Za-z][-A-Za-z0-9]*$/.test(kind)) return undefined;
  if (typeof version !== 'string' || !/^[a-z][-a-z0-9]*$/.test(version)) return undefined;
  if (typeof group !== 'string' || !/^([a-z0-9][-a-z0-9]*(\.[a-z0-9][-a-z0-9]*)*)?$/.test(group)) return undefined;
  return { kind, apiVersion: group === '' ? version : `${group}/${version}` };
}
