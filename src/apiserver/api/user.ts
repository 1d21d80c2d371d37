/** The user who makes a request. Source: Kubernetes API reference, UserInfo. */
export interface User {
  readonly name: string;
  readonly uid?: string;
  /** Names of groups, such as `system:masters`. */
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The user of in-process requests and of the server's own token; every request of it is authorized. */
export const administrator: User = { name: 'admin', uid: 'admin', groups: ['system:masters', 'system:authenticated'] };

/** The user of a request without a token. Source: Kubernetes documentation "Authenticating", anonymous requests. */
export const anonymous: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

/**
 * Returns true for members of `system:masters`, whose requests skip authorization.
 * Source: Kubernetes documentation "Using RBAC Authorization".
 */
export function isAdministrator(user: User): boolean {
  return user.groups.includes('system:masters');
}
