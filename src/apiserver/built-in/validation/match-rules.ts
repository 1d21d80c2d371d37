import type { Json, JsonObject } from '../../../util/json.js';
import { duplicate, type FieldError, invalidValue, required, unsupported } from '../../api/field-error.js';
import { listOf, structOf } from '../../api/json-access.js';
import { pathNameErrors } from '../../api/name-rules.js';
import { labelSelectorErrors } from './scheduling-rules.js';

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const scopes = ['*', 'Cluster', 'Namespaced'];
export const matchPolicies = ['Equivalent', 'Exact'];

/** Validates MatchResources. Source: Kubernetes API reference, MatchResources; messages as observed. */
export function matchResourcesErrors(declared: JsonObject, path: string): readonly FieldError[] {
  const { matchPolicy, namespaceSelector, objectSelector, resourceRules, excludeResourceRules } = declared;
  const rules = (list: Json | undefined, name: string) =>
    listOf(list).flatMap((rule, index) => [
      ...nameErrors(textsOf(rule.resourceNames), `${path}.${name}[${index}].resourceNames`),
      ...ruleErrors(rule, `${path}.${name}[${index}]`),
    ]);
  return [
    ...(matchPolicies.includes(String(matchPolicy)) ? [] : [unsupported(`${path}.matchPolicy`, matchPolicy, matchPolicies)]),
    ...labelSelectorErrors(structOf(namespaceSelector), `${path}.namespaceSelector`),
    ...labelSelectorErrors(structOf(objectSelector), `${path}.objectSelector`),
    ...rules(resourceRules, 'resourceRules'),
    ...rules(excludeResourceRules, 'excludeResourceRules'),
  ];
}

/** Validates a rule that matches requests. Source: Kubernetes API reference, RuleWithOperations; messages as observed. */
export function ruleErrors(rule: JsonObject, path: string): readonly FieldError[] {
  return [...operationErrors(rule, path), ...groupErrors(rule, path)];
}

export function textsOf(list: Json | undefined): readonly string[] {
  return Array.isArray(list) ? (list as readonly string[]) : [];
}

function nameErrors(names: readonly string[], path: string): readonly FieldError[] {
  return names.flatMap((name, index) => [
    ...pathNameErrors(`${path}[${index}]`, name),
    ...(names.indexOf(name) < index ? [duplicate(`${path}[${index}]`, name)] : []),
  ]);
}

function alone(field: string, list: readonly string[], others: string): readonly FieldError[] {
  return list.length > 1 && list.includes('*')
    ? [invalidValue(field, list as Json, `if '*' is present, must not specify other ${others}`)]
    : [];
}

function operationErrors({ operations: declared }: JsonObject, path: string): readonly FieldError[] {
  const field = `${path}.operations`;
  const list = textsOf(declared);
  return [
    ...(list.length === 0 ? [required(field)] : []),
    ...alone(field, list, 'operations'),
    ...list.flatMap((each, index) => (operations.includes(each) ? [] : [unsupported(`${field}[${index}]`, each, operations)])),
  ];
}

function groupErrors({ apiGroups, apiVersions, resources, scope }: JsonObject, path: string): readonly FieldError[] {
  const [groups, versions] = [textsOf(apiGroups), textsOf(apiVersions)];
  return [
    ...(groups.length === 0 ? [required(`${path}.apiGroups`)] : []),
    ...alone(`${path}.apiGroups`, groups, 'API groups'),
    ...(versions.length === 0 ? [required(`${path}.apiVersions`)] : []),
    ...alone(`${path}.apiVersions`, versions, 'API versions'),
    ...versions.flatMap((version, index) => (version === '' ? [required(`${path}.apiVersions[${index}]`)] : [])),
    ...resourceErrors(textsOf(resources), `${path}.resources`),
    ...(scopes.includes(String(scope)) ? [] : [unsupported(`${path}.scope`, scope, scopes)]),
  ];
}

function resourceErrors(resources: readonly string[], path: string): readonly FieldError[] {
  const last = resources.findLast((each) => each !== '' && !each.includes('/'));
  return [
    ...(resources.length === 0 ? [required(path)] : []),
    ...resources.flatMap((each, index) =>
      each === '' ? [required(`${path}[${index}]`)] : coveredErrors(each, resources.slice(0, index), `${path}[${index}]`),
    ),
    ...(resources.length > 1 && resources.includes('*/*')
      ? [invalidValue(path, resources as Json, "if '*/*' is present, must not specify other resources")]
      : []),
    ...(resources.includes('*') && last !== undefined && last !== '*'
      ? [invalidValue(path, resources as Json, "if '*' is present, must not specify other resources without subresources")]
      : []),
  ];
}

/** Returns errors for a subresource that a pattern before it covers. */
function coveredErrors(resource: string, before: readonly string[], field: string): readonly FieldError[] {
  if (!resource.includes('/')) return [];
  const [main, sub] = [resource.slice(0, resource.indexOf('/')), resource.slice(resource.indexOf('/') + 1)];
  return [`${main}/*`, `*/${sub}`]
    .filter((pattern) => before.includes(pattern))
    .map((pattern) => invalidValue(field, resource, `if '${pattern}' is present, must not specify ${resource}`));
}
