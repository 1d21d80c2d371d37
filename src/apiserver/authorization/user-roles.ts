import type { JsonObject } from '../../util/json.js';

/** Each role for users, and the one whose rules it has, too. */
const parts: readonly (readonly [name: string, part: string | undefined])[] = [
  ['view', undefined],
  ['edit', 'view'],
  ['admin', 'edit'],
];

/** The members that a role has by aggregation. */
export interface Aggregation {
  readonly labels?: Readonly<Record<string, string>>;
  readonly aggregationRule?: JsonObject;
  readonly rules?: readonly JsonObject[];
}

/**
 * Returns the members that the roles for users have because each collects the rules of the roles with its label, by the name of a role.
 * Source: Kubernetes documentation "Using RBAC Authorization", "Aggregated ClusterRoles".
 *
 * @param rulesOf returns the own rules of a role
 */
export function aggregations(rulesOf: (name: string) => readonly JsonObject[]): Readonly<Record<string, Aggregation>> {
  const roles: Record<string, Aggregation> = {};
  for (const [name, part] of parts) {
    const aggregate = parts.find(([, other]) => other === name)?.[0];
    const source = `system:aggregate-to-${name}`;
    roles[source] = { labels: { [labelFor(name)]: 'true' } };
    roles[name] = {
      ...(aggregate === undefined ? {} : { labels: { [labelFor(aggregate)]: 'true' } }),
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [labelFor(name)]: 'true' } }] },
      rules: [...((part === undefined ? undefined : roles[part]?.rules) ?? []), ...rulesOf(source)],
    };
  }
  return roles;
}

function labelFor(name: string): string {
  return `rbac.authorization.k8s.io/aggregate-to-${name}`;
}
