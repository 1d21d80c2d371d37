import type { Step } from '../../engine/graph/waves.js';
import { isJsonObject, type Json } from '../../util/json.js';
import type { PolicyRule } from './grants.js';
import { Grants } from './grants.js';

const rbac = 'rbac.authorization.k8s.io';

/**
 * Grants the rights to write the roles and bindings of an assembly: a client that writes or binds a role must hold the rights that the role
 * grants. Grants the rules of declared roles themselves, `bind` by name for roles of others, and `escalate` by name for a role whose rules
 * the server aggregates.
 * Source: Kubernetes documentation "Using RBAC Authorization", "Privilege escalation prevention and bootstrapping".
 */
export function grantEscalatedRules(scopes: Scopes, steps: readonly Step[]): void {
  const declaredRbac = steps.filter(({ intent }) => intent.apiVersion.startsWith(`${rbac}/`));
  for (const { intent, object } of declaredRbac) {
    const { namespace, kind } = intent;
    if (kind === 'Role' || kind === 'ClusterRole') {
      for (const rule of rulesOf(object.rules)) scopes.in(namespace).addRule(rule);
      if (object.aggregationRule !== undefined) scopes.in(undefined).add(rbac, 'clusterroles', intent.name, ['escalate']);
    } else if ((kind === 'RoleBinding' || kind === 'ClusterRoleBinding') && isJsonObject(object.roleRef)) {
      const { kind: bound, name } = object.roleRef;
      const declared = declaredRbac.some(
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
