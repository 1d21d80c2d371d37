/**
 * Properties of a built-in resource that neither its schema nor its defaults express.
 * Source: Kubernetes API reference and "API conventions"; responses of a server.
 */
export interface ResourceInfo {
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** Subresources through which metadata and one member are written, as a dotted path, and their verbs. */
  readonly parts?: Readonly<Record<string, ResourcePart>>;
  /** @default all verbs */
  readonly verbs?: readonly string[];
  /** Members whose change increments the generation, as dotted paths; absent if the kind has no generation. */
  readonly generation?: readonly string[];
  /** The resource has a scale subresource. */
  readonly scale?: boolean;
  /** Singular name, if it is not the kind in lower case. */
  readonly singular?: string;
  /** A finalizer need not be qualified. */
  readonly plainFinalizers?: boolean;
  /** Immutable members, as dotted paths. */
  readonly immutable?: readonly string[];
  /** Fields that a request cannot set, as dotted paths by subresource, if they are not those of other kinds. */
  readonly ignored?: Readonly<Record<string, readonly string[]>>;
  /** Metadata that the status subresource keeps, as dotted paths; of other kinds it writes all metadata. */
  readonly statusKeeps?: readonly string[];
  /** A new object keeps its status. */
  readonly createsStatus?: boolean;
  /**
   * How often the server reports an error in the metadata of an update, and of an update of the status: once by each of its layers.
   *
   * @default [3, 3]
   */
  readonly metadataReports?: readonly [ofObject: number, ofStatus: number];
  /** Warning for every request. */
  readonly deprecated?: string;
  /** PUT to an absent object creates it. */
  readonly allowCreateOnUpdate?: boolean;
  /** A PUT needs a resourceVersion. */
  readonly requiresResourceVersion?: boolean;
}

export interface ResourcePart {
  readonly path: string;
  readonly verbs: readonly string[];
}

const workload: ResourceInfo = { categories: ['all'], generation: ['spec'], scale: true };

/** Reports of a kind whose updates are also validated as new objects. */
const asCreate: ResourceInfo['metadataReports'] = [4, 3];

const role: ResourceInfo = { allowCreateOnUpdate: true, metadataReports: asCreate };

