import { groupOf } from '../../assembly/identity.js';
import type { JsonObject } from '../../util/json.js';
import { claimReadiness, crdReadiness, jobReadiness, serviceReadiness } from './other-kinds.js';
import { podReadiness } from './pod.js';
import {
  admissionPolicyReadiness,
  apiServiceReadiness,
  attachmentReadiness,
  autoscalerReadiness,
  disruptionBudgetReadiness,
  flowSchemaReadiness,
  ingressReadiness,
  namespaceReadiness,
  nodeReadiness,
  quotaReadiness,
  resourceClaimReadiness,
  serviceCidrReadiness,
  signingRequestReadiness,
  volumeReadiness,
} from './reported-kinds.js';
import { current, type Verdict } from './state.js';
import { daemonSetReadiness, deploymentReadiness, replicaSetReadiness, statefulSetReadiness } from './workloads.js';

/** How objects of a built-in kind become ready. */
export interface KindRule {
  /** `now` in milliseconds since 1970. */
  readonly judge: (object: JsonObject, now: number) => Verdict;
  /** A deploy waits for it. */
  readonly waited: boolean;
  /** Its controller reports `status.observedGeneration` for every object. */
  readonly reportsGeneration: boolean;
}

/** Every built-in kind that has a status, by group and kind; all other built-in kinds are ready once the server has accepted them. */
export const kindRules: Readonly<Record<string, KindRule>> = {
  'apps/Deployment': workload(deploymentReadiness),
  'apps/StatefulSet': workload(statefulSetReadiness),
  'apps/DaemonSet': workload(daemonSetReadiness),
  'apps/ReplicaSet': workload(replicaSetReadiness),
  '/ReplicationController': workload(replicaSetReadiness),
  'batch/Job': waited(jobReadiness),
  '/Pod': waited(podReadiness),
  '/PersistentVolumeClaim': waited(claimReadiness),
  '/Service': waited(serviceReadiness),
  'apiextensions.k8s.io/CustomResourceDefinition': waited(crdReadiness),
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': judged(admissionPolicyReadiness),
  'apiregistration.k8s.io/APIService': judged(apiServiceReadiness),
  'autoscaling/HorizontalPodAutoscaler': judged(autoscalerReadiness),
  'certificates.k8s.io/CertificateSigningRequest': judged(signingRequestReadiness),
  'flowcontrol.apiserver.k8s.io/FlowSchema': judged(flowSchemaReadiness),
  'networking.k8s.io/Ingress': judged(ingressReadiness),
  'networking.k8s.io/ServiceCIDR': judged(serviceCidrReadiness),
  'policy/PodDisruptionBudget': judged(disruptionBudgetReadiness),
  'resource.k8s.io/ResourceClaim': judged(resourceClaimReadiness),
  'storage.k8s.io/VolumeAttachment': judged(attachmentReadiness),
  '/Namespace': judged(namespaceReadiness),
  '/Node': judged(nodeReadiness),
  '/PersistentVolume': judged(volumeReadiness),
  '/ResourceQuota': judged(quotaReadiness),
  // Its status is a list of runs, and that of a priority level is empty: nothing in them is to be waited for.
  'batch/CronJob': judged(() => current('Accepted', 'its kind reports nothing more')),
  'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration': judged(() => current('Accepted', 'its kind reports nothing more')),
};

/** The rule for a kind, in any of its versions; undefined where there is none. */
export function kindRuleOf({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): KindRule | undefined {
  const key = `${groupOf(apiVersion)}/${kind}`;
  return Object.hasOwn(kindRules, key) ? kindRules[key] : undefined;
}

function workload(judge: KindRule['judge']): KindRule {
  return { judge, waited: true, reportsGeneration: true };
}

function waited(judge: KindRule['judge']): KindRule {
  return { judge, waited: true, reportsGeneration: false };
}

function judged(judge: KindRule['judge']): KindRule {
  return { judge, waited: false, reportsGeneration: false };
}
