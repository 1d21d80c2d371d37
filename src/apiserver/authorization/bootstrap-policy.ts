import type { JsonObject } from '../../util/json.js';
import { bootstrapPolicyTable } from './bootstrap-policy-table.js';
import { aggregations } from './user-roles.js';

const apiGroup = 'rbac.authorization.k8s.io';
const apiVersion = `${apiGroup}/v1`;

/** A line of the table without indentation, and the rules below it. */
interface Entry {
  readonly words: readonly string[];
  readonly rules: JsonObject[];
}

/**
 * Returns the default roles and bindings, in the order of the table: user-facing roles, the permissions of every authenticated user, and those
 * of the components of a control plane. The roles for users have the rules that a controller would aggregate.
 * Source: Kubernetes documentation "Using RBAC Authorization", "Default roles and role bindings".
 */
export function bootstrapPolicy(): readonly { readonly resource: string; readonly object: JsonObject }[] {
  const entries: Entry[] = [];
  for (const line of bootstrapPolicyTable.trim().split('\n')) {
    if (line.startsWith('  ')) entries.at(-1)?.rules.push(policyRule(line.trim()));
    else entries.push({ words: line.split(' '), rules: [] });
  }
  const users = aggregations((name) => entries.find(({ words }) => words[0] === `ClusterRole/${name}`)?.rules ?? []);
  return entries.map((entry) => policyObject(entry, users));
}

function policyObject({ words: [head = '', role, ...subjects], rules }: Entry, users: ReturnType<typeof aggregations>) {
  const [kind = '', ...path] = head.split('/');
  const [name = '', namespace] = path.reverse();
  const { labels, ...aggregated } = users[kind === 'ClusterRole' ? name : ''] ?? {};
  const metadata = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
    annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
  };
  const bound = subjects.length === 0 ? {} : { subjects: subjects.map(reference) };
  const content = role === undefined ? { rules, ...aggregated } : { roleRef: reference(role), ...bound };
  return { resource: `${apiGroup}/${kind.toLowerCase()}s`, object: { apiVersion, kind, metadata, ...content } as JsonObject };
}

/** Returns a role or subject from `KIND/NAME`, or `KIND/NAMESPACE/NAME` of a ServiceAccount. */
function reference(word: string): JsonObject {
  const [kind = '', first = '', name] = word.split('/');
  return name === undefined ? { apiGroup, kind, name: first } : { kind, name, namespace: first };
}

function policyRule(line: string): JsonObject {
  const [what = '', second = '', third = '', ...names] = line.split(' ');
  if (what === 'url') return { nonResourceURLs: second.split(','), verbs: third.split(',') };
  const slash = what.indexOf('/');
  const apiGroups = what.slice(0, slash).split(',');
  return {
    apiGroups: apiGroups.map((group) => (group === 'core' ? '' : group)),
    resources: what.slice(slash + 1).split(','),
    ...(third === '' ? {} : { resourceNames: [third, ...names].join(' ').split(',') }),
    verbs: second.split(','),
  };
}
