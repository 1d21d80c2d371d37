import { isTerminating } from '../../../fields/object.js';
import { isJsonObject, type JsonObject, jsonEqual } from '../../../util/json.js';
import { type FieldError, forbiddenField, invalidValue, required } from '../../api/field-error.js';
import { structOf } from '../../api/json-access.js';
import { configKeyErrors } from '../../api/name-rules.js';
import type { UpdateContext } from '../../registry/resource.js';
import { allocationErrors } from '../strategy/service.js';
import { admissionPolicyErrors, mutatingPolicyErrors, policyBindingErrors } from './admission-policy-rules.js';
import { apiServiceErrors } from './api-service-rules.js';
import { autoscalerErrors, autoscalerStatusErrors } from './autoscaler-rules.js';
import { claimChangeErrors, claimSpecErrors } from './claim-rules.js';
import { attributesClassErrors, ingressClassErrors, leaseErrors, priorityClassErrors, runtimeClassErrors } from './class-rules.js';
import { crdErrors } from './crd-rules.js';
import { claimErrors, claimTemplateErrors, deviceClassErrors } from './device-rules.js';
import { disruptionBudgetErrors, disruptionBudgetStatusErrors } from './disruption-budget-rules.js';
import { attachmentErrors, csiDriverErrors, csiNodeErrors, storageCapacityErrors } from './driver-rules.js';
import { endpointSliceErrors, endpointsErrors } from './endpoint-rules.js';
import { eventErrors } from './event-rules.js';
import { flowSchemaErrors, priorityLevelErrors } from './flow-control-rules.js';
import { cronJobErrors, jobErrors } from './job-rules.js';
import { limitRangeErrors } from './limit-range-rules.js';
import { networkPolicyErrors } from './network-policy-rules.js';
import { ingressErrors } from './network-rules.js';
import { addressNameErrors, nodeErrors, serviceRangeErrors } from './node-rules.js';
import { persistentVolumeErrors } from './persistent-volume-rules.js';
import { podErrors, podTemplateErrors } from './pod-rules.js';
import { quotaErrors, quotaStatusErrors } from './quota-rules.js';
import { resourceSliceErrors } from './resource-slice-rules.js';
import { bindingErrors, roleErrors } from './role-rules.js';
import { selectorMismatch } from './scheduling-rules.js';
import { secretTypeErrors } from './secret-rules.js';
import { serviceChangeErrors, serviceFieldErrors, serviceStatusErrors, sourceRangeErrors } from './service-field-rules.js';
import { serviceErrors } from './service-rules.js';
import { newSigningRequestErrors } from './signing-request-rules.js';
import { statefulSetChangeErrors, statefulSetErrors } from './stateful-set-rules.js';
import { storageClassErrors } from './storage-class-rules.js';
import { mutatingWebhookErrors, validatingWebhookErrors } from './webhook-rules.js';
import {
  controllerRevisionErrors,
  daemonSetErrors,
  deploymentErrors,
  ownedPodsErrors,
  ownerErrors,
  replicaSetErrors,
} from './workload-rules.js';

type KindValidator = (object: JsonObject, update: UpdateContext | undefined, apiVersion: string) => readonly FieldError[];

