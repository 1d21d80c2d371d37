import { conditionOf } from '../../fields/object.js';
import type { JsonObject } from '../../util/json.js';
import { current, failed, inProgress, type RuleResult } from '../report/readiness-state.js';
import { certainAfterSeconds, certainRestarts } from './causes/symptom.js';
import { conditionEvidence, count, listOf, member, statusOf } from './object.js';

/** Seconds: the longest pause before a container that ended is restarted. Source: Kubernetes documentation "Pod Lifecycle". */
const longestBackOff = 300;

/**
 * Source: Kubernetes documentation "Pod Lifecycle".
 *
 * @param now milliseconds since 1970.
 * @param unschedulableSeconds a pod without a node may find one when another pod ends or a node is added.
 */
export function podReadiness(
  object: JsonObject,
  now: number,
  unschedulableSeconds: number = certainAfterSeconds.unschedulable,
): RuleResult {
  const status = statusOf(object);
  const waiting = waitingContainer(status);
  if (waiting?.reason === 'CrashLoopBackOff') {
    const message = `container ${waiting.container}: ${waiting.message}`;
    if (waiting.restarts < certainRestarts) return inProgress(waiting.reason, message);
    const evidence = (observed: JsonObject) => restartsOf(observed, waiting.container);
    return failed(waiting.reason, message, { evidence, graceSeconds: longestBackOff });
  }
  switch (status.phase) {
    case 'Succeeded':
      return current('Succeeded', 'its containers have succeeded');
    case 'Failed':
      return failed(String(status.reason ?? 'Failed'), String(status.message ?? 'a container ended with an error'));
    case 'Running': {
      const ready = conditionOf(object, 'Ready');
      if (ready?.status === 'True') return current('Ready', 'it is ready');
      return inProgress(ready?.reason || 'NotReady', ready?.message || 'it is not ready yet');
    }
    default: {
      const scheduled = conditionOf(object, 'PodScheduled');
      if (scheduled?.status === 'False' && scheduled.reason === 'Unschedulable') {
        const message = scheduled.message || 'no node accepts it';
        if (now - scheduled.lastTransitionMs <= unschedulableSeconds * 1000) return inProgress('Unschedulable', message);
        return failed('Unschedulable', message, { evidence: conditionEvidence('PodScheduled'), graceSeconds: unschedulableSeconds });
      }
      if (waiting) return inProgress(waiting.reason, `container ${waiting.container}: ${waiting.message}`);
      return inProgress('Pending', 'it has not started yet');
    }
  }
}

function waitingContainer(status: JsonObject): { container: string; reason: string; message: string; restarts: number } | undefined {
  const waiting = containersOf(status).flatMap((container) => {
    const { reason, message } = member(member(container, 'state'), 'waiting');
    if (reason === undefined) return [];
    const restarts = count(container.restartCount);
    return [{ container: String(container.name), reason: String(reason), message: String(message ?? reason), restarts }];
  });
  return waiting.find(({ reason }) => reason === 'CrashLoopBackOff') ?? waiting[0];
}

function restartsOf(object: JsonObject, name: string): string | undefined {
  const container = containersOf(statusOf(object)).find((candidate) => candidate.name === name);
  return container && String(count(container.restartCount));
}

function containersOf(status: JsonObject): readonly JsonObject[] {
  return [...listOf(status.initContainerStatuses), ...listOf(status.containerStatuses)];
}
