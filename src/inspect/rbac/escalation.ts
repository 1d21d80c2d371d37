import type { Step } from '../../engine/graph/waves.js';
import { isJsonObject, type Json } from '../../util/json.js';
import type { PolicyRule } from './grants.js';
import { Grants } from './grants.js';

const rbac = 'rbac.authorization.k8s.io';

/**
 * Who writes a Role must hold what it grants, and who binds one, too. The rules of roles that the assembly declares are granted with it;
 * `bind` by name is left for roles of others, and `escalate` by name for a role whose rules the server aggregates.
 * Source: Kubernetes documentation "Using RBAC Authorization", "Privilege escalation prevention and bootstrapping".
 */
export function grantEscalatedRules(scopes: Scopes, steps: readonly Step[]): void {
  const ours = steps.filter(({ intent }) => intent.apiVersion.startsWith(`${rbac}/`));
  for (const { intent, object } of ours) {
    const { namespace, kind } = intent;
    if (kind === 'Role' || kind === 'ClusterRole') {
      for (const rule of rulesOf(object.rules)) scopes.in(namespace).addRule(rule);
      if (object.aggregationRule !== undefined) scopes.in(undefined).add(rbac, 'clusterroles', intent.name, ['escalate']);
    } else if ((kind === 'RoleBinding' || kind === 'ClusterRoleBinding') && isJsonObject(object.roleRef)) {
      const { kind: bound, name } = object.roleRef;
      const declared = ours.some(
        (other) =>
          other.intent.kind === bound &&
          other.intent.name === name &&
          other.intent.namespace === (bound === 'Role' ? namespace : undefined) &&
          other.object.aggregationRule === undefined &&
          other.object.rules !== undefined,
      );
      if (!declared) scopes.in(namespace).add(rbac, bound === 'Role' ? 'roles' : 'clusterroles', String(name), ['bind']);
    }
  }
}

function rulesOf(rules: Json | undefined): readonly PolicyRule[] {
  return Array.isArray(rules) ? (rules as readonly Json[]).filter(isJsonObject) : [];
}

/** Rights by namespace. */
export class Scopes {
  readonly all = new Map<string, Grants>();

  /** @param namespace undefined for the whole cluster. */
  in(namespace: string | undefined): Grants {
    const grants = this.all.get(namespace ?? '') ?? new Grants();
    this.all.set(namespace ?? '', grants);
    return grants;
  }
}
