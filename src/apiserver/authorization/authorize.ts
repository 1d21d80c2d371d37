import { metadataOf } from '../../fields/object.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { StatusError } from '../api/status-error.js';
import { isAdministrator, type User } from '../api/user.js';
import type { Backend } from '../registry/backend.js';
import { type AuthorizationAttributes, forbiddenMessage } from './attributes.js';
import { type PolicyRule, ruleAllows, rulesOf } from './policy-rules.js';

export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

const group = 'rbac.authorization.k8s.io';

/** Decides by RBAC whether a user may make a request. Source: Kubernetes documentation "Using RBAC Authorization". */
export function decide(backend: Backend, user: User, attributes: AuthorizationAttributes): Decision {
  if (isAdministrator(user)) return { allowed: true, reason: '' };
  const missing: string[] = [];
  for (const { rules, from } of grantsOf(backend, user, 'path' in attributes ? undefined : attributes.namespace, missing)) {
    if (rules.some((rule) => ruleAllows(rule, attributes))) return { allowed: true, reason: `RBAC: allowed by ${from}` };
  }
  return { allowed: false, reason: missing.length === 0 ? '' : `RBAC: ${listed(missing)}` };
}

/** Refuses a request that no role of the user allows. @throws StatusError 403 */
export function authorize(backend: Backend, user: User, attributes: AuthorizationAttributes): void {
  const { allowed, reason } = decide(backend, user, attributes);
  if (allowed) return;
  const details: JsonObject =
    'path' in attributes
      ? {}
      : {
          ...(attributes.name ? { name: attributes.name } : {}),
          ...(attributes.group ? { group: attributes.group } : {}),
          ...(attributes.resource ? { kind: attributes.resource } : {}),
        };
  throw new StatusError(403, 'Forbidden', forbiddenMessage(user.name, attributes, reason), details);
}

/** Returns all rules that apply to a user, cluster-wide and in a namespace. */
export function rulesFor(backend: Backend, user: User, namespace: string | undefined): readonly PolicyRule[] {
  return [...grantsOf(backend, user, namespace, [])].flatMap(({ rules }) => rules);
}

interface Grant {
  readonly rules: readonly PolicyRule[];
  /** The binding and role as the reason of a decision names them. */
  readonly from: string;
}

/**
 * Yields the rules that bindings grant to a user.
 *
 * @param missing receives a message for each bound role that does not exist
 */
function* grantsOf({ store }: Backend, user: User, namespace: string | undefined, missing: string[]): Generator<Grant> {
  for (const binding of store.list(`${group}/clusterrolebindings`)) yield* grantOf(binding, undefined);
  if (!namespace) return;
  for (const binding of store.list(`${group}/rolebindings`, namespace)) yield* grantOf(binding, namespace);

  function* grantOf(binding: JsonObject, bindingNamespace: string | undefined): Generator<Grant> {
    const subject = subjectOf(binding, user, bindingNamespace);
    if (subject === undefined) return;
    const roleRef = binding.roleRef as { kind: string; name: string };
    const role = roleNamed(store, roleRef, bindingNamespace);
    if (role === undefined) {
      missing.push(`${roleRef.kind.toLowerCase()}.${group} ${JSON.stringify(roleRef.name)} not found`);
      return;
    }
    const { name } = metadataOf(binding);
    const bindingText =
      bindingNamespace === undefined
        ? `ClusterRoleBinding ${JSON.stringify(name)}`
        : `RoleBinding ${JSON.stringify(`${name}/${bindingNamespace}`)}`;
    yield { rules: rulesOf(role), from: `${bindingText} of ${roleRef.kind} ${JSON.stringify(roleRef.name)} to ${subject}` };
  }
}

/** Returns the role that a binding refers to; undefined if it does not exist. */
export function roleNamed(
  store: Backend['store'],
  { kind, name }: { readonly kind: string; readonly name: string },
  namespace: string | undefined,
): JsonObject | undefined {
  if (kind === 'ClusterRole') return store.get({ resource: `${group}/clusterroles`, namespace: '', name });
  return namespace === undefined ? undefined : store.get({ resource: `${group}/roles`, namespace, name });
}

/** Returns the first subject of a binding that matches a user, as the reason of a decision names it. */
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
