import type { Json, JsonObject } from '../../util/json.js';
import { matchesAll, matchesLabels, nameLabel, selectorKeys } from '../../util/label-selector.js';
import { objectOf, objectsOf, textsOf } from './members.js';
import type { PolicyRequest, PolicySurroundings, VersionedResource } from './request.js';

type NamespaceReader = Pick<PolicySurroundings, 'namespace'>;

/**
 * Returns the resource in the version that MatchResources match, whose kind expressions see; undefined if they do not match the request.
 * Source: Kubernetes API reference, MatchResources.
 */
export function matchResources(declared: JsonObject, request: PolicyRequest, surroundings: NamespaceReader): VersionedResource | undefined {
  // The options of a connection have no metadata, and no selector matches them.
  const objects = request.operation === 'CONNECT' ? [] : [request.object, request.oldObject];
  if (!matchesAll(declared.objectSelector) && !objects.some((each) => each !== null && matchesObject(declared.objectSelector, each)))
    return undefined;
  const isEquivalent = declared.matchPolicy !== 'Exact';
  if (matchRules(objectsOf(declared.excludeResourceRules), request, isEquivalent) !== undefined) return undefined;
  const rules = objectsOf(declared.resourceRules);
  const found = rules.length === 0 ? request.resource : matchRules(rules, request, isEquivalent);
  // Last, because it may not be known.
  return found !== undefined && matchesNamespace(declared.namespaceSelector, request, surroundings) ? found : undefined;
}

function matchRules(rules: readonly JsonObject[], request: PolicyRequest, isEquivalent: boolean): VersionedResource | undefined {
  if (rules.some((rule) => matchesRule(rule, request, request.resource))) return request.resource;
  if (!isEquivalent) return undefined;
  for (const rule of rules) {
    const found = request.equivalents.find((each) => matchesRule(rule, request, each));
    if (found !== undefined) return found;
  }
  return undefined;
}

function matchesRule(rule: JsonObject, request: PolicyRequest, { group, version, resource }: VersionedResource): boolean {
  const names = textsOf(rule.resourceNames);
  return (
    matchesScope(rule.scope, request) &&
    has(rule.operations, request.operation) &&
    has(rule.apiGroups, group) &&
    has(rule.apiVersions, version) &&
    textsOf(rule.resources).some((each) => matchesResource(each, resource, request.subresource)) &&
    (names.length === 0 || names.includes(request.name))
  );
}

function has(list: Json | undefined, wanted: string): boolean {
  return textsOf(list).some((each) => each === '*' || each === wanted);
}

/** A `*` after the slash matches any subresource, and also none. Source: observed. */
function matchesResource(pattern: string, resource: string, subresource: string): boolean {
  const slash = pattern.indexOf('/');
  const [main, sub] = slash < 0 ? [pattern, ''] : [pattern.slice(0, slash), pattern.slice(slash + 1)];
  return (main === '*' || main === resource) && (sub === '*' || sub === subresource);
}

function isNamespaceItself({ resource }: PolicyRequest): boolean {
  return resource.group === '' && resource.resource === 'namespaces';
}

function matchesScope(scope: Json | undefined, request: PolicyRequest): boolean {
  if (scope === undefined || scope === '*') return true;
  const isNamespaced = !isNamespaceItself(request) && request.namespace !== '';
  return (scope === 'Namespaced') === isNamespaced;
}

function matchesNamespace(selector: Json | undefined, request: PolicyRequest, surroundings: NamespaceReader): boolean {
  // A server takes the labels of each object whose resource is `namespaces`, whatever its group (observed).
  const isNamed = request.resource.resource === 'namespaces';
  if (matchesAll(selector) || (request.namespace === '' && !isNamed)) return true;
  if (namesNamespaces(selector)) return matchesLabels(selector, { [nameLabel]: request.namespace });
  const isWritten = isNamed && request.subresource === '' && request.object !== null;
  const namespace = isWritten ? request.object : surroundings.namespace(request.namespace);
  return namespace !== undefined && namespace !== null && matchesObject(selector, namespace);
}

/** Returns true for a selector that needs no other label of a Namespace than its name. */
function namesNamespaces(selector: Json | undefined): boolean {
  return selectorKeys(selector).every((key) => key === nameLabel);
}

/** Returns true if a LabelSelector matches the labels of an object. */
export function matchesObject(selector: Json | undefined, object: JsonObject): boolean {
  return matchesLabels(selector, objectOf(objectOf(object.metadata).labels));
}
