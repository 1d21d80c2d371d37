import { type Json, type JsonObject, jsonEqual } from '../../../util/json.js';
import { type FieldError, invalidValue, required, unsupported } from '../../api/field-error.js';
import { listOf, structOf } from '../../api/json-access.js';
import { pathNameErrors, subdomainErrors } from '../../api/name-rules.js';
import { labelSelectorErrors } from './scheduling-rules.js';

/** Validates a Role or ClusterRole. Source: Kubernetes documentation "Using RBAC Authorization"; messages as observed. */
export function roleErrors(object: JsonObject): readonly FieldError[] {
  const isNamespaced = object.kind === 'Role';
  return [
    ...listOf(object.rules).flatMap((rule, index) => ruleErrors(rule, `rules[${index}]`, isNamespaced)),
    ...(isNamespaced || object.aggregationRule === undefined ? [] : aggregationErrors(structOf(object.aggregationRule))),
  ];
}

function aggregationErrors({ clusterRoleSelectors }: JsonObject): readonly FieldError[] {
  const field = 'aggregationRule.clusterRoleSelectors';
  if (isEmpty(clusterRoleSelectors)) return [required(field, 'at least one clusterRoleSelector required if aggregationRule is non-nil')];
  return listOf(clusterRoleSelectors).flatMap((selector, index) => {
    const path = `${field}[${index}]`;
    const errors = labelSelectorErrors(selector, path);
    return errors.length === 0 ? [] : [...errors, invalidValue(path, null, 'invalid label selector.')];
  });
}

const rbacGroup = 'rbac.authorization.k8s.io';

/** API group of each kind of subject. */
const subjectGroups: Readonly<Record<string, string>> = { ServiceAccount: '', User: rbacGroup, Group: rbacGroup };

/** Validates a RoleBinding or ClusterRoleBinding. Source: as for `roleErrors`. */
export function bindingErrors(object: JsonObject, live: JsonObject | undefined): readonly FieldError[] {
  const { apiGroup = '', kind = '', name = '' } = structOf(object.roleRef) as { apiGroup?: string; kind?: string; name?: string };
  const kinds = object.kind === 'RoleBinding' ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  const errors: FieldError[] = [];
  if (apiGroup !== rbacGroup) errors.push(unsupported('roleRef.apiGroup', apiGroup, [rbacGroup]));
  if (!kinds.includes(kind)) errors.push(unsupported('roleRef.kind', kind, kinds));
  if (name === '') errors.push(required('roleRef.name'));
  else errors.push(...pathNameErrors('roleRef.name', name));
  // The message shows the fields in the order of the Go struct.
  const shownRole = { APIGroup: apiGroup, Kind: kind, Name: name };
  if (live !== undefined && !jsonEqual(object.roleRef, live.roleRef))
    errors.push(invalidValue('roleRef', shownRole, 'cannot change roleRef'));
  return [
    ...errors,
    ...listOf(object.subjects).flatMap((subject, index) => subjectErrors(subject, `subjects[${index}]`, object.kind === 'RoleBinding')),
  ];
}

function subjectErrors(subject: JsonObject, field: string, isNamespaced: boolean): FieldError[] {
  const { apiGroup = '', kind = '', name = '', namespace = '' } = subject as Record<string, string | undefined>;
  const errors: FieldError[] = name === '' ? [required(`${field}.name`)] : [];
  const group = subjectGroups[kind];
  if (group === undefined) return [...errors, unsupported(`${field}.kind`, kind, Object.keys(subjectGroups))];
  if (apiGroup !== group) errors.push(unsupported(`${field}.apiGroup`, apiGroup, [group]));
  if (kind !== 'ServiceAccount') return errors;
  if (name !== '') errors.push(...subdomainErrors(`${field}.name`, name));
  return isNamespaced || namespace !== '' ? errors : [...errors, required(`${field}.namespace`)];
}

function ruleErrors({ verbs, apiGroups, resources, nonResourceURLs }: JsonObject, field: string, isNamespaced: boolean): FieldError[] {
  const errors: FieldError[] = [];
  if (isEmpty(verbs)) errors.push(required(`${field}.verbs`, 'verbs must contain at least one value'));
  if (!isEmpty(nonResourceURLs)) {
    const refuse = (detail: string) => errors.push(invalidValue(`${field}.nonResourceURLs`, nonResourceURLs, detail));
    if (isNamespaced) refuse('namespaced rules cannot apply to non-resource URLs');
    if (!isEmpty(apiGroups) || !isEmpty(resources)) refuse('rules cannot apply to both regular resources and non-resource URLs');
    return errors;
  }
  if (isEmpty(apiGroups)) errors.push(required(`${field}.apiGroups`, 'resource rules must supply at least one api group'));
  if (isEmpty(resources)) errors.push(required(`${field}.resources`, 'resource rules must supply at least one resource'));
  return errors;
}

function isEmpty(list: Json | undefined): boolean {
  return !Array.isArray(list) || list.length === 0;
}
