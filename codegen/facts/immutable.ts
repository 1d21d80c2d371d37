/*
 * Fields that a kube-apiserver of the version in `kubernetes-version.ts` does not allow to change, by kind and path. They were observed,
 * because the schema does not contain them; test/apiserver/requests/field-facts.test.ts observes them again.
 */

/** `exists`: immutable while the object exists. `set`: immutable once it has a value. Other values are words that follow "Immutable ". */
export type Immutable = 'exists' | 'set' | `while ${string}` | `once ${string}`;

const locked = 'while `immutable` is true';

export const immutableFields: Readonly<Record<string, Readonly<Record<string, Immutable>>>> = {
  'ClusterRoleBinding rbac.authorization.k8s.io/v1': { roleRef: 'exists' },
  'ConfigMap v1': { binaryData: locked, data: locked, immutable: 'once it is true' },
  'ControllerRevision apps/v1': { data: 'exists' },
  'CSIDriver storage.k8s.io/v1': { 'spec.attachRequired': 'exists', 'spec.volumeLifecycleModes': 'exists' },
  'CSINode storage.k8s.io/v1': { 'spec.drivers.nodeID': 'exists', 'spec.drivers.topologyKeys': 'exists' },
  'CSIStorageCapacity storage.k8s.io/v1': { nodeTopology: 'exists', storageClassName: 'exists' },
  'CustomResourceDefinition apiextensions.k8s.io/v1': {
    'spec.group': 'exists',
    'spec.names.kind': 'once the definition is established',
    'spec.names.plural': 'exists',
    'spec.scope': 'once the definition is established',
  },
  'DaemonSet apps/v1': { 'spec.selector': 'exists' },
  'Deployment apps/v1': { 'spec.selector': 'exists' },
  'EndpointSlice discovery.k8s.io/v1': { addressType: 'exists' },
  'Event events.k8s.io/v1': {
    action: 'exists',
    eventTime: 'exists',
    reason: 'exists',
    regarding: 'exists',
    reportingController: 'exists',
    reportingInstance: 'exists',
    type: 'exists',
  },
  'IngressClass networking.k8s.io/v1': { 'spec.controller': 'exists' },
  'IPAddress networking.k8s.io/v1': { 'spec.parentRef': 'exists' },
  'Job batch/v1': {
    'spec.backoffLimitPerIndex': 'exists',
    'spec.completionMode': 'exists',
    'spec.managedBy': 'exists',
    'spec.podFailurePolicy': 'exists',
    'spec.selector': 'exists',
    'spec.successPolicy': 'exists',
    'spec.template': 'once the Job exists, except for scheduling fields while it is suspended',
  },
  'Node v1': { 'spec.podCIDR': 'set', 'spec.podCIDRs': 'set', 'spec.providerID': 'set' },
  'PersistentVolume v1': {
    'spec.csi': 'exists',
    'spec.hostPath': 'exists',
    'spec.iscsi': 'exists',
    'spec.local': 'exists',
    'spec.nfs': 'exists',
    'spec.nodeAffinity': 'set',
    'spec.rbd': 'exists',
    'spec.scaleIO': 'exists',
    'spec.volumeMode': 'exists',
  },
  'PersistentVolumeClaim v1': {
    'spec.accessModes': 'exists',
    'spec.dataSource': 'exists',
    'spec.dataSourceRef': 'exists',
    'spec.selector': 'exists',
    'spec.storageClassName': 'set',
    'spec.volumeMode': 'exists',
    'spec.volumeName': 'set',
  },
  'Pod v1': { spec: 'once the Pod exists, except for container images and added tolerations' },
  'PriorityClass scheduling.k8s.io/v1': { preemptionPolicy: 'exists', value: 'exists' },
  'ReplicaSet apps/v1': { 'spec.selector': 'exists' },
  'ResourceClaim resource.k8s.io/v1': { spec: 'exists' },
  'ResourceClaimTemplate resource.k8s.io/v1': { spec: 'exists' },
  'ResourceQuota v1': { 'spec.scopes': 'exists' },
  'ResourceSlice resource.k8s.io/v1': { 'spec.driver': 'exists', 'spec.pool.name': 'exists' },
  'RoleBinding rbac.authorization.k8s.io/v1': { roleRef: 'exists' },
  'RuntimeClass node.k8s.io/v1': { handler: 'exists' },
  'Secret v1': { data: locked, immutable: 'once it is true', type: 'exists' },
  'Service v1': { 'spec.loadBalancerClass': 'while the type is `LoadBalancer`' },
  'StatefulSet apps/v1': {
    'spec.podManagementPolicy': 'exists',
    'spec.selector': 'exists',
    'spec.serviceName': 'exists',
    'spec.volumeClaimTemplates': 'exists',
  },
  'StorageClass storage.k8s.io/v1': {
    parameters: 'exists',
    provisioner: 'exists',
    reclaimPolicy: 'exists',
    volumeBindingMode: 'exists',
  },
  'VolumeAttachment storage.k8s.io/v1': { spec: 'exists' },
  'VolumeAttributesClass storage.k8s.io/v1': { driverName: 'exists', parameters: 'exists' },
};
