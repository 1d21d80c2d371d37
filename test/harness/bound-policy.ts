import type { JsonObject } from '../../src/util/json.js';

const apiVersion = 'admissionregistration.k8s.io/v1';
const ofConfigMaps = { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] };

/** Returns a policy that decides on the labeled ConfigMaps of a case, unless its spec says otherwise. */
export function policyOf(name: string, caseName: string, spec: JsonObject): JsonObject {
  const matchConstraints = { resourceRules: [ofConfigMaps], objectSelector: { matchLabels: { case: caseName } } };
  return { apiVersion, kind: 'ValidatingAdmissionPolicy', metadata: { name }, spec: { matchConstraints, ...spec } };
}

/** Returns a binding that holds in one namespace, unless its spec says otherwise. */
export function bindingOf(name: string, policyName: string, namespace: string, spec: JsonObject): JsonObject {
  const here = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } };
  const { matchResources = here, ...rest } = spec;
  const own = { policyName, matchResources: { ...here, ...(matchResources as JsonObject) }, ...rest };
  return { apiVersion, kind: 'ValidatingAdmissionPolicyBinding', metadata: { name }, spec: own };
}
