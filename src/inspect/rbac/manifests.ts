import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import type { Rights } from './rights.js';

const group = 'rbac.authorization.k8s.io';

/** Returns roles and their bindings: a ClusterRole if there are rights for the whole cluster, then a Role for each namespace. */
export function roleManifests(rights: Rights, name: string, subject: JsonObject): readonly JsonObject[] {
  return [...rights.keys()].sort().flatMap((namespace) => {
    const rules = rights.get(namespace)?.rules() ?? [];
    if (rules.length === 0) return [];
    const kind = namespace === '' ? 'ClusterRole' : 'Role';
    const metadata = { name, ...(namespace === '' ? {} : { namespace }) };
    return [
      { apiVersion: `${group}/v1`, kind, metadata, rules },
      { apiVersion: `${group}/v1`, kind: `${kind}Binding`, metadata, roleRef: { apiGroup: group, kind, name }, subjects: [subject] },
    ];
  });
}

/** Returns a name that identifies the app, instance and stacks; RBAC allows any name that is a single path segment. */
export function roleName(app: string, instance: string, stacks: readonly string[], readOnly: boolean): string {
  return ['fieldwise', app, instance, ...stacks, ...(readOnly ? ['read-only'] : [])].join(':').replace(/[/%]/g, '.');
}

/**
 * Parses the subject of a binding: a user's name, `group:NAME`, or `sa:NAMESPACE/NAME` for a ServiceAccount.
 *
 * @throws FieldwiseError `subject-unreadable` (usage).
 */
export function subjectOf(text: string): JsonObject {
  const groupName = /^group:(.+)$/s.exec(text)?.[1];
  if (groupName !== undefined) return { apiGroup: group, kind: 'Group', name: groupName };
  if (text !== '' && text !== 'group:' && !text.startsWith('sa:')) return { apiGroup: group, kind: 'User', name: text };
  const [, namespace, name] = /^sa:([^/]+)\/([^/]+)$/.exec(text) ?? [];
  if (namespace === undefined || name === undefined) {
    throw new FieldwiseError(
      'subject-unreadable',
      'usage',
      `This is not a user, a group or a service account: ${text || 'an empty subject'}`,
      {
        next: 'Write a user as `alice`, a group as `group:NAME`, a service account as `sa:NAMESPACE/NAME`.',
      },
    );
  }
  return { kind: 'ServiceAccount', name, namespace };
}
