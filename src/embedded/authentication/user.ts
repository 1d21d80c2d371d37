/** Who makes a request. Source: Kubernetes API reference, UserInfo. */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Who brings the token of the server, or asks in process: may do everything. */
export const administrator: User = { name: 'admin', uid: 'admin', groups: ['system:masters', 'system:authenticated'] };

/** Members of this group are never asked for their rights. Source: Kubernetes documentation "Using RBAC Authorization". */
export function isAdministrator(user: User): boolean {
  return user.groups.includes('system:masters');
}
