import { groupOf } from '../../assembly/index.js';

/** Cluster-scoped kinds of Kubernetes itself. Source: Kubernetes 1.36 discovery, resources with `namespaced: false`. */
const clusterScoped = new Set([
  ...['Namespace', 'Node', 'PersistentVolume', 'ComponentStatus'].map((kind) => `/${kind}`),
  ...['ClusterRole', 'ClusterRoleBinding'].map((kind) => `rbac.authorization.k8s.io/${kind}`),
  'apiextensions.k8s.io/CustomResourceDefinition',
  'apiregistration.k8s.io/APIService',
  ...['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'].map(admission),
  ...['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'].map(admission),
  ...['MutatingAdmissionPolicy', 'MutatingAdmissionPolicyBinding'].map(admission),
  ...['StorageClass', 'CSIDriver', 'CSINode', 'VolumeAttachment', 'VolumeAttributesClass'].map((kind) => `storage.k8s.io/${kind}`),
  'scheduling.k8s.io/PriorityClass',
  'node.k8s.io/RuntimeClass',
  ...['IngressClass', 'IPAddress', 'ServiceCIDR'].map((kind) => `networking.k8s.io/${kind}`),
  ...['FlowSchema', 'PriorityLevelConfiguration'].map((kind) => `flowcontrol.apiserver.k8s.io/${kind}`),
  ...['CertificateSigningRequest', 'ClusterTrustBundle'].map((kind) => `certificates.k8s.io/${kind}`),
  ...['DeviceClass', 'ResourceSlice', 'DeviceTaintRule'].map((kind) => `resource.k8s.io/${kind}`),
  'storagemigration.k8s.io/StorageVersionMigration',
  'internal.apiserver.k8s.io/StorageVersion',
]);

/** Returns true for cluster-scoped kinds of Kubernetes itself; false for all other kinds. */
export function isBuiltInClusterScoped(apiVersion: string, kind: string): boolean {
  return clusterScoped.has(`${groupOf(apiVersion)}/${kind}`);
}

function admission(kind: string): string {
  return `admissionregistration.k8s.io/${kind}`;
}
