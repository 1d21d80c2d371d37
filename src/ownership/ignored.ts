import { type FieldSet, fieldSetOfPaths } from '../fields/index.js';
import type { RootType } from '../schema/index.js';

/**
 * The fields that a custom resource cannot set through the object itself, or through its status: where the kind has a status
 * subresource, each ignores what the other writes. For `RequestScope.ignored`. (Built-in kinds each have rules of their own, such as
 * `spec` and `metadata.labels` for the status of a Deployment.)
 * Source: Kubernetes documentation "Extend the Kubernetes API with CustomResourceDefinitions", "Status subresource".
 */
export function ignoredFields(root: RootType, subresource: string | undefined): ReadonlyMap<string, FieldSet> | undefined {
  if (root.subresources?.includes('status') !== true) return undefined;
  const names = subresource === undefined ? ['status'] : subresource === 'status' ? ['metadata', 'spec'] : [];
  if (names.length === 0) return undefined;
  return new Map([[root.apiVersion, fieldSetOfPaths(names.map((name) => [{ kind: 'field', name }]))]]);
}
