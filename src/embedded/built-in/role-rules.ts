import type { Json, JsonObject } from '../../util/json.js';
import { type FieldError, invalidValue, required } from '../api/field-error.js';
import { listOf } from './parts.js';

/** Rules of Roles and ClusterRoles. Source: Kubernetes documentation "Using RBAC Authorization"; messages as observed. */
export function roleErrors(object: JsonObject): readonly FieldError[] {
  return listOf(object.rules).flatMap((rule, index) => ruleErrors(rule, `rules[${index}]`, object.kind === 'Role'));
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