const resourceInfos: Readonly<Record<string, ResourceInfo>> = {
  '/bindings': {},
  '/configmaps': { shortNames: ['cm'], metadataReports: asCreate },
  '/endpoints': {
    allowCreateOnUpdate: true,
    shortNames: ['ep'],
    singular: 'endpoints',
    deprecated: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  },
  '/events': { allowCreateOnUpdate: true, shortNames: ['ev'], plainFinalizers: true },
  '/limitranges': { allowCreateOnUpdate: true, shortNames: ['limits'] },
  '/namespaces': {
    shortNames: ['ns'],
    metadataReports: asCreate,
    parts: { finalize: { path: 'spec.finalizers', verbs: ['update'] } },
    verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  },
  '/nodes': { shortNames: ['no'], createsStatus: true },
  '/persistentvolumeclaims': { shortNames: ['pvc'], metadataReports: asCreate },
  '/persistentvolumes': { shortNames: ['pv'] },
  '/pods': {
    statusKeeps: ['metadata.ownerReferences', 'metadata.deletionTimestamp'],
    shortNames: ['po'],
    categories: ['all'],
    generation: ['spec'],
    metadataReports: asCreate,
  },
  '/podtemplates': { generation: ['template'] },
  '/replicationcontrollers': { ...workload, shortNames: ['rc'] },
  '/resourcequotas': { shortNames: ['quota'] },
  '/secrets': { immutable: ['type'], metadataReports: asCreate },
  '/serviceaccounts': { shortNames: ['sa'], metadataReports: asCreate },
  '/services': { allowCreateOnUpdate: true, shortNames: ['svc'], categories: ['all'] },
  'admissionregistration.k8s.io/mutatingadmissionpolicies': {
    requiresResourceVersion: true,
    categories: ['api-extensions'],
    generation: ['spec'],
  },
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings': { requiresResourceVersion: true, categories: ['api-extensions'] },
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': {
    requiresResourceVersion: true,
    categories: ['api-extensions'],
    generation: ['webhooks'],
  },
  'admissionregistration.k8s.io/validatingadmissionpolicies': {
    requiresResourceVersion: true,
    statusKeeps: ['metadata'],
    categories: ['api-extensions'],
    generation: ['spec'],
  },
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': {
    requiresResourceVersion: true,
    categories: ['api-extensions'],
    generation: ['spec'],
  },
  'admissionregistration.k8s.io/validatingwebhookconfigurations': {
    requiresResourceVersion: true,
    categories: ['api-extensions'],
    generation: ['webhooks'],
  },
  'apiextensions.k8s.io/customresourcedefinitions': {
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    generation: ['spec'],
    requiresResourceVersion: true,
    plainFinalizers: true,
  },
  'apiregistration.k8s.io/apiservices': { requiresResourceVersion: true, statusKeeps: ['metadata'], categories: ['api-extensions'] },
  'apps/controllerrevisions': { immutable: ['data'] },
  'apps/daemonsets': { shortNames: ['ds'], categories: ['all'], generation: ['spec'], immutable: ['spec.selector'] },
  // ReplicaSets copy the annotations of their Deployment, so annotations count as content.
  'apps/deployments': {
    ...workload,
    generation: ['spec', 'metadata.annotations'],
    shortNames: ['deploy'],
    immutable: ['spec.selector'],
    statusKeeps: ['metadata.labels'],
  },
  'apps/replicasets': { ...workload, shortNames: ['rs'], immutable: ['spec.selector'] },
  'apps/statefulsets': { ...workload, shortNames: ['sts'] },
  'autoscaling/horizontalpodautoscalers': { shortNames: ['hpa'], categories: ['all'] },
  'batch/cronjobs': { shortNames: ['cj'], categories: ['all'], generation: ['spec'], metadataReports: [3, 2] },
  'batch/jobs': { categories: ['all'], generation: ['spec'], metadataReports: asCreate },
  'certificates.k8s.io/certificatesigningrequests': {
    shortNames: ['csr'],
    parts: { approval: { path: 'status.conditions', verbs: ['get', 'patch', 'update'] } },
    ignored: { '': ['spec', 'status'], approval: ['spec', 'status.certificate'], status: ['spec', 'status.conditions'] },
  },
  'coordination.k8s.io/leases': { allowCreateOnUpdate: true, requiresResourceVersion: true },
  'discovery.k8s.io/endpointslices': { generation: ['endpoints', 'ports', 'addressType'], immutable: ['addressType'] },
  'events.k8s.io/events': { allowCreateOnUpdate: true, shortNames: ['ev'] },
  'flowcontrol.apiserver.k8s.io/flowschemas': { statusKeeps: ['metadata', 'metadata.generateName'], generation: ['spec'] },
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': { statusKeeps: ['metadata', 'metadata.generateName'], generation: ['spec'] },
  'networking.k8s.io/ingressclasses': { generation: ['spec'] },
  'networking.k8s.io/ingresses': { shortNames: ['ing'], generation: ['spec'], metadataReports: asCreate },
  'networking.k8s.io/ipaddresses': { shortNames: ['ip'] },
  'networking.k8s.io/networkpolicies': { shortNames: ['netpol'], generation: ['spec'] },
  'policy/poddisruptionbudgets': { requiresResourceVersion: true, shortNames: ['pdb'], generation: ['spec'], metadataReports: [2, 2] },
  'rbac.authorization.k8s.io/clusterrolebindings': role,
  'rbac.authorization.k8s.io/clusterroles': role,
  'rbac.authorization.k8s.io/rolebindings': role,
  'rbac.authorization.k8s.io/roles': role,
  'scheduling.k8s.io/priorityclasses': { shortNames: ['pc'], generation: ['value'], immutable: ['value', 'preemptionPolicy'] },
  'storage.k8s.io/volumeattributesclasses': { shortNames: ['vac'] },
  'networking.k8s.io/servicecidrs': { statusKeeps: ['metadata'] },
  'node.k8s.io/runtimeclasses': { requiresResourceVersion: true, allowCreateOnUpdate: true },
  'resource.k8s.io/deviceclasses': { generation: ['spec'] },
  'resource.k8s.io/resourceclaims': { statusKeeps: ['metadata'] },
  'resource.k8s.io/resourceslices': { generation: ['spec'] },
  'storage.k8s.io/volumeattachments': { requiresResourceVersion: true, statusKeeps: ['metadata'] },
  'storage.k8s.io/csidrivers': { requiresResourceVersion: true },
  'storage.k8s.io/csinodes': { requiresResourceVersion: true },
  'storage.k8s.io/csistoragecapacities': { requiresResourceVersion: true },
  'storage.k8s.io/storageclasses': { shortNames: ['sc'], immutable: ['provisioner', 'parameters', 'reclaimPolicy', 'volumeBindingMode'] },
};

const noResourceInfo: ResourceInfo = {};

/** Returns the properties of a resource by `GROUP/PLURAL`; empty if the table does not list it. */
export function resourceInfo(resource: string): ResourceInfo {
  return resourceInfos[resource] ?? noResourceInfo;
}
