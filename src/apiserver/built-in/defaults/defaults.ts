import { metadataOf } from '../../../fields/object.js';
import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import { isPointer } from '../convert/go-structs.js';
import { withLimitDefaults } from './limit-range-defaults.js';
import { withPodDefaults, withSameAddress } from './pod-defaults.js';

/**
 * Defaults of the built-in kinds; their schemas publish only a few. Source: Kubernetes API reference, field descriptions ("Defaults to …").
 */
const staticDefaults: Readonly<Record<string, JsonObject>> = {
  'admissionregistration/v1.MutatingWebhook': {
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    reinvocationPolicy: 'Never',
    timeoutSeconds: 10,
  },
  'admissionregistration/v1.ValidatingWebhook': {
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: 10,
  },
  'admissionregistration/v1.ValidatingAdmissionPolicySpec': { failurePolicy: 'Fail' },
  'admissionregistration/v1.MatchResources': { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} },
  'admissionregistration/v1.NamedRuleWithOperations': { scope: '*' },
  'admissionregistration/v1.ServiceReference': { port: 443 },
  'admissionregistration/v1.RuleWithOperations': { scope: '*' },
  'apiextensions/v1.CustomResourceDefinitionSpec': { conversion: { strategy: 'None' } },
  'apiregistration/v1.ServiceReference': { port: 443 },
  'apps/v1.DaemonSetSpec': { revisionHistoryLimit: 10 },
  'apps/v1.DaemonSetUpdateStrategy': { type: 'RollingUpdate' },
  'apps/v1.DeploymentSpec': { progressDeadlineSeconds: 600, replicas: 1, revisionHistoryLimit: 10 },
  'apps/v1.DeploymentStrategy': { type: 'RollingUpdate' },
  'apps/v1.ReplicaSetSpec': { replicas: 1 },
  'apps/v1.StatefulSetSpec': {
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
    podManagementPolicy: 'OrderedReady',
    replicas: 1,
    revisionHistoryLimit: 10,
  },
  'apps/v1.StatefulSetPersistentVolumeClaimRetentionPolicy': { whenDeleted: 'Retain', whenScaled: 'Retain' },
  'autoscaling/v2.HorizontalPodAutoscalerSpec': { minReplicas: 1 },
  'autoscaling/v1.HorizontalPodAutoscalerSpec': { minReplicas: 1 },
  'batch/v1.CronJobSpec': { concurrencyPolicy: 'Allow', failedJobsHistoryLimit: 1, successfulJobsHistoryLimit: 3, suspend: false },
  'batch/v1.PodFailurePolicyOnPodConditionsPattern': { status: 'True' },
  'core/v1.AzureDiskVolumeSource': { cachingMode: 'ReadWrite', fsType: 'ext4', kind: 'Shared', readOnly: false },
  'core/v1.ConfigMapVolumeSource': { defaultMode: 420 },
  'core/v1.Container': { terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File' },
  'core/v1.ContainerPort': { protocol: 'TCP' },
  'core/v1.DownwardAPIVolumeSource': { defaultMode: 420 },
  'core/v1.EndpointPort': { protocol: 'TCP' },
  'core/v1.EphemeralContainer': { terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File' },
  'core/v1.FileKeySelector': { optional: false },
  'core/v1.GRPCAction': { service: '' },
  'core/v1.HTTPGetAction': { path: '/', scheme: 'HTTP' },
  'core/v1.HostPathVolumeSource': { type: '' },
  'core/v1.ISCSIPersistentVolumeSource': { iscsiInterface: 'default' },
  'core/v1.ISCSIVolumeSource': { iscsiInterface: 'default' },
  'core/v1.NamespaceStatus': { phase: 'Active' },
  'core/v1.ObjectFieldSelector': { apiVersion: 'v1' },
  'core/v1.PersistentVolumeClaimSpec': { volumeMode: 'Filesystem' },
  'core/v1.PersistentVolumeClaimStatus': { phase: 'Pending' },
  'core/v1.PersistentVolumeSpec': { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' },
  'core/v1.PersistentVolumeStatus': { phase: 'Pending' },
  'core/v1.PodSpec': {
    dnsPolicy: 'ClusterFirst',
    restartPolicy: 'Always',
    schedulerName: 'default-scheduler',
    securityContext: {},
    terminationGracePeriodSeconds: 30,
  },
  'core/v1.Probe': { failureThreshold: 3, periodSeconds: 10, successThreshold: 1, timeoutSeconds: 1 },
  'core/v1.ProjectedVolumeSource': { defaultMode: 420 },
  'core/v1.RBDPersistentVolumeSource': { keyring: '/etc/ceph/keyring', pool: 'rbd', user: 'admin' },
  'core/v1.RBDVolumeSource': { keyring: '/etc/ceph/keyring', pool: 'rbd', user: 'admin' },
  'core/v1.ReplicationControllerSpec': { replicas: 1 },
  'core/v1.ResourceFieldSelector': { divisor: '0' },
  'core/v1.ScaleIOPersistentVolumeSource': { fsType: 'xfs', storageMode: 'ThinProvisioned' },
  'core/v1.ScaleIOVolumeSource': { fsType: 'xfs', storageMode: 'ThinProvisioned' },
  'core/v1.Secret': { type: 'Opaque' },
  'core/v1.SecretVolumeSource': { defaultMode: 420 },
  'core/v1.ServiceAccountTokenProjection': { expirationSeconds: 3600 },
  'core/v1.ServicePort': { protocol: 'TCP' },
  'core/v1.ServiceSpec': { sessionAffinity: 'None', type: 'ClusterIP' },
  'discovery/v1.EndpointPort': { name: '', protocol: 'TCP' },
  'flowcontrol/v1.ExemptPriorityLevelConfiguration': { lendablePercent: 0, nominalConcurrencyShares: 0 },
  'flowcontrol/v1.FlowSchemaSpec': { matchingPrecedence: 1000 },
  'flowcontrol/v1.LimitedPriorityLevelConfiguration': { lendablePercent: 0, nominalConcurrencyShares: 30 },
  'flowcontrol/v1.QueuingConfiguration': { handSize: 8, queueLengthLimit: 50, queues: 64 },
  'networking/v1.IngressClassParametersReference': { scope: 'Cluster' },
  'networking/v1.NetworkPolicyPort': { protocol: 'TCP' },
  'resource/v1.DeviceSubRequest': { allocationMode: 'ExactCount' },
  'resource/v1.DeviceToleration': { operator: 'Equal' },
  'resource/v1.ExactDeviceRequest': { allocationMode: 'ExactCount' },
  'scheduling/v1.PriorityClass': { preemptionPolicy: 'PreemptLowerPriority' },
  'storage/v1.CSIDriverSpec': {
    attachRequired: true,
    fsGroupPolicy: 'ReadWriteOnceWithFSType',
    podInfoOnMount: false,
    requiresRepublish: false,
    seLinuxMount: false,
    storageCapacity: false,
    volumeLifecycleModes: ['Persistent'],
  },
  'storage/v1.StorageClass': { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' },
};

/** Defaults that depend on other fields. */
const computedDefaults: Readonly<Record<string, (value: JsonObject) => JsonObject>> = {
  'apiextensions/v1.CustomResourceDefinitionNames': ({ kind }) =>
    kind ? { singular: String(kind).toLowerCase(), listKind: `${String(kind)}List` } : {},
  'apps/v1.DaemonSetUpdateStrategy': rollingUpdate({ maxUnavailable: 1, maxSurge: 0 }),
  'apps/v1.DeploymentStrategy': rollingUpdate({ maxUnavailable: '25%', maxSurge: '25%' }),
  'apps/v1.StatefulSetUpdateStrategy': statefulSetStrategy,
  'core/v1.Container': (value) => ({ imagePullPolicy: pullPolicy(value.image) }),
  'core/v1.EphemeralContainer': (value) => ({ imagePullPolicy: pullPolicy(value.image) }),
  'autoscaling/v2.HorizontalPodAutoscalerSpec': ({ metrics }) =>
    metrics === undefined
      ? { metrics: [{ resource: { name: 'cpu', target: { averageUtilization: 80, type: 'Utilization' } }, type: 'Resource' }] }
      : {},
  'core/v1.ImageVolumeSource': ({ reference }) => ({ pullPolicy: pullPolicy(reference) }),
  'core/v1.NodeStatus': ({ capacity }) => (capacity === undefined ? {} : { allocatable: capacity }),
  'core/v1.PodSpec': ({ serviceAccountName, serviceAccount }) => {
    if (serviceAccountName !== undefined && serviceAccountName !== '') return { serviceAccount: serviceAccountName };
    return serviceAccount === undefined ? {} : { serviceAccountName: serviceAccount };
  },
  'core/v1.ServiceSpec': serviceDefaults,
  // A volume without a source is an emptyDir.
  'core/v1.Volume': (value) => (Object.keys(value).some((name) => name !== 'name') ? {} : { emptyDir: {} }),
  'networking/v1.NetworkPolicySpec': ({ policyTypes, egress }) => {
    return policyTypes === undefined ? { policyTypes: egress === undefined ? ['Ingress'] : ['Ingress', 'Egress'] } : {};
  },
  'resource/v1.DeviceSubRequest': deviceCount,
  'resource/v1.ExactDeviceRequest': deviceCount,
  'rbac/v1.RoleRef': () => ({ apiGroup: 'rbac.authorization.k8s.io' }),
  'rbac/v1.Subject': ({ kind }) => (kind === 'User' || kind === 'Group' ? { apiGroup: 'rbac.authorization.k8s.io' } : {}),
};

/** Returns a struct with the defaults of its type. */
export function withTypeDefaults(type: string, value: JsonObject): JsonObject {
  const typeDefaults = staticDefaults[type];
  const compute = computedDefaults[type];
  if (typeDefaults === undefined && compute === undefined) return value;
  const first = typeDefaults === undefined ? value : withAbsent(value, typeDefaults, type);
  return compute === undefined ? first : withAbsent(first, compute(first), type);
}

/** Returns the struct of a type with the given members where it has none, null or the zero of a scalar that is not a pointer; the struct itself if it has all. */
function withAbsent(value: JsonObject, members: JsonObject, type: string): JsonObject {
  const isZero = (name: string) => (value[name] === '' || value[name] === 0) && !isPointer(name, type);
  const isAbsent = (name: string) => (value[name] ?? null) === null || isZero(name);
  const absent = Object.keys(members).filter(isAbsent);
  return absent.length === 0 ? value : { ...value, ...Object.fromEntries(absent.map((name) => [name, members[name]])) };
}

function rollingUpdate(parameters: JsonObject): (value: JsonObject) => JsonObject {
  return ({ type, rollingUpdate: declared }) => {
    if (type !== 'RollingUpdate') return {};
    return { rollingUpdate: { ...parameters, ...(isJsonObject(declared) ? declared : {}) } };
  };
}

/** A strategy that names its type, and no parameters, gets none. Source: observed. */
function statefulSetStrategy(strategy: JsonObject): JsonObject {
  const type = strategy.type || 'RollingUpdate';
  return strategy.type && !isJsonObject(strategy.rollingUpdate) ? {} : { type, ...rollingUpdate({ partition: 0 })({ ...strategy, type }) };
}

function deviceCount({ allocationMode }: JsonObject): JsonObject {
  return allocationMode === 'ExactCount' ? { count: 1 } : {};
}

function pullPolicy(image: Json | undefined): string {
  const name = String(image ?? '');
  const last = name.slice(name.lastIndexOf('/') + 1);
  if (name === '' || name.includes('@')) return 'IfNotPresent';
  const tag = last.includes(':') ? last.slice(last.indexOf(':') + 1) : 'latest';
  return tag === 'latest' ? 'Always' : 'IfNotPresent';
}

function withTimeout(affinity: JsonObject): JsonObject {
  const clientIP = isJsonObject(affinity.clientIP) ? affinity.clientIP : {};
  return { ...affinity, clientIP: { timeoutSeconds: 10800, ...clientIP } };
}

function serviceDefaults(spec: JsonObject): JsonObject {
  const { type, ports, sessionAffinity, externalIPs } = spec;
  const result: Record<string, Json> = {};
  if (Array.isArray(ports)) {
    result.ports = (ports as JsonObject[]).map((port) => ({
      ...port,
      targetPort: port.targetPort === undefined || port.targetPort === '' || port.targetPort === 0 ? (port.port as Json) : port.targetPort,
    }));
  }
  if (sessionAffinity === 'ClientIP' && spec.sessionAffinityConfig === undefined)
    result.sessionAffinityConfig = { clientIP: { timeoutSeconds: 10800 } };
  const exposed = type === 'NodePort' || type === 'LoadBalancer';
  if (exposed || (Array.isArray(externalIPs) && externalIPs.length > 0 && type === 'ClusterIP')) result.externalTrafficPolicy = 'Cluster';
  if (type !== 'ExternalName') result.internalTrafficPolicy = 'Cluster';
  if (type === 'LoadBalancer') result.allocateLoadBalancerNodePorts = true;
  return result;
}

/** Returns a struct with its defaults, including those that depend on or change existing members. */
export function withDefaultedMembers(type: string, value: JsonObject): JsonObject {
  const filled = withTypeDefaults(type, value);
  if (type === 'core/v1.ServiceSpec') {
    const { ports } = serviceDefaults(filled);
    const { sessionAffinityConfig, ...others } = filled;
    const isSticky = filled.sessionAffinity !== 'None' && isJsonObject(sessionAffinityConfig);
    const kept = isSticky ? { ...others, sessionAffinityConfig: withTimeout(sessionAffinityConfig) } : others;
    return ports === undefined ? kept : { ...kept, ports };
  }
  if (type === 'batch/v1.Job')
    return isJsonObject(filled.spec) ? withTemplateLabels({ ...filled, spec: withJobDefaults(filled.spec) }) : filled;
  if (type === 'apps/v1.StatefulSetSpec') return withNamedClaims(filled);
  // The deprecated alias always has the value of `serviceAccountName`.
  if (type === 'core/v1.PodSpec' && filled.serviceAccountName) return { ...filled, serviceAccount: filled.serviceAccountName };
  if (type === 'autoscaling/v2.HorizontalPodAutoscalerBehavior') return withScalingRules(filled);
  if (type === 'core/v1.LimitRangeItem') return withLimitDefaults(filled);
  if (type === 'core/v1.Namespace') return withNameLabel(filled);
  if (type === 'core/v1.Pod') return withPodDefaults(filled);
  if (type === 'core/v1.PodStatus') return withSameAddress(filled);
  if (type === 'core/v1.NodeSpec') return withSameRange(filled);
  if (type === 'core/v1.LoadBalancerIngress' && filled.ip && filled.ipMode === undefined) return { ...filled, ipMode: 'VIP' };
  if (type.endsWith('Strategy')) {
    const { rollingUpdate: whole } = computedDefaults[type]?.(filled) ?? {};
    return whole === undefined ? filled : { ...filled, rollingUpdate: whole };
  }
  return filled;
}

/** Returns the spec of a Job with defaults, which the job template of a CronJob does not have. */
function withJobDefaults(spec: JsonObject): JsonObject {
  const once = spec.completions === undefined && spec.parallelism === undefined;
  const counts = once ? { completions: 1, parallelism: 1 } : { parallelism: 1 };
  const usual = {
    backoffLimit: spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1,
    completionMode: 'NonIndexed',
    manualSelector: false,
    podReplacementPolicy: spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed',
    suspend: false,
    ...counts,
  };
  return withAbsent(spec, usual, 'batch/v1.JobSpec');
}

/** Gives an object without labels those of its pod template. */
export function withTemplateLabels(object: JsonObject): JsonObject {
  const metadata = metadataOf(object);
  const template = isJsonObject(object.spec) && isJsonObject(object.spec.template) ? object.spec.template : {};
  const { labels } = metadataOf(template);
  return metadata.labels !== undefined || labels === undefined ? object : { ...object, metadata: { ...metadata, labels } };
}

/** Sets apiVersion and kind of the claim templates of a StatefulSet. */
function withNamedClaims(spec: JsonObject): JsonObject {
  const { volumeClaimTemplates: claims } = spec;
  if (!Array.isArray(claims)) return spec;
  const named = (claims as readonly JsonObject[]).map((claim) =>
    claim.kind === 'PersistentVolumeClaim' && claim.apiVersion === 'v1'
      ? claim
      : { ...claim, kind: 'PersistentVolumeClaim', apiVersion: 'v1' },
  );
  return named.every((claim, index) => claim === claims[index]) ? spec : { ...spec, volumeClaimTemplates: named };
}

const percent = { periodSeconds: 15, type: 'Percent', value: 100 };
const scalingRules: Readonly<Record<string, JsonObject>> = {
  scaleDown: { policies: [percent], selectPolicy: 'Max' },
  scaleUp: { policies: [{ periodSeconds: 15, type: 'Pods', value: 4 }, percent], selectPolicy: 'Max', stabilizationWindowSeconds: 0 },
};

/** Adds both scaling rules to a behavior, as soon as one is given. */
function withScalingRules(behavior: JsonObject): JsonObject {
  const rules = Object.entries(scalingRules).map(([name, usual]) => {
    const declared = behavior[name];
    return [name, isJsonObject(declared) ? { ...usual, ...declared } : usual] as const;
  });
  return { ...behavior, ...Object.fromEntries(rules) };
}

/** Returns the spec of a Node whose range is the first of its ranges; one that names only one of them names both. Source: observed. */
function withSameRange(spec: JsonObject): JsonObject {
  const { podCIDR, podCIDRs } = spec;
  const first = Array.isArray(podCIDRs) ? (podCIDRs[0] as Json | undefined) : undefined;
  if (first === podCIDR) return spec;
  return podCIDR === undefined ? { ...spec, podCIDR: first as Json } : { ...spec, podCIDRs: [podCIDR] };
}

/** Adds the name label to a Namespace. Source: Kubernetes documentation "Namespaces", label `kubernetes.io/metadata.name`. */
function withNameLabel(namespace: JsonObject): JsonObject {
  const metadata = metadataOf(namespace);
  if (!metadata.name) return namespace;
  const labels = isJsonObject(metadata.labels) ? metadata.labels : {};
  return { ...namespace, metadata: { ...metadata, labels: { ...labels, 'kubernetes.io/metadata.name': metadata.name } } };
}
