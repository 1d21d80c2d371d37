import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { type Attributes, resourceText } from './attributes.js';

/** A PolicyRule. Source: Kubernetes API reference, Role and ClusterRole. */
export interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

export function rulesOf(role: JsonObject): readonly Rule[] {
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

/** Source: Kubernetes documentation "Using RBAC Authorization", "Referring to resources". */
export function allows(rule: Rule, attributes: Attributes): boolean {
  if (!includes(rule.verbs, attributes.verb)) return false;
  if ('path' in attributes) return rule.nonResourceURLs.some((pattern) => coversPath(pattern, attributes.path));
  const { group, subresource, name } = attributes;
  const asked = resourceText(attributes);
  return (
    includes(rule.apiGroups, group) &&
    (includes(rule.resources, asked) || (subresource !== undefined && rule.resources.includes(`*/${subresource}`))) &&
    (rule.resourceNames.length === 0 || (name !== undefined && rule.resourceNames.includes(name)))
  );
}

export function includes(list: readonly string[], wanted: string): boolean {
  return list.includes('*') || list.includes(wanted);
}

/** Whether one URL pattern of a rule covers a path, or another pattern. */
export function coversPath(pattern: string, path: string): boolean {
  return pattern === '*' || pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)));
}
