import { metadataOf } from '../../fields/object.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { badRequest, forbidden, internalError, notFound } from '../api/status-error.js';
import { isAdministrator, type User } from '../api/user.js';
import type { Backend, ObjectTarget } from '../registry/backend.js';
import { decide, roleNamed, rulesFor } from './authorize.js';
import { HeldRules } from './held-rules.js';
import { type PolicyRule, rulesOf } from './policy-rules.js';

interface RoleRef {
  readonly kind: string;
  readonly name: string;
}

const group = 'rbac.authorization.k8s.io';

/**
 * Refuses to grant permissions that the user does not hold: writing a role requires its rules or the verb `escalate`, writing a binding
 * requires the rules of its role or the verb `bind`. Source: Kubernetes documentation "Using RBAC Authorization", "Privilege escalation prevention".
 *
 * @throws StatusError 403
 */
export function confirmNoEscalation(backend: Backend, user: User, target: ObjectTarget, object: JsonObject, live: JsonObject | null): void {
  const { resource, namespace, name } = target;
  if (resource.group !== group || isAdministrator(user) || (live !== null && isSameContent(object, live))) return;
  const isRole = resource.plural === 'roles' || resource.plural === 'clusterroles';
  const roleRef = (object.roleRef ?? {}) as unknown as RoleRef;
  const requestedRules = isRole
    ? { verb: 'escalate', group, resource: resource.plural, namespace, name }
    : { verb: 'bind', group, resource: roleRef.kind === 'Role' ? 'roles' : 'clusterroles', namespace, name: roleRef.name };
  if (decide(backend, user, requestedRules).allowed) return;
  const role = isRole ? object : boundRole(backend, target, roleRef);
  const held = new HeldRules(rulesFor(backend, user, namespace));
  const missing = rulesOf(role).filter((rule) => !held.cover(rule));
  if (missing.length > 0) throw forbidden(resource, name, missingText(user, missing));
  const isAggregated = [object, live].some((each) => hasSelectors(each?.aggregationRule));
  if (isRole && isAggregated && !fullAuthority.every((rule) => held.cover(rule)))
    throw forbidden(resource, name, 'must have cluster-admin privileges to use the aggregationRule');
}

const every = ['*'];

/** The rules of an administrator, which allow to collect the rules of all roles. */
const fullAuthority: readonly PolicyRule[] = [
  { verbs: every, apiGroups: every, resources: every, resourceNames: [], nonResourceURLs: [] },
  { verbs: every, apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: every },
];

function hasSelectors(aggregationRule: Json | undefined): boolean {
  const { clusterRoleSelectors } = isJsonObject(aggregationRule) ? aggregationRule : {};
  return Array.isArray(clusterRoleSelectors) && clusterRoleSelectors.length > 0;
}

/** Returns the role of a binding. @throws StatusError 400, 404, 500 */
function boundRole({ store }: Backend, { resource, namespace }: ObjectTarget, roleRef: RoleRef): JsonObject {
  const { kind, name } = roleRef;
  if (kind !== 'Role' && kind !== 'ClusterRole') throw internalError(`unsupported role reference kind: ${JSON.stringify(kind)}`);
  if (kind === 'Role' && namespace === undefined) throw badRequest('Namespace parameter required.');
  if (!name) throw badRequest('Name parameter required.');
  const role = roleNamed(store, roleRef, namespace);
  if (role === undefined) throw notFound(resource, name);
  return role;
}

/** Returns true if an update changes nothing but what garbage collection reads. */
function isSameContent(object: JsonObject, live: JsonObject): boolean {
  const [now, before] = [object, live].map((each) => {
    const { managedFields: _, ownerReferences: __, finalizers: ___, ...metadata } = metadataOf(each) as JsonObject;
    return { ...each, metadata };
  });
  return jsonEqual(now as JsonObject, before as JsonObject);
}

function missingText(user: User, missing: readonly PolicyRule[]): string {
  const groups = user.groups.map((each) => JSON.stringify(each)).join(' ');
  const who = `user ${JSON.stringify(user.name)} (groups=[${groups}])`;
  const lines = missing.map((rule) => `\n${ruleText(rule)}`).join('');
  return `${who} is attempting to grant RBAC permissions not currently held:${lines}`;
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
