import { FieldwiseError } from '../../util/error.js';
import { subjectOf } from '../rbac/index.js';

/** Users and groups who may change what a stack owns. */
export interface Subjects {
  readonly users: readonly string[];
  readonly groups: readonly string[];
  /** As a reader names them: `sa:ci/deployer`. */
  readonly texts: readonly string[];
}

const groupPrefix = 'group:';

/**
 * Reads the deployers of a stack: the name of a user, `group:NAME`, or `sa:NAMESPACE/NAME` for a ServiceAccount.
 *
 * @throws FieldwiseError `subject-unreadable` (usage).
 */
export function subjectsOf(texts: readonly string[]): Subjects {
  const groups = texts.filter((text) => text.startsWith(groupPrefix)).map((text) => text.slice(groupPrefix.length));
  if (groups.includes('')) {
    throw new FieldwiseError('subject-unreadable', 'usage', 'The group of a deployer has no name', { next: 'Write it as `group:NAME`.' });
  }
  const users = texts.filter((text) => !text.startsWith(groupPrefix)).map((text) => userOf(text));
  return { users, groups, texts };
}

/** Source: Kubernetes documentation "Authenticating", "Service account tokens". */
function userOf(text: string): string {
  const { kind, name, namespace } = subjectOf(text);
  return kind === 'ServiceAccount' ? `system:serviceaccount:${namespace}:${name}` : String(name);
}
