import { isBuiltIn } from '../../../../schema/index.js';
import { groupOf } from '../../../../util/api-version.js';
import { isJsonObject, type Json, type JsonObject } from '../../../../util/json.js';
import type { KindScope } from './observer.js';

/**
 * Returns false if a rule of a webhook or policy certainly does not match such writes of a kind. Members that are absent match everything.
 * Source: Kubernetes API reference, RuleWithOperations v1 admissionregistration.k8s.io.
 *
 * @param matchPolicy every value but `Exact` also matches the same objects through other versions and groups.
 * @param name the name of an object; absent if any will do.
 */
export function mayMatchRule(
  rule: JsonObject,
  { resource, namespace, operation = 'UPDATE' }: KindScope,
  matchPolicy: Json | undefined,
  name?: string,
): boolean {
  const { operations, apiGroups, apiVersions, resources, scope } = rule;
  if (name !== undefined && limitsNames(rule) && !has(rule.resourceNames, name)) return false;
  if (!has(operations, operation) || !matchesScope(scope, namespace !== undefined)) return false;
  if (!textsOf(resources).some((text) => matchesResource(text, resource.plural))) return false;
  const group = groupOf(resource.apiVersion);
  if (matchPolicy === 'Exact') return has(apiGroups, group) && has(apiVersions, resource.apiVersion.replace(`${group}/`, ''));
  return textsOf(apiGroups).some((text) => text === '*' || text === group || mayStoreTogether(text, group));
}

/** Returns true if a rule certainly matches every such write of a kind. */
export function matchesRule(rule: JsonObject, place: KindScope): boolean {
  const members = [rule.operations, rule.apiGroups, rule.apiVersions, rule.resources];
  return !limitsNames(rule) && members.every(Array.isArray) && mayMatchRule(rule, place, 'Exact');
}

/** Returns true if a rule of a policy matches only objects with certain names. */
export function limitsNames({ resourceNames }: JsonObject): boolean {
  return Array.isArray(resourceNames) && resourceNames.length > 0;
}

/** Returns the rules that a member lists; undefined if there is no list. */
export function rulesOf(object: Json | undefined, member: string): readonly JsonObject[] | undefined {
  const rules = isJsonObject(object) ? object[member] : undefined;
  return Array.isArray(rules) ? (rules as readonly Json[]).filter(isJsonObject) : undefined;
}

function has(list: Json | undefined, wanted: string): boolean {
  return textsOf(list).some((text) => text === '*' || text === wanted);
}

function textsOf(list: Json | undefined): readonly string[] {
  return Array.isArray(list) ? (list as readonly Json[]).map(String) : ['*'];
}

/** Returns true if a resource of a rule names a resource itself; a subresource `*` does, as the server compares an empty one with it, too. */
function matchesResource(text: string, plural: string): boolean {
  const [resource = '', subresource = ''] = text.split('/');
  return (resource === '*' || resource === plural) && (subresource === '' || subresource === '*');
}

function matchesScope(scope: Json | undefined, isNamespaced: boolean): boolean {
  if (scope === 'Namespaced') return isNamespaced;
  return scope !== 'Cluster' || !isNamespaced;
}

/**
 * Returns true if two groups have ever served the same objects: `events`, and what was in `extensions` before it got a group of its own.
 * Source: Kubernetes API reference, "Deprecated API Migration Guide"; groups of custom resources never share objects.
 */
function mayStoreTogether(left: string, right: string): boolean {
  const groups = [left, right];
  const other = groups.find((group) => group !== 'extensions') ?? '';
  if (groups.includes('extensions')) return isBuiltIn(`${other}/v1`);
  return groups.every((group) => group === '' || group === 'events.k8s.io');
}