/** Validation rules by kind. Source: Kubernetes API reference, field descriptions; messages as observed. */
export const kindRules: Readonly<Record<string, KindValidator>> = {
  ConfigMap: (object, update) => [
    ...keysOf(object, ['data', 'binaryData']),
    ...sharedKeys(object),
    ...sizeErrors('[]', object, ['data', 'binaryData']),
    ...immutableErrors(object, update, ['data', 'binaryData']),
  ],
  Secret: (object, update) => [
    ...keysOf(object, ['data']),
    ...sizeErrors('data', object, ['data']),
    ...secretTypeErrors(object),
    ...immutableErrors(object, update, ['data']),
  ],
  Deployment: deploymentErrors,
  ReplicaSet: replicaSetErrors,
  ControllerRevision: controllerRevisionErrors,
  DaemonSet: daemonSetErrors,
  StatefulSet: (object, update) => [
    ...statefulSetErrors(structOf(object.spec)),
    ...ownedPodsErrors(object),
    ...(update === undefined ? [] : statefulSetChangeErrors(structOf(object.spec), structOf(update.live.spec))),
  ],
  PersistentVolumeClaim: (object, update) => [
    ...claimSpecErrors(structOf(object.spec), 'spec'),
    ...(update === undefined ? [] : claimChangeErrors(object, update.live)),
  ],
  ReplicationController: replicationControllerErrors,
  Service: serviceRules,
  APIService: apiServiceErrors,
  CertificateSigningRequest: ({ spec }, update) => (update === undefined ? newSigningRequestErrors(structOf(spec)) : []),
  ClusterRole: roleErrors,
  ClusterRoleBinding: (object, update) => bindingErrors(object, update?.live),
  CustomResourceDefinition: crdErrors,
  Endpoints: endpointsErrors,
  EndpointSlice: endpointSliceErrors,
  Event: eventErrors,
  FlowSchema: flowSchemaErrors,
  HorizontalPodAutoscaler: autoscalerErrors,
  Ingress: ingressErrors,
  IngressClass: ingressClassErrors,
  Lease: leaseErrors,
  PersistentVolume: persistentVolumeErrors,
  PriorityClass: priorityClassErrors,
  PriorityLevelConfiguration: priorityLevelErrors,
  RuntimeClass: runtimeClassErrors,
  CSIDriver: csiDriverErrors,
  CSINode: csiNodeErrors,
  CSIStorageCapacity: storageCapacityErrors,
  VolumeAttachment: attachmentErrors,
  VolumeAttributesClass: attributesClassErrors,
  IPAddress: addressNameErrors,
  LimitRange: limitRangeErrors,
  NetworkPolicy: networkPolicyErrors,
  Node: nodeErrors,
  PodDisruptionBudget: disruptionBudgetErrors,
  DeviceClass: deviceClassErrors,
  ResourceClaim: claimErrors,
  ResourceClaimTemplate: claimTemplateErrors,
  ResourceQuota: quotaErrors,
  ResourceSlice: resourceSliceErrors,
  ServiceCIDR: (object, update) => (update === undefined ? serviceRangeErrors(object) : []),
  StorageClass: storageClassErrors,
  Role: roleErrors,
  RoleBinding: (object, update) => bindingErrors(object, update?.live),
  Job: jobErrors,
  CronJob: cronJobErrors,
  Pod: podErrors,
  MutatingAdmissionPolicy: mutatingPolicyErrors,
  MutatingWebhookConfiguration: mutatingWebhookErrors,
  ValidatingAdmissionPolicy: admissionPolicyErrors,
  ValidatingAdmissionPolicyBinding: policyBindingErrors,
  ValidatingWebhookConfiguration: validatingWebhookErrors,
  PodTemplate: ({ template }) => podTemplateErrors(structOf(template), 'template'),
};

/** Kinds whose own rules report required members, so that the schema rules do not. */
export const requiredByKind: readonly string[] = ['CustomResourceDefinition', 'Ingress'];

/** Kinds that their own rules validate as a whole, in the words and order of the server. */
export const ruledKinds: readonly string[] = [
  'Endpoints',
  'EndpointSlice',
  'Event',
  'FlowSchema',
  'LimitRange',
  'APIService',
  'DeviceClass',
  'NetworkPolicy',
  'PodDisruptionBudget',
  'PriorityLevelConfiguration',
  'ResourceQuota',
  'ResourceSlice',
  'StorageClass',
  'MutatingAdmissionPolicy',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'ValidatingWebhookConfiguration',
];

