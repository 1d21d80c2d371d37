import type { JsonObject } from '../../util/json.js';
import { subjectOf } from '../rbac/index.js';

/** Users and groups who may change what a stack owns. */
export interface Subjects {
  readonly users: readonly string[];
  readonly groups: readonly string[];
  /** As a reader names them: `sa:ci/deployer`. */
  readonly texts: readonly string[];
}

/**
 * Reads the deployers of a stack: the name of a user, `group:NAME`, or `sa:NAMESPACE/NAME` for a ServiceAccount.
 *
 * @throws FieldwiseError `subject-unreadable` (usage).
 */
export function subjectsOf(texts: readonly string[]): Subjects {
  const subjects = texts.map(subjectOf);
  return {
    users: subjects.filter(({ kind }) => kind !== 'Group').map(userOf),
    groups: subjects.filter(({ kind }) => kind === 'Group').map(({ name }) => String(name)),
    texts,
  };
}

/** Source: Kubernetes documentation "Authenticating", "Service account tokens". */
function userOf({ kind, name, namespace }: JsonObject): string {
  return kind === 'ServiceAccount' ? `system:serviceaccount:${String(namespace)}:${String(name)}` : String(name);
}
