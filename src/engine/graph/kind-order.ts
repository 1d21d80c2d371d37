import { groupOf } from '../../assembly/identity.js';

const order: readonly (readonly string[])[] = [
  ['/Namespace'],
  ['apiextensions.k8s.io/CustomResourceDefinition'],
  [
    'scheduling.k8s.io/PriorityClass',
    'node.k8s.io/RuntimeClass',
    'storage.k8s.io/StorageClass',
    'networking.k8s.io/IngressClass',
    '/ResourceQuota',
    '/LimitRange',
    'policy/PodDisruptionBudget',
    'networking.k8s.io/NetworkPolicy',
  ],
  [
    '/ServiceAccount',
    'rbac.authorization.k8s.io/ClusterRole',
    'rbac.authorization.k8s.io/Role',
    '/ConfigMap',
    '/PersistentVolume',
    '/PersistentVolumeClaim',
    '/Service',
  ],
  // The server refuses a binding whose role is missing, and a Secret with the token of a missing ServiceAccount is deleted.
  ['rbac.authorization.k8s.io/ClusterRoleBinding', 'rbac.authorization.k8s.io/RoleBinding', '/Secret'],
];

const last: readonly string[] = [
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration',
  'admissionregistration.k8s.io/MutatingWebhookConfiguration',
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding',
  'admissionregistration.k8s.io/MutatingAdmissionPolicyBinding',
  'apiregistration.k8s.io/APIService',
];

const ranks = new Map<string, number>([
  ...order.flatMap((kinds, rank) => kinds.map((kind) => [kind, rank] as const)),
  ...last.map((kind) => [kind, order.length + 1] as const),
]);

/** The number of ranks: each is less. */
export const kindRanks = order.length + 2;

/** Returns the rank of a kind within a stack: kinds that others need come first, kinds that can refuse the others' requests come last. */
export function kindRank(object: { readonly apiVersion: string; readonly kind: string }): number {
  return ranks.get(`${groupOf(object.apiVersion)}/${object.kind}`) ?? order.length;
}
