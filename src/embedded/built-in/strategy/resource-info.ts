/**
 * The short table of built-in resources: what neither schema nor defaults tell. By `GROUP/PLURAL`.
 * Source: Kubernetes API reference and "API conventions"; answers of a server.
 */
export interface ResourceInfo {
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** Members that make a new generation, as paths with dots; absent: the kind has none. */
  readonly generation?: readonly string[];
  /** Replicas and status replicas of the scale subresource. */
  readonly scale?: boolean;
  /** Whether the resource is spelled in plural by another rule than the table's. */
  readonly singular?: string;
  /** Rule for names: `subdomain` (default), `label`, `path`. */
  readonly nameFormat?: 'subdomain' | 'label' | 'path';
  /** Members that may not change. */
  readonly immutable?: readonly string[];
  /** The status subresource leaves the labels as they are; of other kinds it writes all metadata. */
  readonly statusKeepsLabels?: boolean;
  /** An update is checked as a whole new object, too: what is wrong with its metadata is told once more. */
  readonly validatesAsCreate?: boolean;
  /** PUT to an absent object creates it. */
  readonly allowCreateOnUpdate?: boolean;
  /** A PUT needs a resourceVersion. */
  readonly requiresResourceVersion?: boolean;
}

const workload: ResourceInfo = { categories: ['all'], generation: ['spec'], scale: true };

const role: ResourceInfo = { nameFormat: 'path', allowCreateOnUpdate: true, validatesAsCreate: true };

const resourceInfos: Readonly<Record<string, ResourceInfo>> = {
  '/bindings': {},
  '/configmaps': { shortNames: ['cm'], validatesAsCreate: true },
  '/endpoints': { shortNames: ['ep'], singular: 'endpoints' },
  '/events': { shortNames: ['ev'] },
  '/limitranges': { shortNames: ['limits'] },
  '/namespaces': { shortNames: ['ns'], nameFormat: 'label', validatesAsCreate: true },
  '/nodes': { shortNames: ['no'] },
  '/persistentvolumeclaims': { shortNames: ['pvc'] },
  '/persistentvolumes': { shortNames: ['pv'] },
  '/pods': { shortNames: ['po'], categories: ['all'], generation: ['spec'] },
  '/podtemplates': { generation: ['template'] },
  '/replicationcontrollers': { ...workload, shortNames: ['rc'] },
  '/resourcequotas': { shortNames: ['quota'] },
  '/secrets': { immutable: ['type'], validatesAsCreate: true },
  '/serviceaccounts': { shortNames: ['sa'], validatesAsCreate: true },
  '/services': { allowCreateOnUpdate: true, shortNames: ['svc'], categories: ['all'], nameFormat: 'label' },
  'admissionregistration.k8s.io/mutatingadmissionpolicies': { categories: ['api-extensions'], generation: ['spec'] },
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': { categories: ['api-extensions'], generation: ['webhooks'] },
  'admissionregistration.k8s.io/validatingadmissionpolicies': { categories: ['api-extensions'], generation: ['spec'] },
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': { categories: ['api-extensions'], generation: ['spec'] },
  'admissionregistration.k8s.io/validatingwebhookconfigurations': { categories: ['api-extensions'], generation: ['webhooks'] },
  'apiextensions.k8s.io/customresourcedefinitions': {
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    generation: ['spec'],
    requiresResourceVersion: true,
  },
  'apiregistration.k8s.io/apiservices': { categories: ['api-extensions'] },
  'apps/controllerrevisions': {},
  'apps/daemonsets': { shortNames: ['ds'], categories: ['all'], generation: ['spec'], immutable: ['spec.selector'] },
  // ReplicaSets take over the annotations of their Deployment, so that these count as its content.
  'apps/deployments': {
    ...workload,
    generation: ['spec', 'metadata.annotations'],
    shortNames: ['deploy'],
    immutable: ['spec.selector'],
    statusKeepsLabels: true,
  },
  'apps/replicasets': { ...workload, shortNames: ['rs'], immutable: ['spec.selector'] },
  'apps/statefulsets': { ...workload, shortNames: ['sts'] },
  'autoscaling/horizontalpodautoscalers': { shortNames: ['hpa'], categories: ['all'] },
  'batch/cronjobs': { shortNames: ['cj'], categories: ['all'], generation: ['spec'] },
  'batch/jobs': { categories: ['all'], generation: ['spec'] },
  'certificates.k8s.io/certificatesigningrequests': { shortNames: ['csr'] },
  'coordination.k8s.io/leases': { allowCreateOnUpdate: true, requiresResourceVersion: true },
  'discovery.k8s.io/endpointslices': { generation: ['endpoints', 'ports', 'addressType'], immutable: ['addressType'] },
  'events.k8s.io/events': { shortNames: ['ev'] },
  'flowcontrol.apiserver.k8s.io/flowschemas': { generation: ['spec'] },
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': { generation: ['spec'] },
  'networking.k8s.io/ingressclasses': { generation: ['spec'] },
  'networking.k8s.io/ingresses': { shortNames: ['ing'], generation: ['spec'], validatesAsCreate: true },
  'networking.k8s.io/ipaddresses': { shortNames: ['ip'] },
  'networking.k8s.io/networkpolicies': { shortNames: ['netpol'], generation: ['spec'] },
  'policy/poddisruptionbudgets': { shortNames: ['pdb'], generation: ['spec'] },
  'rbac.authorization.k8s.io/clusterrolebindings': role,
  'rbac.authorization.k8s.io/clusterroles': role,
  'rbac.authorization.k8s.io/rolebindings': role,
  'rbac.authorization.k8s.io/roles': role,
  'scheduling.k8s.io/priorityclasses': { shortNames: ['pc'], generation: ['value'], immutable: ['value', 'preemptionPolicy'] },
  'storage.k8s.io/storageclasses': { shortNames: ['sc'], immutable: ['provisioner', 'parameters', 'reclaimPolicy', 'volumeBindingMode'] },
};

const noResourceInfo: ResourceInfo = {};

/** Traits of a resource by `GROUP/PLURAL`; a resource that is not in the table has none. */
export function resourceInfo(resource: string): ResourceInfo {
  return resourceInfos[resource] ?? noResourceInfo;
}
