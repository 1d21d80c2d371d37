import type { JsonObject } from '../../util/json.js';
import { forbidden } from '../api/status-error.js';
import { isAdministrator, type User } from '../authentication/user.js';
import type { Backend, ObjectTarget } from '../registry/backend.js';
import { decide, roleNamed, rulesFor } from './authorize.js';
import { coversPath, includes, type PolicyRule, rulesOf } from './policy-rules.js';

const group = 'rbac.authorization.k8s.io';

/**
 * Refuses to grant permissions that the user does not hold: writing a role requires its rules or the verb `escalate`, writing a binding
 * requires the rules of its role or the verb `bind`. Source: Kubernetes documentation "Using RBAC Authorization", "Privilege escalation prevention".
 *
 * @throws StatusError 403
 */
export function confirmNoEscalation(backend: Backend, user: User, target: ObjectTarget, object: JsonObject): void {
  const { resource, namespace, name } = target;
  if (resource.group !== group || isAdministrator(user)) return;
  const isRole = resource.plural === 'roles' || resource.plural === 'clusterroles';
  const roleRef = (object.roleRef ?? {}) as { kind: string; name: string };
  const requestedRules = isRole
    ? { verb: 'escalate', group, resource: resource.plural, namespace, name }
    : { verb: 'bind', group, resource: roleRef.kind === 'Role' ? 'roles' : 'clusterroles', namespace, name: roleRef.name };
  if (decide(backend, user, requestedRules).allowed) return;
  const role = isRole ? object : roleNamed(backend.store, roleRef, namespace);
  if (role === undefined) throw forbidden(resource, name, `${roleRef.kind.toLowerCase()}.${group} "${roleRef.name}" not found`);
  const ownedRules = rulesFor(backend, user, namespace);
  const missing = rulesOf(role).filter((rule) => !isCovered(rule, ownedRules));
  if (missing.length === 0) return;
  const groups = user.groups.map((each) => JSON.stringify(each)).join(' ');
  const who = `user ${JSON.stringify(user.name)} (groups=[${groups}])`;
  const lines = missing.map((rule) => `\n${ruleText(rule)}`).join('');
  throw forbidden(resource, name, `${who} is attempting to grant RBAC permissions not currently held:${lines}`);
}

/** Returns true if every permission that a rule grants is granted by one of the held rules. */
function isCovered(rule: PolicyRule, ownedRules: readonly PolicyRule[]): boolean {
  const paths = rule.nonResourceURLs.every((path) => {
    return rule.verbs.every((verb) => {
      return ownedRules.some((other) => includes(other.verbs, verb) && other.nonResourceURLs.some((pattern) => coversPath(pattern, path)));
    });
  });
  const names = rule.resourceNames.length === 0 ? [undefined] : rule.resourceNames;
  const resources = rule.apiGroups.every((apiGroup) =>
    rule.resources.every((resource) =>
      rule.verbs.every((verb) =>
        names.every((name) =>
          ownedRules.some(
            (other) =>
              includes(other.verbs, verb) &&
              includes(other.apiGroups, apiGroup) &&
              (includes(other.resources, resource) || other.resources.includes(`*/${resource.split('/')[1]}`)) &&
              (other.resourceNames.length === 0 || (name !== undefined && other.resourceNames.includes(name))),
          ),
        ),
      ),
    ),
  );
  return paths && resources;
}

function ruleText({ apiGroups, resources, resourceNames, nonResourceURLs, verbs }: PolicyRule): string {
  const parts = {
    APIGroups: apiGroups,
    Resources: resources,
    ResourceNames: resourceNames,
    NonResourceURLs: nonResourceURLs,
    Verbs: verbs,
  };
  return `{${Object.entries(parts)
    .filter(([, list]) => list.length > 0)
    .map(([name, list]) => `${name}:[${list.map((each) => JSON.stringify(each)).join(' ')}]`)
    .join(', ')}}`;
}
