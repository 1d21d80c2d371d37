import { type FieldSet, fieldKey } from '../../fields/index.js';
import type { RootType } from '../../schema/index.js';

const ofObject = membersOnly('status');
const ofStatus = membersOnly('metadata', 'spec');

/**
 * Returns the fields that a custom resource cannot set through the object itself, or through its status: if the kind has a status
 * subresource, each ignores the fields of the other. For `RequestScope.ignored`. (Built-in kinds have individual rules, such as `spec` and
 * `metadata.labels` for the status of a Deployment.) Source: Kubernetes documentation "Extend the Kubernetes API with
 * CustomResourceDefinitions", "Status subresource".
 */
export function ignoredFields(root: RootType, subresource: string | undefined): ReadonlyMap<string, FieldSet> | undefined {
  if (root.subresources?.includes('status') !== true) return undefined;
  if (subresource !== undefined && subresource !== 'status') return undefined;
  return new Map([[root.apiVersion, subresource === undefined ? ofObject : ofStatus]]);
}

function membersOnly(...names: readonly string[]): FieldSet {
  return { members: new Set(names.map(fieldKey)), children: new Map() };
}
