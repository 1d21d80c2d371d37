import { groupOf } from '../../assembly/identity.js';
import type { JsonObject } from '../../util/json.js';
import { current, type RuleResult } from '../report/readiness-state.js';
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
import { daemonSetReadiness, deploymentReadiness, replicaSetReadiness, statefulSetReadiness } from './workloads.js';

/** The rule by which objects of a built-in kind become ready. */
export interface KindReadinessRule {
  /** `now` in milliseconds since 1970. `unschedulableSeconds`: the time in which a pod may find a node. */
  readonly evaluate: (object: JsonObject, now: number, unschedulableSeconds?: number) => RuleResult;
  /** A deploy waits for it. */
  readonly isWaitedFor: boolean;
  /** Its controller reports `status.observedGeneration` for every object. */
  readonly reportsGeneration: boolean;
}

/** Every built-in kind that has a status, by group and kind; all other built-in kinds are ready once the server has accepted them. */
export const kindReadinessRules: Readonly<Record<string, KindReadinessRule>> = {
  'apps/Deployment': workload(deploymentReadiness),
  'apps/StatefulSet': workload(statefulSetReadiness),
  'apps/DaemonSet': workload(daemonSetReadiness),
  'apps/ReplicaSet': workload(replicaSetReadiness),
  '/ReplicationController': workload(replicaSetReadiness),
  'batch/Job': waitedForRule(jobReadiness),
  '/Pod': waitedForRule(podReadiness),
  '/PersistentVolumeClaim': waitedForRule(claimReadiness),
  '/Service': waitedForRule(serviceReadiness),
  'apiextensions.k8s.io/CustomResourceDefinition': waitedForRule(crdReadiness),
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': notWaitedForRule(admissionPolicyReadiness),
  'apiregistration.k8s.io/APIService': notWaitedForRule(apiServiceReadiness),
  'autoscaling/HorizontalPodAutoscaler': notWaitedForRule(autoscalerReadiness),
  'certificates.k8s.io/CertificateSigningRequest': notWaitedForRule(signingRequestReadiness),
  'flowcontrol.apiserver.k8s.io/FlowSchema': notWaitedForRule(flowSchemaReadiness),
  'networking.k8s.io/Ingress': notWaitedForRule(ingressReadiness),
  'networking.k8s.io/ServiceCIDR': notWaitedForRule(serviceCidrReadiness),
  'policy/PodDisruptionBudget': notWaitedForRule(disruptionBudgetReadiness),
  'resource.k8s.io/ResourceClaim': notWaitedForRule(resourceClaimReadiness),
  'storage.k8s.io/VolumeAttachment': notWaitedForRule(attachmentReadiness),
  '/Namespace': notWaitedForRule(namespaceReadiness),
  '/Node': notWaitedForRule(nodeReadiness),
  '/PersistentVolume': notWaitedForRule(volumeReadiness),
  '/ResourceQuota': notWaitedForRule(quotaReadiness),
  // The status of a CronJob is a list of runs, and that of a priority level is empty: nothing in them can be waited for.
  'batch/CronJob': notWaitedForRule(() => current('Accepted', 'its kind reports nothing more')),
  'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration': notWaitedForRule(() => current('Accepted', 'its kind reports nothing more')),
};

/** Returns the rule for a kind, in any of its versions; undefined where there is none. */
export function kindReadinessRuleOf({
  apiVersion,
  kind,
}: {
  readonly apiVersion: string;
  readonly kind: string;
}): KindReadinessRule | undefined {
  const key = `${groupOf(apiVersion)}/${kind}`;
  return Object.hasOwn(kindReadinessRules, key) ? kindReadinessRules[key] : undefined;
}

function workload(evaluate: KindReadinessRule['evaluate']): KindReadinessRule {
  return { evaluate, isWaitedFor: true, reportsGeneration: true };
}

function waitedForRule(evaluate: KindReadinessRule['evaluate']): KindReadinessRule {
  return { evaluate, isWaitedFor: true, reportsGeneration: false };
}

function notWaitedForRule(evaluate: KindReadinessRule['evaluate']): KindReadinessRule {
  return { evaluate, isWaitedFor: false, reportsGeneration: false };
}
