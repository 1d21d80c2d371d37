/** What names one object. */
export interface ObjectIdentity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Equal for equal objects: group, kind, namespace and name; the version is left out. */
export function identityKey(object: ObjectIdentity): string {
  return `${groupOf(object.apiVersion)}/${object.kind}/${object.namespace ?? ''}/${object.name}`;
}

/** `Kind namespace/name`, or `Kind name` for objects without namespace. */
export function objectText(object: ObjectIdentity): string {
  return `${object.kind} ${object.namespace ? `${object.namespace}/` : ''}${object.name}`;
}

/** The API group of an apiVersion; empty for the core group. */
export function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}
