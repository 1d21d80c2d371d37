import { metadataOf } from '../../kubernetes/object.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { StatusError } from '../api/status-error.js';
import { isAdministrator, type User } from '../authentication/user.js';
import type { Backend } from '../registry/backend.js';
import { type AuthorizationAttributes, forbiddenMessage } from './attributes.js';
import { type PolicyRule, ruleAllows, rulesOf } from './policy-rules.js';

export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

const group = 'rbac.authorization.k8s.io';

/** Whether a user may do something: what one of their roles allows. Source: Kubernetes documentation "Using RBAC Authorization". */
export function decide(backend: Backend, user: User, attributes: AuthorizationAttributes): Decision {
  if (isAdministrator(user)) return { allowed: true, reason: '' };
  const missing: string[] = [];
  for (const { rules, from } of grantsOf(backend, user, 'path' in attributes ? undefined : attributes.namespace, missing)) {
    if (rules.some((rule) => ruleAllows(rule, attributes))) return { allowed: true, reason: `RBAC: allowed by ${from}` };
  }
  return { allowed: false, reason: missing.length === 0 ? '' : `RBAC: ${listed(missing)}` };
}

/** @throws Failure 403 */
export function authorize(backend: Backend, user: User, attributes: AuthorizationAttributes): void {
  const { allowed, reason } = decide(backend, user, attributes);
  if (allowed) return;
  const details: JsonObject =
    'path' in attributes
      ? {}
      : {
          ...(attributes.name ? { name: attributes.name } : {}),
          ...(attributes.group ? { group: attributes.group } : {}),
          kind: attributes.resource,
        };
  throw new StatusError(403, 'Forbidden', forbiddenMessage(user.name, attributes, reason), details);
}

/** All rules that hold for a user, in the cluster and in a namespace. */
export function rulesFor(backend: Backend, user: User, namespace: string | undefined): readonly PolicyRule[] {
  return [...grantsOf(backend, user, namespace, [])].flatMap(({ rules }) => rules);
}

interface Grant {
  readonly rules: readonly PolicyRule[];
  /** How a decision names where it comes from. */
  readonly from: string;
}

/** @param missing is told which roles are named and not there */
function* grantsOf({ store }: Backend, user: User, namespace: string | undefined, missing: string[]): Generator<Grant> {
  for (const binding of store.list(`${group}/clusterrolebindings`)) yield* grantOf(binding, undefined);
  if (!namespace) return;
  for (const binding of store.list(`${group}/rolebindings`, namespace)) yield* grantOf(binding, namespace);

  function* grantOf(binding: JsonObject, place: string | undefined): Generator<Grant> {
    const subject = subjectOf(binding, user, place);
    if (subject === undefined) return;
    const roleRef = binding.roleRef as { kind: string; name: string };
    const role = roleNamed(store, roleRef, place);
    if (role === undefined) {
      missing.push(`${roleRef.kind.toLowerCase()}.${group} ${JSON.stringify(roleRef.name)} not found`);
      return;
    }
    const { name } = metadataOf(binding);
    const what = place === undefined ? `ClusterRoleBinding ${JSON.stringify(name)}` : `RoleBinding ${JSON.stringify(`${name}/${place}`)}`;
    yield { rules: rulesOf(role), from: `${what} of ${roleRef.kind} ${JSON.stringify(roleRef.name)} to ${subject}` };
  }
}

/** The role that a binding names. */
export function roleNamed(
  store: Backend['store'],
  { kind, name }: { readonly kind: string; readonly name: string },
  namespace: string | undefined,
): JsonObject | undefined {
  if (kind === 'ClusterRole') return store.get({ resource: `${group}/clusterroles`, namespace: '', name });
  return namespace === undefined ? undefined : store.get({ resource: `${group}/roles`, namespace, name });
}

/** The first subject of a binding that a user is, as decisions name it. */
function subjectOf(binding: JsonObject, user: User, bindingNamespace: string | undefined): string | undefined {
  const subjects = Array.isArray(binding.subjects) ? (binding.subjects as readonly Json[]).filter(isJsonObject) : [];
  for (const { kind, name, namespace = bindingNamespace } of subjects) {
    if (kind === 'User' && name === user.name) return `User ${JSON.stringify(name)}`;
    if (kind === 'Group' && user.groups.includes(String(name))) return `Group ${JSON.stringify(name)}`;
    if (kind === 'ServiceAccount' && user.name === `system:serviceaccount:${String(namespace)}:${String(name)}`)
      return `ServiceAccount ${JSON.stringify(`${String(name)}/${String(namespace)}`)}`;
  }
  return undefined;
}

function listed(texts: readonly string[]): string {
  return texts.length === 1 ? String(texts[0]) : `[${texts.join(', ')}]`;
}
