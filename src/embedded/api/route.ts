/** The parts of a REST API path. Source: Kubernetes documentation "Kubernetes API Concepts", "Resource URIs". */
export interface Route {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly namespace: string | undefined;
  /** Undefined if the path ends at the group and version. */
  readonly plural: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

/** Parses `/api/v1/…` and `/apis/GROUP/VERSION/…`; returns undefined for any other path. */
export function parseRoute(path: string): Route | undefined {
  const steps = path.split('/').slice(1);
  if (steps.at(-1) === '') steps.pop();
  let parts: string[];
  try {
    parts = path.includes('%') ? steps.map(decodeURIComponent) : steps;
  } catch {
    return undefined;
  }
  const [root] = parts;
  if (root === 'api' && parts.length >= 2) return parseResourcePath('', parts[1] as string, parts.slice(2));
  if (root === 'apis' && parts.length >= 3) return parseResourcePath(parts[1] as string, parts[2] as string, parts.slice(3));
  return undefined;
}

function parseResourcePath(group: string, version: string, rest: readonly string[]): Route | undefined {
  const groupVersion = { group, version };
  // `namespaces/NAME/status` and `namespaces/NAME/finalize` are subresources of a Namespace, not namespaced resources.
  const inNamespace =
    rest[0] === 'namespaces' && rest.length > 2 && !(rest.length === 3 && (rest[2] === 'status' || rest[2] === 'finalize'));
  const [plural, name, ...subresource] = inNamespace ? rest.slice(2) : rest;
  if (subresource.length > 1) return undefined;
  return { ...groupVersion, namespace: inNamespace ? rest[1] : undefined, plural, name, subresource: subresource[0] };
}
