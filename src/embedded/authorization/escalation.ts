import type { JsonObject } from '../../util/json.js';
import { forbidden } from '../api/status-error.js';
import { isAdministrator, type User } from '../authentication/user.js';
import type { Backend, ObjectTarget } from '../registry/backend.js';
import { decide, roleNamed, rulesFor } from './authorize.js';
import { HeldRules } from './held-rules.js';
import { type PolicyRule, rulesOf } from './policy-rules.js';

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
  const held = new HeldRules(rulesFor(backend, user, namespace));
  const missing = rulesOf(role).filter((rule) => !held.cover(rule));
  if (missing.length === 0) return;
  const groups = user.groups.map((each) => JSON.stringify(each)).join(' ');
  const who = `user ${JSON.stringify(user.name)} (groups=[${groups}])`;
  const lines = missing.map((rule) => `\n${ruleText(rule)}`).join('');
  throw forbidden(resource, name, `${who} is attempting to grant RBAC permissions not currently held:${lines}`);
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
