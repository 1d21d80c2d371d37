/** The parts of a REST API path. Source: Kubernetes documentation "Kubernetes API Concepts", "Resource URIs". */
export interface Route {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly namespace: string | undefined;
  /** Undefined if the path ends at the group and version. */
  readonly plural: string | undefined;
  readonly name: string | undefined;
  /** Below `proxy`, any path may follow. */
  readonly subresource: string | undefined;
  /** True for a path below `watch/`, the old form of a watch. */
  readonly isWatch: boolean;
}

/** Parses `/api/v1/…` and `/apis/GROUP/VERSION/…`; returns undefined for any other path, and for one with an empty segment. */
export function parseRoute(path: string): Route | undefined {
  const parts = (path.endsWith('/') ? path.replace(/(?<!\/)\/+$/, '') : path).split('/').slice(1);
  if (parts.includes('')) return undefined;
  const [root] = parts;
  if (root === 'api' && parts.length >= 2) return parseResourcePath('', parts[1] as string, parts.slice(2));
  if (root === 'apis' && parts.length >= 3) return parseResourcePath(parts[1] as string, parts[2] as string, parts.slice(3));
  return undefined;
}

function parseResourcePath(group: string, version: string, parts: readonly string[]): Route | undefined {
  if (parts[0] === 'proxy') return undefined;
  const isWatch = parts[0] === 'watch' && parts.length > 1;
  const { namespace, rest } = splitNamespace(isWatch ? parts.slice(1) : parts);
  const [plural, name, subresource, ...more] = rest;
  if ((more.length > 0 && subresource !== 'proxy') || (isWatch && subresource !== undefined)) return undefined;
  return { group, version, namespace, plural, name, subresource, isWatch };
}

/** Splits `namespaces/NAME/…`; `namespaces/NAME/status` and `namespaces/NAME/finalize` are subresources of a Namespace. */
export function splitNamespace(parts: readonly string[]): { readonly namespace: string | undefined; readonly rest: readonly string[] } {
  const inNamespace = parts[0] === 'namespaces' && parts.length > 2 && parts[2] !== 'status' && parts[2] !== 'finalize';
  return inNamespace ? { namespace: parts[1], rest: parts.slice(2) } : { namespace: undefined, rest: parts };
}
