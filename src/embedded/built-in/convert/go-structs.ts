/**
 * Properties of built-in Go types that a schema does not express: members that JSON always contains, and scalars that are omitted at zero.
 * Source: Kubernetes API reference (published `default: {}` marks structs that are never absent) and responses of a server.
 */

import { messages } from '../../http/protobuf/message-table.js';

/** Members that are present even if nobody wrote them, by type. */
const always: Readonly<Record<string, readonly string[]>> = {
  'admissionregistration/v1.MutatingWebhook': ['clientConfig'],
  'admissionregistration/v1.ValidatingWebhook': ['clientConfig'],
  'apiextensions/v1.CustomResourceDefinitionSpec': ['names'],
  'apiextensions/v1.CustomResourceDefinitionStatus': ['acceptedNames'],
  'apps/v1.DaemonSetSpec': ['template', 'updateStrategy'],
  'apps/v1.DeploymentSpec': ['strategy', 'template'],
  'apps/v1.ReplicaSetSpec': ['template'],
  'apps/v1.StatefulSetSpec': ['template', 'updateStrategy'],
  'autoscaling/v1.HorizontalPodAutoscalerSpec': ['scaleTargetRef'],
  'autoscaling/v2.ContainerResourceMetricSource': ['target'],
  'autoscaling/v2.ExternalMetricSource': ['metric', 'target'],
  'autoscaling/v2.HorizontalPodAutoscalerSpec': ['scaleTargetRef'],
  'autoscaling/v2.ObjectMetricSource': ['describedObject', 'metric', 'target'],
  'autoscaling/v2.PodsMetricSource': ['metric', 'target'],
  'autoscaling/v2.ResourceMetricSource': ['target'],
  'batch/v1.CronJobSpec': ['jobTemplate'],
  'batch/v1.JobSpec': ['template'],
  'batch/v1.JobTemplateSpec': ['spec'],
  'core/v1.Container': ['resources'],
  'core/v1.ContainerStatus': ['lastState', 'state'],
  'core/v1.EphemeralContainer': ['resources'],
  'core/v1.Event': ['source'],
  'core/v1.NodeDaemonEndpoints': ['kubeletEndpoint'],
  'core/v1.NodeStatus': ['daemonEndpoints', 'nodeInfo'],
  'core/v1.PersistentVolumeClaim': ['spec', 'status'], // as a volume claim template of a StatefulSet
  'core/v1.PersistentVolumeClaimSpec': ['resources'],
  'core/v1.PersistentVolumeClaimTemplate': ['spec'],
  'core/v1.PodTemplate': ['template'],
  'core/v1.PodTemplateSpec': ['spec'],
  'core/v1.PreferredSchedulingTerm': ['preference'],
  'core/v1.ServiceStatus': ['loadBalancer'],
  'core/v1.WeightedPodAffinityTerm': ['podAffinityTerm'],
  'discovery/v1.Endpoint': ['conditions'],
  'events/v1.Event': ['deprecatedSource'],
  'flowcontrol/v1.FlowSchemaSpec': ['priorityLevelConfiguration'],
  'networking/v1.HTTPIngressPath': ['backend'],
  'networking/v1.IngressServiceBackend': ['port'],
  'networking/v1.IngressStatus': ['loadBalancer'],
  'networking/v1.NetworkPolicySpec': ['podSelector'],
  'rbac/v1.ClusterRoleBinding': ['roleRef'],
  'rbac/v1.RoleBinding': ['roleRef'],
  'storage/v1.VolumeAttachmentSpec': ['source'],
};

const none: readonly string[] = [];

/** Returns the struct members of a type that JSON always contains, except metadata and the spec and status of a root kind. */
export function alwaysShown(type: string): readonly string[] {
  return always[type] ?? none;
}

