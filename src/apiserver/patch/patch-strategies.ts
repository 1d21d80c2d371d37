import type { TypeRef } from '../../schema/index.js';

/**
 * Fields that a strategic merge patch merges differently than an apply. Source: the fields of the published OpenAPI v3 of 1.36 whose
 * `x-kubernetes-patch-strategy` and `x-kubernetes-patch-merge-key` differ from `x-kubernetes-list-type` and its keys.
 */

/** Associative lists, and one map, that a strategic merge patch replaces. */
const replaced: ReadonlySet<string> = new Set([
  'AllocatedDeviceStatus.conditions',
  'CSIDriverSpec.volumeLifecycleModes',
  'CertificateSigningRequestStatus.conditions',
  'ContainerRestartRuleOnExitCodes.values',
  'CustomResourceDefinitionStatus.conditions',
  'Endpoint.addresses',
  'NodeAllocatableResourceClaimStatus.containers',
  'NonResourcePolicyRule.nonResourceURLs',
  'NonResourcePolicyRule.verbs',
  'PodDisruptionBudgetSpec.selector',
  'PodFailurePolicyOnExitCodesRequirement.values',
  'ResourceClaimStatus.devices',
  'ResourcePolicyRule.apiGroups',
  'ResourcePolicyRule.namespaces',
  'ResourcePolicyRule.resources',
  'ResourcePolicyRule.verbs',
  'ResourceRequirements.claims',
  'ResourceStatus.resources',
  'UncountedTerminatedPods.failed',
  'UncountedTerminatedPods.succeeded',
  'ValidatingAdmissionPolicyBindingSpec.validationActions',
  'ValidatingAdmissionPolicyStatus.conditions',
]);

/** Merge keys of lists that are atomic for an apply, or have another first key. */
const keys: Readonly<Record<string, string>> = {
  'JobStatus.conditions': 'type',
  'PodSpec.topologySpreadConstraints': 'topologyKey',
  'PodStatus.hostIPs': 'ip',
};

export function isReplaced(type: string, member: string): boolean {
  return replaced.has(`${type}.${member}`);
}

export function isMerged(type: string, member: string): boolean {
  return keys[`${type}.${member}`] !== undefined;
}

/**
 * Returns the patch merge key of a list.
 *
 * @param listKeys the keys for an apply; empty for a set
 */
export function mergeKeyOf(type: string, member: string, listKeys: readonly string[]): string | undefined {
  return keys[`${type}.${member}`] ?? listKeys[0];
}

/** Members of which a client's patch names the keys that it keeps. */
const retaining: ReadonlySet<string> = new Set([
  'DeploymentSpec.strategy',
  'PodSpec.resourceClaims',
  'PodSpec.volumes',
  'PodStatus.resourceClaimStatuses',
]);

/** Returns true if a strategic merge patch of the member retains only the keys that it names. */
export function isRetaining(type: string, member: string): boolean {
  return retaining.has(`${type}.${member}`);
}

/** Returns the name of a type without its group; empty if it has none. */
export function typeNameOf(ref: TypeRef | undefined): string {
  if (ref === undefined || !('name' in ref)) return '';
  return ref.name.slice(ref.name.lastIndexOf('.') + 1).replace(/StatusFields$/, 'Status');
}
