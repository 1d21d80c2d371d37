import type { JsonObject } from '../../util/json.js';
import { conditionOf, listOf, member, statusOf } from './object.js';
import { current, failed, inProgress, type Readiness } from './state.js';

/** A pod that finds no node may find one a moment later, when another ends or a node comes. */
const unschedulableAfter = 15_000;

/** Source: Kubernetes documentation "Pod Lifecycle". `now` is in milliseconds since 1970. */
export function podReadiness(object: JsonObject, now: number): Readiness {
  const status = statusOf(object);
  const waiting = waitingContainer(status);
  if (waiting?.reason === 'CrashLoopBackOff') return failed(waiting.reason, `container ${waiting.container}: ${waiting.message}`);
  switch (status.phase) {
    case 'Succeeded':
      return current('Succeeded', 'its containers have ended well');
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
        const long = now - scheduled.since > unschedulableAfter;
        return (long ? failed : inProgress)('Unschedulable', scheduled.message || 'no node takes it');
      }
      if (waiting) return inProgress(waiting.reason, `container ${waiting.container}: ${waiting.message}`);
      return inProgress('Pending', 'it has not started yet');
    }
  }
}

function waitingContainer(status: JsonObject): { container: string; reason: string; message: string } | undefined {
  const waiting = [...listOf(status.initContainerStatuses), ...listOf(status.containerStatuses)].flatMap((container) => {
    const { reason, message } = member(member(container, 'state'), 'waiting');
    if (reason === undefined) return [];
    return [{ container: String(container.name), reason: String(reason), message: String(message ?? reason) }];
  });
  return waiting.find(({ reason }) => reason === 'CrashLoopBackOff') ?? waiting[0];
}
