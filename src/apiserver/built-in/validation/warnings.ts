import { metadataOf } from '../../../fields/object.js';
import type { Json, JsonObject } from '../../../util/json.js';
import { memberAt, structOf } from '../../api/json-access.js';
import { billionths } from '../convert/compare-quantities.js';
import { addressListWarnings, endpointsWarnings, networkPolicyWarnings, rangeWarnings } from './address-warnings.js';
import { policyNameWarnings } from './admission-policy-rules.js';
import { definitionWarnings } from './definition-warnings.js';
import { runtimeClassWarnings } from './scheduling-warnings.js';
import { balancerWarnings, serviceWarnings } from './service-warnings.js';
import * as storage from './storage-warnings.js';
import { tlsWarnings } from './tls-warnings.js';
import { unenforcedApiService, unenforcedPodSecurity, unenforcedQuota } from './unenforced-warnings.js';
import { eachAt } from './warning-parts.js';
import * as workload from './workload-warnings.js';

type Warnings = (object: JsonObject, live: JsonObject | undefined) => readonly string[];

/** The warnings about objects of each kind, in the words of a server, and those that only this server needs. Source: observed. */
const byKind: Readonly<Record<string, Warnings>> = {
  APIService: unenforcedApiService,
  ValidatingAdmissionPolicy: policyNameWarnings,
  ValidatingAdmissionPolicyBinding: policyNameWarnings,
  CSIDriver: storage.driverWarnings,
  CSIStorageCapacity: storage.capacityWarnings,
  CustomResourceDefinition: definitionWarnings,
  CronJob: workload.cronJobWarnings,
  DaemonSet: workload.daemonSetWarnings,
  Deployment: workload.replicaWarnings,
  EndpointSlice: endpointSliceWarnings,
  Endpoints: endpointsWarnings,
  Ingress: ingressWarnings,
  Job: workload.jobWarnings,
  Namespace: unenforcedPodSecurity,
  NetworkPolicy: networkPolicyWarnings,
  Node: nodeWarnings,
  PersistentVolume: storage.persistentVolumeWarnings,
  PersistentVolumeClaim: storage.claimWarnings,
  Pod: workload.newPodWarnings,
  PodTemplate: workload.podTemplateWarnings,
  ReplicaSet: workload.replicaWarnings,
  ReplicationController: workload.controllerWarnings,
  ResourceQuota: (object, live) => [...quotaWarnings(object, live), ...unenforcedQuota(object)],
  ResourceSlice: resourceSliceWarnings,
  RuntimeClass: runtimeClassWarnings,
  Secret: tlsWarnings,
  Service: serviceWarnings,
  ServiceAccount: serviceAccountWarnings,
  StatefulSet: workload.statefulSetWarnings,
  StorageClass: storage.storageClassWarnings,
};

/** Returns warnings about the content. */
export function warningsOf(object: JsonObject, live: JsonObject | undefined): readonly string[] {
  return byKind[String(object.kind)]?.(object, live) ?? [];
}

/** Returns warnings about a written status: the forms of addresses. Source: Kubernetes API reference. */
export function statusWarningsOf(object: JsonObject): readonly string[] {
  if (object.kind === 'Service' || object.kind === 'Ingress') return balancerWarnings(object);
  if (object.kind !== 'Pod') return [];
  const { podIPs, hostIPs } = structOf(object.status);
  return [...addressListWarnings(podIPs, 'status.podIPs', 'ip'), ...addressListWarnings(hostIPs, 'status.hostIPs', 'ip')];
}

function hasAnnotation(object: JsonObject | undefined, name: string): boolean {
  return object !== undefined && Object.hasOwn(metadataOf(object).annotations ?? {}, name);
}

const ingressClass = 'kubernetes.io/ingress.class';

function ingressWarnings(object: JsonObject, live: JsonObject | undefined): readonly string[] {
  const isOld = hasAnnotation(object, ingressClass) && typeof memberAt(object, 'spec.ingressClassName') !== 'string';
  if (live !== undefined || !isOld) return [];
  return [`annotation ${JSON.stringify(ingressClass)} is deprecated, please use 'spec.ingressClassName' instead`];
}

const mountableSecrets = 'kubernetes.io/enforce-mountable-secrets';

function serviceAccountWarnings(object: JsonObject, live: JsonObject | undefined): readonly string[] {
  if (!hasAnnotation(object, mountableSecrets) || hasAnnotation(live, mountableSecrets)) return [];
  const text = 'deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets';
  return [`metadata.annotations[${mountableSecrets}]: ${text}`];
}

/** The server drops the configSource of a Node without a warning. Source: observed. */
function nodeWarnings({ spec }: JsonObject): readonly string[] {
  const { externalID, podCIDRs } = structOf(spec);
  return [
    ...(externalID ? ['spec.externalID: this field is deprecated, and is unused by Kubernetes'] : []),
    ...eachAt(Array.isArray(podCIDRs) ? (podCIDRs as readonly Json[]) : [], 'spec.podCIDRs', rangeWarnings),
  ];
}

/** The rules refuse addresses in other than their shortest forms. */
function endpointSliceWarnings({ addressType }: JsonObject, live: JsonObject | undefined): readonly string[] {
  return live === undefined && addressType === 'FQDN' ? ['spec.addressType: FQDN endpoints are deprecated'] : [];
}

function resourceSliceWarnings({ spec }: JsonObject): readonly string[] {
  const driver = String(structOf(spec).driver ?? '');
  if (driver === driver.toLowerCase()) return [];
  return [`spec.driver: driver names should be lowercase; ${JSON.stringify(driver)} contains uppercase characters`];
}

/** Returns a warning for each resource of a new ResourceQuota with higher requests than limits. */
function quotaWarnings({ spec }: JsonObject, live: JsonObject | undefined): readonly string[] {
  const hard = structOf(structOf(spec).hard);
  if (live !== undefined) return [];
  return ['cpu', 'memory', 'storage', 'ephemeral-storage'].flatMap((resource) => {
    const isPlain = hard[`requests.${resource}`] === undefined && ['cpu', 'memory'].includes(resource);
    const [request, limit] = [isPlain ? resource : `requests.${resource}`, `limits.${resource}`];
    const [least, most] = [hard[request], hard[limit]];
    if (least === undefined || most === undefined || billionths(least) <= billionths(most)) return [];
    return [`ResourceQuota ${request} (${String(least)}) should be less than ${limit} (${String(most)})`];
  });
}