/** Members that JSON contains as null if they are not set. */
const nulls: Readonly<Record<string, readonly string[]>> = {
  'admissionregistration/v1.MutatingWebhook': ['sideEffects'],
  'admissionregistration/v1.ValidatingWebhook': ['sideEffects'],
  'apps/v1.DaemonSetCondition': ['lastTransitionTime'],
  'apps/v1.DeploymentCondition': ['lastTransitionTime', 'lastUpdateTime'],
  'apps/v1.ReplicaSetCondition': ['lastTransitionTime'],
  'apps/v1.StatefulSetCondition': ['lastTransitionTime'],
  'autoscaling/v2.HorizontalPodAutoscalerCondition': ['lastTransitionTime'],
  'autoscaling/v2.HorizontalPodAutoscalerStatus': ['currentMetrics'],
  'batch/v1.JobCondition': ['lastProbeTime', 'lastTransitionTime'],
  'core/v1.ContainerStateRunning': ['startedAt'],
  'core/v1.ContainerStateTerminated': ['finishedAt', 'startedAt'],
  'core/v1.Event': ['eventTime', 'firstTimestamp', 'lastTimestamp'],
  'events/v1.Event': ['deprecatedFirstTimestamp', 'deprecatedLastTimestamp', 'eventTime'],
  'core/v1.PodCondition': ['lastProbeTime', 'lastTransitionTime'],
  'core/v1.ProjectedVolumeSource': ['sources'],
  'core/v1.TypedLocalObjectReference': ['apiGroup'],
  'core/v1.TypedObjectReference': ['apiGroup'],
  'networking/v1.HTTPIngressPath': ['pathType'],
  'rbac/v1.ClusterRole': ['rules'],
  'rbac/v1.Role': ['rules'],
};

export function shownAsNull(type: string): readonly string[] {
  return nulls[type] ?? none;
}

/** Required lists that JSON omits if they are not set. */
const omitted: Readonly<Record<string, readonly string[]>> = {
  'admissionregistration/v1.ValidatingAdmissionPolicyBindingSpec': ['validationActions'],
};

export function isOmitted(type: string, member: string): boolean {
  return omitted[type]?.includes(member) === true;
}

/** Optional scalars that JSON contains as zero if they are not set. */
const zeros: Readonly<Record<string, readonly string[]>> = {
  'apps/v1.StatefulSetOrdinals': ['start'],
  'apps/v1.StatefulSetSpec': ['serviceName'],
  'apps/v1.StatefulSetStatus': ['availableReplicas'],
  'core/v1.Event': ['reportingComponent', 'reportingInstance'],
  'policy/v1.PodDisruptionBudgetStatus': ['currentHealthy', 'desiredHealthy', 'disruptionsAllowed', 'expectedPods'],
  'scheduling/v1.PriorityClass': ['value'],
};

export function shownAsZero(type: string): readonly string[] {
  return zeros[type] ?? none;
}

/** Root kinds whose `spec` or `status` is absent when empty. */
const optionalRoots = new Set(['networking/v1.NetworkPolicy.status']);

export function isOptionalRoot(type: string, member: string): boolean {
  return optionalRoots.has(`${type}.${member}`);
}

type Representation = 'pointer' | 'shown' | 'plain';

const representations = new Map<string, ReadonlyMap<string, Representation>>();

/** Returns how the Go struct of a type holds its single members; empty if the type has no protobuf message. */
function representationsOf(type: string): ReadonlyMap<string, Representation> {
  const known = representations.get(type);
  if (known !== undefined) return known;
  const found = new Map<string, Representation>();
  const fields = Object.hasOwn(messages, type) ? (messages[type] ?? '') : '';
  for (const field of fields.split(' ')) {
    const [name = '', of = ''] = field.split('=');
    const single = /^\d+:(\??)[^![{]+(!?)$/.exec(of);
    if (single !== null) found.set(name, single[1] === '?' ? 'pointer' : single[2] === '!' ? 'shown' : 'plain');
  }
  representations.set(type, found);
  return found;
}

/** Returns true for a number or boolean that is a plain Go value, so zero and false are omitted. Others are pointers and keep them. */
export function isOmittedAtZero(name: string, type: string): boolean {
  return representationsOf(type).get(name) === 'plain';
}

/** Returns true for a string that is a pointer in Go, so an empty string is kept. */
export function isStringPointer(name: string, type: string): boolean {
  return representationsOf(type).get(name) === 'pointer';
}