/** Validation rules of the status subresource, by kind. */
export const statusRules: Readonly<Record<string, KindValidator>> = {
  HorizontalPodAutoscaler: autoscalerStatusErrors,
  Namespace: phaseErrors,
  Pod: podErrors,
  PodDisruptionBudget: disruptionBudgetStatusErrors,
  ResourceQuota: quotaStatusErrors,
  Service: serviceStatusErrors,
};

function serviceRules(service: JsonObject, update: UpdateContext | undefined): readonly FieldError[] {
  const spec = structOf(service.spec);
  const errors = [
    ...(update === undefined ? [] : serviceChangeErrors(spec, structOf(update.live.spec))),
    ...serviceErrors(spec),
    ...serviceFieldErrors(spec),
    ...sourceRangeErrors(structOf(structOf(service.metadata).annotations), spec),
  ];
  return errors.length > 0 || update !== undefined ? errors : allocationErrors(spec);
}

/** Source: Kubernetes documentation "ConfigMaps", "Secrets". */
const maxDataBytes = 1024 * 1024;

function sizeErrors(field: string, object: JsonObject, members: readonly string[]): readonly FieldError[] {
  let size = 0;
  for (const member of members) {
    const isText = member === 'data' && field === '[]';
    for (const value of Object.values(structOf(object[member])))
      size += typeof value !== 'string' ? 0 : isText ? Buffer.byteLength(value) : Buffer.byteLength(value, 'base64');
  }
  return size > maxDataBytes ? [{ type: 'tooLong', field, detail: `may not be more than ${maxDataBytes} bytes` }] : [];
}

function phaseErrors(object: JsonObject): readonly FieldError[] {
  const { phase } = structOf(object.status);
  const terminating = isTerminating(object);
  if (phase === (terminating ? 'Terminating' : 'Active')) return [];
  const detail = terminating
    ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
    : "may only be 'Active' if `deletionTimestamp` is empty";
  return [invalidValue('status.Phase', phase, detail)];
}

function keysOf(object: JsonObject, members: readonly string[]): FieldError[] {
  return members.flatMap((member) => {
    const data = isJsonObject(object[member]) ? object[member] : {};
    return Object.keys(data).flatMap((key) => configKeyErrors(`${member}[${key}]`, key));
  });
}

function sharedKeys(object: JsonObject): FieldError[] {
  const binary = object.binaryData;
  if (!isJsonObject(binary)) return [];
  const shared = Object.keys(isJsonObject(object.data) ? object.data : {}).filter((key) => Object.hasOwn(binary, key));
  return shared.map((key) => invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData'));
}

function immutableErrors(object: JsonObject, update: UpdateContext | undefined, members: readonly string[]): FieldError[] {
  if (update?.live.immutable !== true) return [];
  const { live, explicitEmpty } = update;
  const changed = members.filter((member) => explicitEmpty.includes(member) || !jsonEqual(object[member] ?? null, live[member] ?? null));
  const all = object.immutable === true ? changed : ['immutable', ...changed];
  return all.map((member) => forbiddenField(member, 'field is immutable when `immutable` is set'));
}

/** Validates a ReplicationController. Source: Kubernetes documentation "ReplicationController"; messages as observed. */
function replicationControllerErrors(object: JsonObject): readonly FieldError[] {
  const { replicas, selector, template } = structOf(object.spec);
  const wanted = Object.entries(structOf(selector));
  const { labels } = structOf(structOf(template).metadata);
  const isMismatch = isJsonObject(template) && wanted.some(([name, value]) => structOf(labels)[name] !== value);
  return [
    ...(wanted.length === 0 ? [required('spec.selector')] : []),
    ...(Number(replicas ?? 0) < 0 ? [invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0')] : []),
    ...(isMismatch ? [selectorMismatch(labels)] : []),
    ...(isJsonObject(template) ? podTemplateErrors(template, 'spec.template') : [required('spec.template')]),
    ...(isJsonObject(template) ? ownerErrors(object) : []),
  ];
}
