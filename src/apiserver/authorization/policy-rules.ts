import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { type AuthorizationAttributes, resourceText } from './attributes.js';

/** A PolicyRule. Source: Kubernetes API reference, Role and ClusterRole. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

export function rulesOf(role: JsonObject): readonly PolicyRule[] {
  const rules = Array.isArray(role.rules) ? (role.rules as readonly Json[]).filter(isJsonObject) : [];
  return rules.map((rule) => ({
    verbs: strings(rule.verbs),
    apiGroups: strings(rule.apiGroups),
    resources: strings(rule.resources),
    resourceNames: strings(rule.resourceNames),
    nonResourceURLs: strings(rule.nonResourceURLs),
  }));
}

function strings(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

/** Returns true if a rule allows a request. Source: Kubernetes documentation "Using RBAC Authorization", "Referring to resources". */
export function ruleAllows(rule: PolicyRule, attributes: AuthorizationAttributes): boolean {
  if (!includes(rule.verbs, attributes.verb)) return false;
  if ('path' in attributes) return rule.nonResourceURLs.some((pattern) => coversPath(pattern, attributes.path));
  const { group, subresource, name } = attributes;
  const requested = resourceText(attributes);
  return (
    includes(rule.apiGroups, group) &&
    (includes(rule.resources, requested) || (subresource !== undefined && rule.resources.includes(`*/${subresource}`))) &&
    (rule.resourceNames.length === 0 || (name !== undefined && rule.resourceNames.includes(name)))
  );
}

export function includes(list: readonly string[], wanted: string): boolean {
  return list.includes('*') || list.includes(wanted);
}

/** Returns true if a URL pattern of a rule matches a path or covers another pattern. */
export function coversPath(pattern: string, path: string): boolean {
  return pattern === '*' || pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)));
}
