import { conditionOf } from '../../fields/object.js';
import type { JsonObject } from '../../util/json.js';
import { pluralize } from '../../util/pluralize.js';
import { current, failed, inProgress, type Readiness, type RuleResult } from '../report/readiness-state.js';
import { conditionEvidence, count, member, specOf, statusOf } from './object.js';

/** Seconds without progress after which a rollout counts as failed, where a Deployment does not say. */
const defaultProgressSeconds = 600;

/**
 * Counts the replicas before any condition is read: a condition is as old as the last event. Source: Kubernetes documentation
 * "Deployments", "Deployment status", "Pausing and Resuming a rollout".
 */
export function deploymentReadiness(object: JsonObject): RuleResult {
  const spec = specOf(object);
  const rollout = rolloutOf(object);
  const paused = spec.paused === true ? 'its rollout is paused (.spec.paused)' : undefined;
  if (rollout.state === 'current') return paused === undefined ? rollout : current('Paused', `${rollout.message}; ${paused}`);
  const refused = conditionOf(object, 'ReplicaFailure');
  const why = refused?.status === 'True' ? refused.message || 'replicas cannot be created' : undefined;
  const causes = [why, paused].filter((cause) => cause !== undefined);
  const progressing = conditionOf(object, 'Progressing');
  if (progressing?.status === 'False' && progressing.reason === 'ProgressDeadlineExceeded') {
    const message = [progressing.message || 'its rollout made no progress in time', ...causes].join('; ');
    const graceSeconds = count(spec.progressDeadlineSeconds, defaultProgressSeconds);
    return failed(progressing.reason, message, { evidence: conditionEvidence('Progressing'), graceSeconds });
  }
  if (causes.length === 0) return rollout;
  const reason = why === undefined ? 'Paused' : refused?.reason || 'ReplicaFailure';
  return inProgress(reason, [rollout.message, ...causes].join('; '));
}

function rolloutOf(object: JsonObject): Readiness {
  const status = statusOf(object);
  const wanted = count(specOf(object).replicas, 1);
  const updated = count(status.updatedReplicas);
  const missing = shortOf([
    ['updated', updated, wanted],
    ['available', count(status.availableReplicas), wanted],
    ['ready', count(status.readyReplicas), wanted],
  ]);
  if (missing !== undefined) return rollingOut(missing);
  if (count(status.replicas) > updated) return rollingOut(stillRunning(count(status.replicas) - updated));
  const available = conditionOf(object, 'Available');
  if (available?.status !== 'True') return inProgress(available?.reason || 'NotAvailable', available?.message || 'it is not available yet');
  return current('Available', replicaText(wanted, 'available'));
}

function stillRunning(old: number): string {
  return old === 1 ? '1 old replica is still running' : `${old} old replicas are still running`;
}

/** Source: Kubernetes documentation "StatefulSets", "Update strategies" and "Partitioned rolling updates". */
export function statefulSetReadiness(object: JsonObject): Readiness {
  const [spec, status] = [specOf(object), statusOf(object)];
  const strategy = member(spec, 'updateStrategy');
  if (strategy.type === 'OnDelete') return onDelete;
  const wanted = count(spec.replicas, 1);
  const missing = shortOf([
    ['created', count(status.replicas), wanted],
    ['ready', count(status.readyReplicas), wanted],
    ['available', count(status.availableReplicas, wanted), wanted],
  ]);
  if (missing !== undefined) return rollingOut(missing);
  if (count(status.replicas) > wanted) return rollingOut(`${pluralize(count(status.replicas) - wanted, 'surplus replica')} still running`);
  const partition = count(member(strategy, 'rollingUpdate').partition);
  if (partition > 0) {
    const above = Math.max(wanted - partition, 0);
    const behind = shortOf([['updated', count(status.updatedReplicas), above]]);
    return behind === undefined ? current('PartitionUpdated', replicaText(above, 'updated above the partition')) : rollingOut(behind);
  }
  if (status.updateRevision !== status.currentRevision) {
    return rollingOut(`${count(status.updatedReplicas)} of ${wanted} replicas are of the new revision`);
  }
  return current('Ready', replicaText(wanted, 'ready'));
}

/** Source: Kubernetes documentation "Perform a Rolling Update on a DaemonSet". */
export function daemonSetReadiness(object: JsonObject): Readiness {
  if (member(specOf(object), 'updateStrategy').type === 'OnDelete') return onDelete;
  const status = statusOf(object);
  const wanted = count(status.desiredNumberScheduled);
  const missing = shortOf([
    ['scheduled', count(status.currentNumberScheduled), wanted],
    ['updated', count(status.updatedNumberScheduled), wanted],
    ['available', count(status.numberAvailable), wanted],
    ['ready', count(status.numberReady), wanted],
  ]);
  return missing === undefined ? current('Ready', replicaText(wanted, 'ready')) : rollingOut(missing);
}

/** Source: Kubernetes documentation "ReplicaSet", "How a ReplicaSet works". */
export function replicaSetReadiness(object: JsonObject): Readiness {
  const failure = conditionOf(object, 'ReplicaFailure');
  if (failure?.status === 'True') return inProgress(failure.reason || 'ReplicaFailure', failure.message || 'replicas cannot be created');
  const status = statusOf(object);
  const wanted = count(specOf(object).replicas, 1);
  const missing = shortOf([
    ['labeled', count(status.fullyLabeledReplicas), wanted],
    ['available', count(status.availableReplicas), wanted],
    ['ready', count(status.readyReplicas), wanted],
  ]);
  if (missing !== undefined) return rollingOut(missing);
  if (count(status.replicas) > wanted) return rollingOut(`${pluralize(count(status.replicas) - wanted, 'surplus replica')} still running`);
  return current('Ready', replicaText(wanted, 'ready'));
}

const onDelete = current('OnDelete', 'its pods are replaced when somebody deletes them');

const rollingOut = (message: string) => inProgress('RollingOut', message);

function shortOf(counts: readonly (readonly [what: string, is: number, wanted: number])[]): string | undefined {
  const first = counts.find(([, is, wanted]) => is < wanted);
  return first && `${first[1]} of ${replicaText(first[2], first[0])}`;
}

function replicaText(number: number, what: string): string {
  return `${pluralize(number, 'replica')} ${what}`;
}
