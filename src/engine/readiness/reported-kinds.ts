import { conditionOf, conditionsOf, type StatusCondition } from '../../fields/object.js';
import type { JsonObject } from '../../util/json.js';
import { pluralize } from '../../util/pluralize.js';
import { current, failed, inProgress, type Readiness, unknownReadiness } from '../report/readiness-state.js';
import { count, listOf, member, specOf, statusOf } from './object.js';

// Rules for kinds that a deploy does not wait for: their status depends on what others run.

/** Source: Kubernetes documentation "Kubernetes API Aggregation Layer"; the condition `Available` of the API reference. */
export function apiServiceReadiness(object: JsonObject): Readiness {
  return byCondition(object, 'Available', 'True', 'its API server responds');
}

/** Source: Kubernetes documentation "Specifying a Disruption Budget for your Application". */
export function disruptionBudgetReadiness(object: JsonObject): Readiness {
  const status = statusOf(object);
  if (status.observedGeneration === undefined) return notReported;
  const [healthy, desired] = [count(status.currentHealthy), count(status.desiredHealthy)];
  const text = `${healthy} of ${desired} required pods are healthy, ${pluralize(count(status.disruptionsAllowed), 'disruption')} allowed`;
  const allowed = conditionOf(object, 'DisruptionAllowed');
  if (allowed?.reason === 'SyncFailed') return inProgress(allowed.reason, allowed.message || text);
  return healthy < desired ? inProgress('InsufficientPods', text) : current('SufficientPods', text);
}

/** Source: Kubernetes documentation "Horizontal Pod Autoscaling", "Algorithm details", and the conditions in its walkthrough. */
export function autoscalerReadiness(object: JsonObject): Readiness {
  if (object.apiVersion === 'autoscaling/v1') return unknownReadiness('its apiVersion autoscaling/v1 has no conditions');
  for (const type of ['AbleToScale', 'ScalingActive']) {
    const condition = conditionOf(object, type);
    if (!condition) return notReported;
    // A target that is scaled to 0 is meant to stay at 0.
    if (condition.status !== 'True' && condition.reason !== 'ScalingDisabled') return unmet(condition);
  }
  const { currentReplicas, desiredReplicas } = statusOf(object);
  return current('ScalingActive', `${count(currentReplicas)} of ${count(desiredReplicas)} desired replicas`);
}

/** Controllers are not required to write the status. Source: Kubernetes documentation "Ingress". */
export function ingressReadiness(object: JsonObject): Readiness {
  const provisioned = listOf(member(statusOf(object), 'loadBalancer').ingress).length > 0;
  return provisioned
    ? current('Provisioned', 'its load balancer has an address')
    : unknownReadiness('no Ingress controller has written its status');
}

/** Source: Kubernetes documentation "Namespaces"; API reference, phase `Active`. */
export function namespaceReadiness(object: JsonObject): Readiness {
  const { phase } = statusOf(object);
  return phase === 'Active' ? current('Active', 'it is active') : inProgress(String(phase ?? 'NotActive'), 'it is not active');
}

/** Source: Kubernetes documentation "Persistent Volumes", "Phase". */
export function volumeReadiness(object: JsonObject): Readiness {
  const { phase, message } = statusOf(object);
  if (phase === 'Failed') return failed('Failed', String(message ?? 'it could not be reclaimed'));
  if (phase === undefined || phase === 'Pending') return inProgress('Pending', 'it is not available yet');
  return current(String(phase), `it is ${String(phase).toLowerCase()}`);
}

/** Source: Kubernetes documentation "Resource Quotas". */
export function quotaReadiness(object: JsonObject): Readiness {
  const counted = Object.keys(member(statusOf(object), 'hard'));
  const missing = Object.keys(member(specOf(object), 'hard')).filter((name) => !counted.includes(name));
  return missing.length > 0
    ? inProgress('NotObserved', `nobody counts ${missing.join(', ')} yet`)
    : current('Counted', 'its limits are in force');
}

/** Source: Kubernetes documentation "Certificates and Certificate Signing Requests". */
export function signingRequestReadiness(object: JsonObject): Readiness {
  const refused = conditionsOf(object).find(({ type, status }) => (type === 'Denied' || type === 'Failed') && status !== 'False');
  if (refused) return failed(refused.reason || refused.type, refused.message || `it is ${refused.type.toLowerCase()}`);
  if (statusOf(object).certificate !== undefined) return current('Issued', 'its certificate is issued');
  const approved = conditionOf(object, 'Approved') !== undefined;
  return approved ? inProgress('Approved', 'no certificate is issued yet') : inProgress('Pending', 'nobody has approved it yet');
}

/** Source: Kubernetes documentation "API Priority and Fairness"; condition `Dangling` of the API reference. */
export function flowSchemaReadiness(object: JsonObject): Readiness {
  return byCondition(object, 'Dangling', 'False', 'its priority level exists');
}

/** Source: Kubernetes documentation "Extend Service IP Ranges". */
export function serviceCidrReadiness(object: JsonObject): Readiness {
  return byCondition(object, 'Ready', 'True', 'its addresses can be allocated');
}

/** Source: Kubernetes documentation "Validating Admission Policy", "Type checking". */
export function admissionPolicyReadiness(object: JsonObject): Readiness {
  const status = statusOf(object);
  if (status.observedGeneration === undefined) return notReported;
  const [first] = listOf(member(status, 'typeChecking').expressionWarnings);
  if (first) return failed('ExpressionWarnings', `${String(first.fieldRef)}: ${String(first.warning)}`);
  return current('TypeChecked', 'its expressions match the types that it names');
}

/** Source: Kubernetes documentation "Dynamic Resource Allocation". */
export function resourceClaimReadiness(object: JsonObject): Readiness {
  const allocated = Object.keys(member(statusOf(object), 'allocation')).length > 0;
  return allocated ? current('Allocated', 'its devices are allocated') : unknownReadiness('devices are allocated when a pod needs them');
}

/** Source: API reference, VolumeAttachment. */
export function attachmentReadiness(object: JsonObject): Readiness {
  const { attached } = statusOf(object);
  if (attached === true) return current('Attached', 'its volume is attached');
  const issue = member(statusOf(object), 'attachError').message;
  return inProgress('NotAttached', issue === undefined ? 'its volume is not attached yet' : String(issue));
}

/** Source: Kubernetes documentation "Nodes", "Condition". */
export function nodeReadiness(object: JsonObject): Readiness {
  return byCondition(object, 'Ready', 'True', 'its kubelet is ready');
}

const notReported = inProgress('NotObserved', 'its controller has not reported on it yet');

function byCondition(object: JsonObject, type: string, wanted: 'True' | 'False', met: string): Readiness {
  const condition = conditionOf(object, type);
  if (!condition) return notReported;
  return condition.status === wanted ? current(condition.reason || type, condition.message || met) : unmet(condition);
}

function unmet({ type, status, reason, message }: StatusCondition): Readiness {
  return inProgress(reason || type, message || `condition ${type} is ${status}`);
}
